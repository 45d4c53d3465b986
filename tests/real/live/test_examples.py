# SPDX-License-Identifier: Apache-2.0
"""examples/sdk, each run as its README says, against a real server."""

from __future__ import annotations

import asyncio
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from deerflow.agents.middlewares.outbound import Conversation
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from powercontext_deerflow import PowerContext
from powercontext_deerflow.settings import PREFIX
from tests.support.gateway import Gateway, memory_block, owner
from tests.support.servers.real import PowerContextServer

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "sdk"
TEXT = "Order service: money amounts are integer cents."
QUESTION = "How does the order service store money amounts?"


@pytest.fixture(autouse=True)
def environment(
    powercontext_141: PowerContextServer, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "BASE_URL": powercontext_141.base_url,
        "SCOPE_ID": scope,
        "TOKEN": powercontext_141.token,
        "OWNER_USER_ID": "alice",
        "RECALL_TIMEOUT_SECONDS": "4.5",
    }.items():
        monkeypatch.setenv(PREFIX + name, value)


def loaded(name: str) -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLES / name), run_name=name.removesuffix(".py"))


def run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, env=os.environ
    )
    return f"{done.returncode}: {done.stdout}{done.stderr}".strip()


def test_the_script() -> None:
    script = str(EXAMPLES / "script.py")
    assert run(script, "recall", QUESTION) == "0: nothing found"
    assert run(script, "remember", TEXT) == "0: saved"
    assert run(script, "remember", TEXT) == "0: it was there already"
    assert TEXT in run(script, "recall", QUESTION)
    assert run(script, "list") == f"0: fact: {TEXT}"
    assert (
        run(script, "forget", "kubernetes") == "1: 0 memories share these words: say more, or less"
    )
    assert run(script, "forget", "money amounts") == f"0: forgotten: {TEXT}"
    assert run(script, "list") == "0:"
    assert run(script, "remember", " ").startswith("1: text_blank: ")
    assert run(script).startswith("1: remember TEXT | recall QUESTION")


def test_the_fastapi_dependency() -> None:
    app = loaded("fastapi_app.py")["app"]

    async def use() -> None:
        transport = httpx.ASGITransport(app=app)
        async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport) as web:
            web.base_url = httpx.URL("http://app")
            context = await web.get("/context", params={"question": QUESTION})
            assert context.json() == {"content": None, "memories": 0}
            note = await web.post("/notes", json={"text": TEXT, "kind": "decision"})
            assert note.json() == {"outcome": "Saved"}
            context = await web.get("/context", params={"question": QUESTION})
            assert context.json()["memories"] == 1
            assert TEXT in context.json()["content"]
            refused = await web.post("/notes", json={"text": " "})
            assert (refused.status_code, refused.json()) == (422, {"detail": "text_blank"})

    asyncio.run(use())


def test_the_langchain_tool_and_recall() -> None:
    module = loaded("langchain_memory.py")

    asked: list[list[BaseMessage]] = []

    class Model(FakeMessagesListChatModel):
        def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
            asked.append(messages)
            return super()._generate(messages, *args, **kwargs)

    async def use() -> None:
        async with PowerContext.from_environment() as memory:
            remember, model = module["remember_tool"](memory), Model(responses=[AIMessage("ok")])
            chain = module["recalling"](memory) | model
            conversation = [SystemMessage("Be brief."), HumanMessage(QUESTION)]
            await chain.ainvoke(conversation)
            assert asked[-1] == conversation
            assert await remember.ainvoke({"text": TEXT}) == "Saved"
            assert await remember.ainvoke({"text": " "}) == "text_blank"
            await chain.ainvoke(conversation)
            system, recalled, question = asked[-1]
            assert [system, question] == conversation
            assert isinstance(recalled, HumanMessage)
            assert TEXT in recalled.text

    asyncio.run(use())


def test_deerflow_recalls_what_a_second_host_wrote(
    powercontext_141: PowerContextServer, scope: str
) -> None:
    script = str(EXAMPLES / "second_host.py")
    assert run(script) == "0: ticket 7: Saved\nticket 9: Saved"
    assert run(script) == "0: ticket 7: AlreadySaved\nticket 9: AlreadySaved"
    assert len(powercontext_141.memories(scope)) == 2

    async def ask() -> str | None:
        with Gateway() as gateway:
            outbound = await gateway.say(
                Conversation(), "How are refunds rounded in the billing service?", owner("alice")
            )
            return memory_block(outbound)

    block = asyncio.run(ask())
    assert block is not None
    assert "refunds are rounded half to even" in block


def test_the_readme_names_every_example() -> None:
    named = re.findall(r"^\| `(\w+\.py)`", (EXAMPLES / "README.md").read_text(), re.MULTILINE)
    assert sorted(named) == sorted(path.name for path in EXAMPLES.glob("*.py"))
