# SPDX-License-Identifier: Apache-2.0
"""`make demo`: remember in one chat, recall in the next, correct, forget, take back, on a real PowerContext server.

Real: the PowerContext server (its own process, SQLite in a temporary folder), the generated client, this package.
Stood in for: the DeerFlow host (tests/host), because its packages are not on PyPI. A recording proxy between the two
counts what the server really saw.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import secrets
import signal
import sys
import time
import uuid
from dataclasses import dataclass, field

from deerflow.runtime.launch import run_without_identity, web_run
from powercontext_openapi.api.scopes import create_scope
from powercontext_openapi.models import CreateScopeRequest, ScopeDescriptor
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from powercontext_deerflow import PowerContext, Secret, Settings
from powercontext_deerflow.doctor import command as cli
from tests.support.gateway import Gateway, memory_block, result, seen
from tests.support.servers.proxy import RecordingProxy
from tests.support.servers.real import PowerContextServer

OWNER = str(uuid.uuid4())
CONVENTION = "Order service: money amounts are integer cents; use pytest for backend tests."
QUESTION = "Add a refund calculation to the order service, following its conventions."
OTHER_CLIENTS = "Billing service: invoices are numbered per calendar year."
OUTDATED = "Greenhouse project: the code is indented with tabs."
CORRECTED = "Greenhouse project: the code is indented with four spaces."
INDENTED = "How is the code of the greenhouse project indented?"
CHINESE = "库存服务：数量一律用整数，单位是件。"
RECALL_SECONDS = 2.0


@dataclass
class Demo:
    console: Console
    server: PowerContextServer
    proxy: RecordingProxy
    scope_id: str
    rows: list[tuple[str, str, bool]] = field(default_factory=list)
    forgotten: str = ""

    def step(self, title: str) -> None:
        self.console.print(f"\n[bold]{len(self.rows) + 1}. {title}[/bold]")

    def show(self, name: str, value: object) -> None:
        self.console.print(f"   {name}: {escape(str(value))}", highlight=False, soft_wrap=True)

    def check(self, claim: str, evidence: str, holds: bool) -> None:
        self.show("shown" if holds else "[red]NOT SHOWN[/red]", f"{claim} ({evidence})")
        self.rows.append((claim, evidence, holds))

    async def run(self, gateway: Gateway) -> None:
        citation = await self.remember(gateway)
        await self.remember_again(gateway, citation)
        await self.new_conversation(gateway, citation)
        await self.other_client(gateway)
        await self.strangers(gateway)
        await self.chinese(gateway)
        await self.find_and_correct(gateway)
        await self.forget(gateway)
        await self.take_back(gateway)
        await self.server_stopped(gateway)

    async def remember(self, gateway: Gateway) -> dict[str, object]:
        self.step("The owner says “remember”: the model calls the tool")
        answer = result(await gateway.remember(CONVENTION, web_run(OWNER)))
        self.show("tool result", answer)
        citation = answer["citation"] or {}
        self.check(
            "saved, with a citation",
            f"{citation.get('artifact_id')}@{citation.get('revision')}",
            answer["status"] == "saved" and bool(citation),
        )
        return dict(citation)

    async def remember_again(self, gateway: Gateway, citation: dict[str, object]) -> None:
        self.step("The same again")
        answer = result(await gateway.remember(f"  {CONVENTION} ", web_run(OWNER)))
        self.show("tool result", answer)
        stored = len(self.server.memories(self.scope_id))
        same = answer["status"] == "already_saved" and answer["citation"] == citation
        self.check(
            "already saved, same citation", f"{stored} memory on the server", same and stored == 1
        )

    async def new_conversation(self, gateway: Gateway, citation: dict[str, object]) -> None:
        self.step("A new conversation: the exact messages that the model receives")
        outbound = await gateway.ask(QUESTION, web_run(OWNER, thread_id="thread-2"))
        for message in outbound:
            self.show(f"[cyan]{message.type}[/cyan]", message.content)
        block = memory_block(outbound) or ""
        digest = hashlib.sha256(block.encode()).hexdigest()
        self.show("SHA-256 of the memory message", digest)
        cited = CONVENTION in block and str(citation["artifact_id"]) in block
        self.check("recalled in a new chat, cited", f"SHA-256 {digest[:16]}...", cited)

    async def other_client(self, gateway: Gateway) -> None:
        self.step("A memory saved by another client, over plain HTTP")
        self.server.remember(self.scope_id, OTHER_CLIENTS)
        outbound = await gateway.ask("How are billing service invoices numbered?", web_run(OWNER))
        block = memory_block(outbound) or ""
        self.show("memory message", block)
        self.check(
            "another client's memory recalled",
            f"{len(block.encode())} bytes",
            OTHER_CLIENTS in block,
        )

    async def strangers(self, gateway: Gateway) -> None:
        self.step("Another user, and nobody")
        before = len(self.proxy.requests)
        answers = []
        for run in (web_run(str(uuid.uuid4())), run_without_identity()):
            block = memory_block(await gateway.ask(QUESTION, run))
            refused = await gateway.remember("Order service: strangers were here.", run)
            self.show("memory message", block)
            self.show("tool result", f"{refused.status}: {refused.content}")
            answers.append(block is None and refused.status == "error")
        seen = len(self.proxy.requests) - before
        self.check(
            "strangers get nothing",
            f"{seen} requests reached the server",
            all(answers) and not seen,
        )

    async def chinese(self, gateway: Gateway) -> None:
        self.step("Chinese")
        self.server.warm_han(
            self.scope_id
        )  # a 1.4 server loads its dictionary once, for about a second
        answer = result(await gateway.remember(CHINESE, web_run(OWNER)))
        block = memory_block(await gateway.ask("给库存服务加一个数量校验", web_run(OWNER))) or ""
        self.show("memory message", block)
        self.check("Chinese saved and recalled", answer["status"], CHINESE in block)

    async def find_and_correct(self, gateway: Gateway) -> None:
        self.step("“What do you remember? That is wrong, it is spaces now.”")
        await gateway.remember(OUTDATED, web_run(OWNER))
        for memory in seen(await gateway.call("find", web_run(OWNER))):
            self.show("found", memory)
        (outdated,) = (
            memory
            for memory in seen(await gateway.call("find", web_run(OWNER), query=INDENTED))
            if memory["text"] == OUTDATED
        )
        ref = outdated["ref"]
        answer = result(await gateway.call("correct", web_run(OWNER), ref=ref, text=CORRECTED))
        self.show("tool result", answer)
        block = memory_block(await gateway.ask(INDENTED, web_run(OWNER))) or ""
        only = CORRECTED in block and OUTDATED not in block
        self.check("found, corrected; a new chat gets the new text and only that", ref, only)

    async def forget(self, gateway: Gateway) -> None:
        self.step("“Forget that”, and a stranger tries the same")
        ref = await self.ref_of(gateway, CORRECTED)
        stranger = await gateway.call("forget", run_without_identity(), ref=ref)
        self.show("tool result, to nobody", f"{stranger.status}: {stranger.content}")
        answer = result(await gateway.call("forget", web_run(OWNER), ref=ref))
        self.show("tool result", answer)
        block = memory_block(await gateway.ask(INDENTED, web_run(OWNER)))
        gone = block is None and stranger.status == "error"
        self.forgotten = str(answer["ref"])
        self.check("forgotten; a new chat gets nothing", answer["status"], gone)

    async def take_back(self, gateway: Gateway) -> None:
        self.step("“No, keep it after all”")
        answer = result(await gateway.call("forget", web_run(OWNER), ref=self.forgotten, undo=True))
        self.show("tool result", answer)
        block = memory_block(await gateway.ask(INDENTED, web_run(OWNER))) or ""
        self.check("taken back; a new chat gets it again", answer["ref"], CORRECTED in block)

    async def ref_of(self, gateway: Gateway, text: str) -> str:
        found = seen(await gateway.call("find", web_run(OWNER), query=text))
        return next(str(memory["ref"]) for memory in found if memory["text"] == text)

    async def server_stopped(self, gateway: Gateway) -> None:
        self.step("The server is stopped: the chat goes on")
        self.proxy.__exit__(None, None, None)
        self.server.stop()
        started = time.monotonic()
        outbound = await gateway.ask(QUESTION, web_run(OWNER))
        took = time.monotonic() - started
        failed = await gateway.remember("Order service: nobody hears this.", web_run(OWNER))
        self.show("messages", [message.type for message in outbound])
        self.show("tool result", f"{failed.status}: {failed.content}")
        went_on = memory_block(outbound) is None and took < RECALL_SECONDS
        not_sent = failed.status == "error" and str(failed.content).startswith("not_sent:")
        self.check(
            "chat goes on, save is not_sent",
            f"empty recall after {took:.2f} s",
            went_on and not_sent,
        )

    def summary(self) -> int:
        table = Table(title="\nWhat was shown", title_justify="left")
        for heading in ("#", "claim", "evidence", "shown"):
            table.add_column(heading, overflow="fold")
        for number, (claim, evidence, holds) in enumerate(self.rows, 1):
            table.add_row(
                str(number), claim, evidence, "[green]yes[/green]" if holds else "[red]NO[/red]"
            )
        self.console.print(table)
        return 0 if len(self.rows) == 10 and all(holds for *_, holds in self.rows) else 1


def new_scope(server: PowerContextServer) -> str:
    """Made with the generated client, over this package's bounded transport."""
    settings = Settings(base_url=server.base_url, scope_id="none-yet", token=Secret(server.token))
    request = CreateScopeRequest(title="demo", summary="demo", idempotency_key=secrets.token_hex(8))
    with PowerContext(settings) as powercontext:
        made = create_scope.sync(client=powercontext.generated, body=request)
    if not isinstance(made, ScopeDescriptor):
        raise SystemExit("the server did not create a Scope")
    return made.scope_id


