# SPDX-License-Identifier: Apache-2.0
"""The memory backend as the host sees it: the contract, and no exception."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from deerflow.extensions.registry import ExtensionRegistry

from powercontext_deerflow import ConfigurationError
from powercontext_deerflow.host import runtime
from powercontext_deerflow.host.tools import install, remember
from powercontext_deerflow.memory import PowerContextMemoryManager
from tests.support import bound
from tests.support.answers import NO_HITS, PREPARE, REMEMBER, SEARCH, confirmed, prepared
from tests.support.bound import OWNER
from tests.support.servers.hostile import HostileServer, answer, by_path, silent
from tests.support.servers.loopback import Behaviour, Connection, Request

RECALLED = "# PowerContext historical context: cents — é"
PREPARED = prepared(RECALLED)
SAVED = confirmed("Cents.")
HEALTHY = {
    PREPARE: answer(200, PREPARED),
    SEARCH: answer(200, NO_HITS),
    REMEMBER: answer(200, SAVED),
}


@pytest.fixture(autouse=True)
def new_process() -> Iterator[None]:
    """No runtime is inherited, and none is left open."""
    runtime.forget()
    yield
    with contextlib.suppress(ConfigurationError):
        runtime.current().close(2)
    runtime.forget()


Bind = Callable[..., None]


@pytest.fixture
def bind(monkeypatch: pytest.MonkeyPatch) -> Bind:
    """Settings of this process; None takes one away."""
    return functools.partial(bound.bind, monkeypatch)


def built(config: dict[str, Any] | None = None, **options: Any) -> PowerContextMemoryManager:
    hooks = {"callbacks": None, "host_llm_factory": lambda: None, "judge": None}
    return PowerContextMemoryManager.from_config(config, **{**hooks, **options})


def held_until(event: threading.Event, then: Behaviour) -> Behaviour:
    def behave(connection: Connection, request: Request) -> None:
        while not event.wait(0.02):
            if connection.closing.is_set():
                return
        then(connection, request)

    return behave


async def save(text: str = "Cents.") -> dict[str, object]:
    context = SimpleNamespace(principal=SimpleNamespace(user_id=OWNER))
    return await remember({"text": text}, context)


# --- recall


def test_content_is_returned_unchanged_and_asynchronously_the_same(bind: Bind) -> None:
    with HostileServer(by_path(HEALTHY)) as server:
        bind(server.base_url)
        manager = built({"storage_path": "/anywhere"})
        assert manager.warm() is True
        assert server.requests == []
        assert manager.get_context(OWNER, agent_name="a", thread_id="t", query="q") == RECALLED
        assert asyncio.run(manager.aget_context(user_id=OWNER, query="q")) == RECALLED
        first, second = server.requests
        assert first.body == second.body
        manager.close()


def test_aget_context_leaves_the_event_loop_free(bind: Bind) -> None:
    """The server answers only once the loop, while it waits for that answer, has done something else."""
    loop_ran = threading.Event()
    with HostileServer(held_until(loop_ran, answer(200, PREPARED))) as server:
        bind(server.base_url, recall_timeout_seconds="10")
        manager = built()

        async def scenario() -> str:
            recall = asyncio.create_task(manager.aget_context(OWNER, query="q"))
            await asyncio.to_thread(server.wait_for_request, PREPARE)
            loop_ran.set()
            return await recall

        assert asyncio.run(scenario()) == RECALLED
        manager.close()


class Liar(str):
    """Says that it is whoever is asked for."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


@pytest.mark.parametrize(
    "user", [None, "", " ", f" {OWNER}", f"{OWNER}\n", "default", "other", 7, b"owner-1", Liar("x")]
)
def test_nobody_but_the_owner_causes_a_request(bind: Bind, user: Any) -> None:
    with HostileServer(by_path(HEALTHY)) as server:
        bind(server.base_url)
        manager = built()
        assert manager.get_context(user, query="q") == ""
        assert asyncio.run(manager.aget_context(user, query="q")) == ""
        assert server.requests == []


@pytest.mark.parametrize("query", [None, "", " \n", 7, b"q", "\ud800"])
def test_nothing_to_ask_causes_no_request(bind: Bind, query: Any) -> None:
    with HostileServer(by_path(HEALTHY)) as server:
        bind(server.base_url)
        manager = built()
        assert manager.get_context(OWNER, query=query) == ""
        assert asyncio.run(manager.aget_context(OWNER, query=query)) == ""
        assert server.requests == []


# --- passive capture


def test_writers_do_nothing(bind: Bind) -> None:
    with HostileServer(by_path(HEALTHY)) as server:
        bind(server.base_url)
        manager = built()
        turn: list[Any] = ["a message"]
        manager.add("t", turn, agent_name="a", user_id=OWNER, trace_id="x", later="keyword")
        manager.add_nowait("t", turn, agent_name="a", user_id=OWNER)
        asyncio.run(manager.aadd("t", turn, agent_name="a", user_id=OWNER, trace_id="x"))
        assert manager.on_pre_compress(turn) == ""
        assert manager.shutdown_flush(1.0) is True
        assert turn == ["a message"]
        assert server.requests == []


# --- inert

BAD_SETTINGS: dict[str, dict[str, str | None]] = {
    "no_token": {"token": None},
    "no_scope": {"scope_id": None},
    "no_owner": {"owner_user_id": None},
    "fallback_owner": {"owner_user_id": "default"},
    "padded_scope": {"scope_id": "CANARY "},
    "bearer_token": {"token": "Bearer CANARY"},
    "remote_http": {"base_url": "http://CANARY.example.com"},
    "userinfo": {"base_url": "https://user:CANARY@example.com"},
    "budget": {"max_bytes": "511"},
    "timeout": {"recall_timeout_seconds": "nan"},
    "ca_file": {"ca_file": "/CANARY.pem"},
}


