# SPDX-License-Identifier: Apache-2.0
"""The memory backend as the host sees it: the contract, and no exception."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
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
from deerflow.agents.memory.manager import MemoryManager, context_query_kwargs
from deerflow.extensions.registry import ExtensionRegistry

from powercontext_deerflow import ConfigurationError
from powercontext_deerflow.host import runtime
from powercontext_deerflow.host.tools import install, remember
from powercontext_deerflow.memory import PowerContextMemoryManager
from tests.support.servers.hostile import HostileServer, answer, by_path, silent
from tests.support.servers.loopback import Behaviour, Connection, Request

OWNER = "owner-1"
PREPARE, SEARCH, REMEMBER = (
    "POST /v1/context/prepare",
    "POST /v1/memory/search",
    "POST /v1/memory/remember",
)
RECALLED = "# PowerContext historical context: cents — é"
PREPARED = {
    "schema": "powercontext.prepared-context.v1",
    "status": "ready",
    "content": RECALLED,
    "content_bytes": len(RECALLED.encode()),
}
FOUND_NOTHING = {"mode": "text", "hits": []}
SAVED = {
    "changed": True,
    "records": [
        {
            "artifact": {"family": "atomic-memory", "artifact_id": "art_1", "revision": 1},
            "kind": "fact",
            "text": "Cents.",
            "state": "active",
            "state_version": 0,
            "merged_into_id": None,
        }
    ],
}
HEALTHY = {
    PREPARE: answer(200, PREPARED),
    SEARCH: answer(200, FOUND_NOTHING),
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

    def bind(base_url: str, **settings: str | None) -> None:
        good = {"scope_id": "scp_1", "owner_user_id": OWNER, "token": "CANARY-TOKEN"}
        for name, value in {"base_url": base_url, **good, **settings}.items():
            if value is not None:
                monkeypatch.setenv(f"POWERCONTEXT_DEERFLOW_{name.upper()}", value)

    return bind


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


# --- the contract


@pytest.mark.parametrize("name", ["get_context", "aget_context", "warm", "shutdown_flush", "close"])
def test_signature_is_the_hosts(name: str) -> None:
    ours, hosts = (
        inspect.signature(getattr(cls, name)).parameters.values()
        for cls in (PowerContextMemoryManager, MemoryManager)
    )
    assert [(p.name, p.kind, p.default) for p in ours] == [
        (p.name, p.kind, p.default) for p in hosts
    ]


@pytest.mark.parametrize("name", ["add", "add_nowait", "aadd", "from_config"])
def test_signature_takes_all_that_the_host_passes_and_later_keywords(name: str) -> None:
    ours = inspect.signature(getattr(PowerContextMemoryManager, name))
    hosts = inspect.signature(getattr(MemoryManager, name))
    positional = [p.name for p in hosts.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert list(ours.parameters)[: len(positional)] == positional
    keywords = {p.name: None for p in hosts.parameters.values() if p.kind is p.KEYWORD_ONLY}
    ours.bind(*positional, **keywords, observability_context=None)


def test_query_reaches_this_backend_on_every_host(bind: Bind) -> None:
    bind("http://127.0.0.1:1")
    assert context_query_kwargs(built().get_context, "q") == {"query": "q"}
    assert PowerContextMemoryManager.supports_query_aware_context is True
    assert inspect.iscoroutinefunction(PowerContextMemoryManager.aget_context)
    assert inspect.iscoroutinefunction(PowerContextMemoryManager.aadd)


UNSUPPORTED: dict[str, tuple[object, ...]] = {
    "search": ("q",),
    "get_memory": (),
    "delete_memory": (),
    "clear_memory": (),
    "import_memory": ({},),
    "export_memory": (),
    "reload_memory": (),
    "create_fact": ("f",),
    "delete_fact": ("f",),
    "update_fact": ("f",),
}


@pytest.mark.parametrize("inert", [False, True])
@pytest.mark.parametrize("operation", UNSUPPORTED)
def test_unsupported_operation(bind: Bind, operation: str, inert: bool) -> None:
    """The Gateway makes a 501 of exactly this, and the doctor's user a sentence."""
    bind("http://127.0.0.1:1", token=None if inert else "t")
    says = f"^{operation} not supported by PowerContextMemoryManager$"
    with pytest.raises(NotImplementedError, match=says):
        getattr(built(), operation)(*UNSUPPORTED[operation])


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


def test_a_fault_of_our_own_is_not_the_chats(
    bind: Bind, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("CANARY")

    bind("http://127.0.0.1:1")
    manager = built()
    monkeypatch.setattr(runtime.current().client, "recall", broken)
    monkeypatch.setattr(runtime.current().client, "arecall", broken)
    assert manager.get_context(OWNER, query="q") == ""
    assert asyncio.run(manager.aget_context(OWNER, query="q")) == ""
    assert runtime.current().events.counts == {("recall", "internal_error"): 2}
    assert "CANARY" not in caplog.text


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


@pytest.mark.parametrize("config", [None, {}, {"storage_path": "/x"}, {"max_facts": 1, 7: "x"}])
def test_other_backend_config_is_no_obstacle(bind: Bind, config: Any) -> None:
    bind("http://127.0.0.1:1")
    assert built(config).warm() is True


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
        with pytest.raises(Exception, match=r"^not_sent: closed\. Nothing was saved\.$"):
            asyncio.run(save())
        assert len(server.requests) == 1


def test_close_before_the_first_use(bind: Bind, no_leaks: None) -> None:
    bind("http://127.0.0.1:1")
    manager = built()
    manager.close()
    assert manager.get_context(OWNER, query="q") == ""


def test_repr_shows_no_binding(bind: Bind) -> None:
    bind("http://127.0.0.1:1")
    shown = f"{built()!r}{built()}{built().model_dump()}"
    assert not [secret for secret in ("CANARY", "scp_1", OWNER) if secret in shown]


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
