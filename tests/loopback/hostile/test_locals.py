# SPDX-License-Identifier: Apache-2.0
"""Error reporters send the locals of every frame: ours hold neither the credential nor anybody's words."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import FunctionType, ModuleType
from typing import Any

import pytest
from powercontext_openapi.api.memory import search_memory
from powercontext_openapi.models import SearchMemoryRequest

from powercontext_deerflow import ConfigurationError, InputError, PowerContext, Secret, Settings
from tests.loopback.hostile.conftest import Connect, Serve
from tests.loopback.hostile.world import healthy
from tests.support.answers import ATOMIC, ENTRY, NO_HITS, found, prepared, refusal
from tests.support.servers import hostile
from tests.support.servers.hostile import answer
from tests.support.servers.loopback import Bare, Behaviour, Connection, Request

TOKEN, TEXT = "canary-token", "The canary-text of the user."
SERVED = "canary-served: what somebody saved"
CANARIES = ("canary-token", "canary-text", "canary-served")

Operation = Callable[[PowerContext], Any]


async def _alisted(client: PowerContext) -> list[object]:
    return [memory async for memory in client.alist_memories()]


def _generated(client: PowerContext) -> object:
    body = SearchMemoryRequest(scope_id="scp", query=TEXT, limit=1)
    return search_memory.sync(client=client.generated, body=body)


def _agenerated(client: PowerContext) -> object:
    body = SearchMemoryRequest(scope_id="scp", query=TEXT, limit=1)
    return search_memory.asyncio(client=client.generated, body=body)


OPERATIONS: dict[str, Operation] = {
    "recall": lambda client: client.recall(TEXT),
    "arecall": lambda client: client.arecall(TEXT),
    "remember": lambda client: client.remember(TEXT),
    "aremember": lambda client: client.aremember(TEXT),
    "search": lambda client: client.search(TEXT),
    "asearch": lambda client: client.asearch(TEXT),
    "list_memories": lambda client: list(client.list_memories()),
    "alist_memories": _alisted,
    "get": lambda client: client.get(ATOMIC),
    "aget": lambda client: client.aget(ATOMIC),
    "head": lambda client: client.head(ATOMIC),
    "ahead": lambda client: client.ahead(ATOMIC),
    "history": lambda client: client.history(ATOMIC),
    "ahistory": lambda client: client.ahistory(ATOMIC),
    "revise": lambda client: client.revise(ATOMIC, TEXT),
    "arevise": lambda client: client.arevise(ATOMIC, TEXT),
    "revise an entry": lambda client: client.revise(ENTRY, TEXT),
    "forget": lambda client: client.forget(ATOMIC),
    "aforget": lambda client: client.aforget(ATOMIC),
    "forget an entry": lambda client: client.forget(ENTRY),
    "restore": lambda client: client.restore(ATOMIC, 1),
    "arestore": lambda client: client.arestore(ATOMIC, 1),
    "capture_source": lambda client: client.capture_source("s", TEXT, {"a": TEXT}),
    "acapture_source": lambda client: client.acapture_source("s", TEXT, {"a": TEXT}),
    "server_info": lambda client: client.server_info(),
    "aserver_info": lambda client: client.aserver_info(),
    "check_scope": lambda client: client.check_scope(),
    "acheck_scope": lambda client: client.acheck_scope(),
    "generated": _generated,
    "agenerated": _agenerated,
}


def reset(connection: Connection, _: Request) -> None:
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    connection.sock.close()


FAILURES: dict[str, Behaviour | Bare] = {
    "reset": reset,
    "timeout": hostile.silent(),
    "closed in the body": hostile.close_mid_body(SERVED.encode()),
    "401": answer(401, refusal("unauthorized", SERVED)),
    "404 of a framework": answer(404, {"detail": SERVED}),
    "409": answer(409, refusal("revision_conflict", SERVED)),
    "503": answer(503, refusal("server_overloaded", SERVED)),
    "502 page": answer(502, f"<html>{SERVED}</html>".encode()),
    "malformed": answer(200, f'{{"hits":[{{"text":"{SERVED}"'.encode()),
    "another shape": answer(200, found(SERVED)),
    "prepared": answer(200, prepared(SERVED)),
    "202": answer(202, {"detail": SERVED}),
    "too large": answer(200, SERVED.encode() * 100_000),
    "compressed": answer(200, SERVED.encode(), [("Content-Encoding", "gzip")]),
    "not HTTP": Bare(lambda connection: connection.send(SERVED.encode() + b"\r\n\r\n")),
    "bad header": lambda connection, _: connection.send(
        b"HTTP/1.1 200 OK\r\n" + SERVED.encode() + b" \r\n\r\n"
    ),
}


def shown(raised: BaseException) -> str:
    """What a reporter sends of our frames, with every exception that this one names."""
    ours = []
    waiting = [traceback.TracebackException.from_exception(raised, capture_locals=True)]
    while waiting:
        one = waiting.pop()
        ours += [
            repr(frame.locals) + (frame.line or "")
            for frame in one.stack
            if "powercontext_deerflow" in frame.filename
        ]
        ours.append("".join(one.format_exception_only()))
        waiting += [other for other in (one.__cause__, one.__context__) if other is not None]
    return "\n".join(ours)


def carried_out(operation: Operation, client: PowerContext) -> BaseException | None:
    try:
        came_to = operation(client)
        if asyncio.iscoroutine(came_to):
            came_to = asyncio.run(came_to)
    except Exception as error:  # noqa: BLE001 - whatever leaves
        return error
    return None


@pytest.mark.parametrize("failure", [*FAILURES, "refused"])
def test_no_frame_of_ours_shows_anything(failure: str, serve: Serve, connect: Connect) -> None:
    url = "http://127.0.0.1:1" if failure == "refused" else serve(FAILURES[failure]).base_url
    raised = 0
    for name, operation in OPERATIONS.items():
        client = connect(
            url,
            token=Secret(TOKEN),
            recall_timeout_seconds=0.2,
            remember_timeout_seconds=0.2,
        )
        left = carried_out(operation, client)
        raised += left is not None
        said = shown(left) if left is not None else ""
        assert not [canary for canary in CANARIES if canary in said], (name, said)
        client.close(0)
    assert raised >= (0 if failure in ("another shape", "prepared") else 8)


WRONG: dict[str, Operation] = {
    "recall": lambda client: client.recall(TEXT + "\ud800"),
    "arecall": lambda client: client.arecall(TEXT + "\ud800"),
    "remember": lambda client: client.remember(TEXT + "\ud800"),
    "aremember": lambda client: client.aremember(TEXT + "\ud800"),
    "too long": lambda client: client.remember(TEXT * 1000),
    "wrong kind": lambda client: client.remember("x", TEXT),  # type: ignore[arg-type]
    "search": lambda client: client.search(TEXT + "\ud800"),
    "asearch": lambda client: client.asearch(TEXT + "\ud800"),
    "revise": lambda client: client.revise(ATOMIC, TEXT + "\ud800"),
    "arevise": lambda client: client.arevise(ATOMIC, "x", TEXT),  # type: ignore[arg-type]
    "capture_source": lambda client: client.capture_source("s", TEXT + "\ud800"),
    "acapture_source": lambda client: client.acapture_source("s", TEXT, {TEXT: object()}),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_refused_argument_is_not_shown(name: str, connect: Connect) -> None:
    client = connect("http://127.0.0.1:1", token=Secret(TOKEN))
    left = carried_out(WRONG[name], client)
    assert isinstance(left, InputError)
    assert not [canary for canary in CANARIES if canary in shown(left)]


def test_refused_settings_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERCONTEXT_DEERFLOW_TOKEN", f"{TOKEN} ")
    monkeypatch.setenv("POWERCONTEXT_DEERFLOW_SCOPE_ID", "")
    for make in (
        lambda: Settings(base_url="ftp://x", scope_id="s", token=f"{TOKEN} "),  # type: ignore[arg-type]
        lambda: Settings(base_url="ftp://x", scope_id="s", token=Secret(f"{TOKEN} ")),
        Settings.from_environment,
        PowerContext.from_environment,
    ):
        with pytest.raises(ConfigurationError) as refused:
            make()
        assert "canary" not in shown(refused.value)


def test_a_refused_plugin_configuration_is_not_shown() -> None:
    """People write tokens into YAML."""
    from powercontext_deerflow.extension import install

    with pytest.raises(ConfigurationError) as refused:
        install(object(), {"token": TOKEN})
    assert "canary" not in shown(refused.value)


class Interrupt(BaseException):
    """As Ctrl-C, or the soft time limit of a worker."""


@pytest.mark.parametrize("name", [name for name in OPERATIONS if "generated" not in name])
def test_an_interrupt_shows_nothing(name: str, serve: Serve, connect: Connect) -> None:
    """At whatever moment it comes: here, while the operation waits for its answer."""
    server = serve(hostile.silent())
    client = connect(
        server.base_url,
        token=Secret(TOKEN),
        recall_timeout_seconds=5.0,
        remember_timeout_seconds=5.0,
    )

    def interrupt(*_: object) -> None:
        raise Interrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Interrupt) as raised:
            carried_out(OPERATIONS[name], client)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not [canary for canary in CANARIES if canary in shown(raised.value)]
    client.close(0)


def test_an_interrupt_in_the_hosts_recall_shows_nothing(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    from powercontext_deerflow.host import runtime
    from powercontext_deerflow.memory import PowerContextMemoryManager

    server = serve(hostile.silent())
    for name, value in {
        "BASE_URL": server.base_url,
        "OWNER_USER_ID": "owner",
        "SCOPE_ID": "scp",
        "TOKEN": TOKEN,
    }.items():
        monkeypatch.setenv(f"POWERCONTEXT_DEERFLOW_{name}", value)
    runtime.forget()
    manager = PowerContextMemoryManager.from_config({})

    def interrupt(*_: object) -> None:
        raise Interrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Interrupt) as raised:
            manager.get_context("owner", query=TEXT)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        manager.close()
        runtime.forget()
    assert not [canary for canary in CANARIES if canary in shown(raised.value)]


def test_the_lines_of_our_frames_stay(connect: Connect) -> None:
    """So that a fault can still be found."""
    with pytest.raises(InputError) as refused:
        connect("http://127.0.0.1:1").search(TEXT + "\ud800")
    files = [frame.filename for frame in traceback.extract_tb(refused.value.__traceback__)]
    assert any(file.endswith("limits.py") for file in files)


def test_locals_of_others_stay(connect: Connect) -> None:
    """An exception that was being handled when we were called keeps what it had."""

    def theirs() -> None:
        mine = "kept"
        raise ValueError(len(mine))

    try:
        theirs()
    except ValueError:
        with pytest.raises(InputError) as refused:
            connect("http://127.0.0.1:1").search(TEXT + "\ud800")
    before = refused.value.__context__
    assert before is not None
    assert before.__traceback__ is not None
    last = before.__traceback__.tb_next
    assert last is not None
    assert last.tb_frame.f_locals["mine"] == "kept"


def reachable(root: object) -> Iterator[object]:
    """What can be had from ``root`` by attributes, items and elements, without the code and modules that it uses."""
    waiting, seen = [root], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, type | ModuleType | FunctionType):
            continue
        seen.add(id(one))
        yield one
        waiting += gc.get_referents(one)


def test_nothing_that_a_client_holds_has_it_in_its_vars(serve: Serve, connect: Connect) -> None:
    server = serve(healthy)
    client = connect(server.base_url, token=Secret(TOKEN))
    server.turn(hostile.by_path({"POST /v1/memory/search": answer(200, NO_HITS)}, healthy))
    for operation in OPERATIONS.values():
        with suppress(Exception):
            carried_out(operation, client)
    looked_at = 0
    for one in reachable(client):
        if hasattr(one, "__dict__"):
            looked_at += 1
            said = repr(vars(one))
            assert not [canary for canary in CANARIES if canary in said], type(one)
    assert looked_at > 5