@pytest.mark.parametrize("changes", BAD_SETTINGS.values(), ids=BAD_SETTINGS)
def test_bad_setting_makes_it_inert(
    bind: Bind, caplog: pytest.LogCaptureFixture, changes: dict[str, str | None]
) -> None:
    """The host builds it again and again, and installs the plugin beside it: one loud error for all of it."""
    with HostileServer(by_path(HEALTHY)) as server:
        bind(**{"base_url": server.base_url, **changes})
        with pytest.raises(ConfigurationError):
            install(ExtensionRegistry(), {})
        for _ in range(3):
            manager = built()
            assert manager.get_context(OWNER, query="q") == ""
            assert asyncio.run(manager.aget_context(OWNER, query="q")) == ""
            assert manager.warm() is False
            assert manager.shutdown_flush(30.0) is True
            manager.close()
        assert server.requests == []
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    (name,) = changes
    assert f"POWERCONTEXT_DEERFLOW_{name.upper()}" in record.getMessage()
    assert "CANARY" not in caplog.text


def test_mode_tool_makes_it_inert(bind: Bind, caplog: pytest.LogCaptureFixture) -> None:
    with HostileServer(by_path(HEALTHY)) as server:
        bind(server.base_url)
        manager = built(mode="tool")
        assert manager.get_context(OWNER, query="q") == ""
        assert manager.warm() is False
        assert server.requests == []
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert "memory.mode" in caplog.text


@pytest.mark.parametrize(
    "key",
    [
        "base_url",
        "SCOPE_ID",
        "token",
        "ca_file",
        "POWERCONTEXT_DEERFLOW_MAX_BYTES",
        "owner_user_id",
    ],
)
def test_binding_in_backend_config_makes_it_inert(
    bind: Bind, caplog: pytest.LogCaptureFixture, key: str
) -> None:
    with HostileServer(by_path(HEALTHY)) as server:
        bind(server.base_url)
        manager = built({key: "CANARY", "storage_path": "/anywhere"})
        assert manager.get_context(OWNER, query="q") == ""
        assert manager.warm() is False
        assert server.requests == []
        assert manager.backend_config == {}, "the Gateway shows it to any signed-in user"
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert f"memory.backend_config.{key}" in caplog.text
    assert "CANARY" not in caplog.text


# --- the end


def test_shutdown_flush_waits_for_a_save_in_flight(bind: Bind) -> None:
    release = threading.Event()
    held = {**HEALTHY, REMEMBER: held_until(release, answer(200, SAVED))}
    with HostileServer(by_path(held)) as server:
        bind(server.base_url, remember_timeout_seconds="20")
        manager = built()

        async def scenario() -> dict[str, object]:
            saving = asyncio.create_task(save())
            await asyncio.to_thread(server.wait_for_request, REMEMBER)
            assert await asyncio.to_thread(manager.shutdown_flush, 0.05) is False
            release.set()
            assert await asyncio.to_thread(manager.shutdown_flush, 20.0) is True
            return await saving

        assert asyncio.run(scenario())["status"] == "saved"
        assert server.count(REMEMBER) == 1
        manager.close()


@pytest.mark.parametrize(
    "options", [{"mode": "tool"}, {"config": {"scope_id": "x"}}], ids=["mode", "yaml"]
)
def test_shutdown_flush_of_an_inert_backend_waits_for_the_tools_save(
    bind: Bind, options: dict[str, Any]
) -> None:
    """What YAML says wrong about recall does not concern the tool, and only this object is told of the end."""
    release = threading.Event()
    held = {**HEALTHY, REMEMBER: held_until(release, answer(200, SAVED))}
    with HostileServer(by_path(held)) as server:
        bind(server.base_url, remember_timeout_seconds="20")
        manager = built(**options)

        async def scenario() -> bool:
            saving = asyncio.create_task(save())
            await asyncio.to_thread(server.wait_for_request, REMEMBER)
            flushed = await asyncio.to_thread(manager.shutdown_flush, 0.05)
            release.set()
            await saving
            return flushed

        assert asyncio.run(scenario()) is False


def test_close_is_bounded_idempotent_and_final(bind: Bind, no_leaks: None) -> None:
    with HostileServer(silent()) as server:
        bind(server.base_url, recall_timeout_seconds="60", remember_timeout_seconds="60")
        manager = built()
        recalled: list[str] = []
        recall = threading.Thread(
            target=lambda: recalled.append(manager.get_context(OWNER, query="q"))
        )
        recall.start()
        server.wait_for_request(PREPARE)
        started = time.monotonic()
        manager.close()
        recall.join(30)
        assert time.monotonic() - started < 20, "not the recall's own minute"
        assert recalled == [""]
        manager.close()
        assert manager.get_context(OWNER, query="q") == ""
        assert asyncio.run(manager.aget_context(OWNER, query="q")) == ""
        with pytest.raises(Exception, match=r"^not_sent: closed\. Nothing was saved\. "):
            asyncio.run(save())
        assert len(server.requests) == 1


@pytest.mark.parametrize("module", ["memory", "extension"])
def test_without_the_host_the_import_says_what_it_is(module: str) -> None:
    code = f"import sys; sys.path.insert(0, '.'); import powercontext_deerflow.{module}"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith("import it where DeerFlow is installed")