def shown(
    console: Console, server: PowerContextServer, proxy: RecordingProxy, scope_id: str
) -> int:
    """Every step of the loop."""
    demo = Demo(console, server, proxy, scope_id)
    with Gateway() as gateway:
        asyncio.run(demo.run(gateway))
    return demo.summary()


def main() -> int:
    """``python -m scripts.demo`` shows the loop; with ``doctor``, what the doctor says of the same deployment."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    logging.basicConfig(format="   log: %(message)s", level=logging.WARNING)
    console = Console()
    waiting = "Starting a real PowerContext server ..."
    server = PowerContextServer(
        on_wait=lambda waited: status.update(f"{waiting} {waited:.0f} s of about 10")
    )
    try:
        with console.status(waiting) as status:
            server.start()
        scope_id = new_scope(server)
        with RecordingProxy(server.base_url) as proxy:
            console.print(
                f"PowerContext {server.version} is ready; Scope {scope_id}; owner {OWNER}",
                soft_wrap=True,
            )
            os.environ |= {
                "POWERCONTEXT_DEERFLOW_BASE_URL": proxy.base_url,
                "POWERCONTEXT_DEERFLOW_OWNER_USER_ID": OWNER,
                "POWERCONTEXT_DEERFLOW_SCOPE_ID": scope_id,
                "POWERCONTEXT_DEERFLOW_TOKEN": server.token,
                "POWERCONTEXT_DEERFLOW_RECALL_TIMEOUT_SECONDS": str(RECALL_SECONDS),
            }
            if sys.argv[1:] == ["doctor"]:
                return cli.main(["doctor", "--write-probe"])
            return shown(console, server, proxy, scope_id)
    finally:
        server.close()


if __name__ == "__main__":
    sys.exit(main())
