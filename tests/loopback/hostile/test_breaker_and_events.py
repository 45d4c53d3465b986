# SPDX-License-Identifier: Apache-2.0
"""An outage costs three deadlines and not one per conversation; every outcome is an event."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Iterator

import pytest
from deerflow.agents.memory.manager import MemoryManager

from powercontext_deerflow import Saved, SaveNotSent, SaveUnknown
from powercontext_deerflow.host import runtime as process
from powercontext_deerflow.host.breaker import LIMIT, OPEN_SECONDS
from powercontext_deerflow.host.runtime import Runtime
from powercontext_deerflow.memory import PowerContextMemoryManager
from tests.loopback.hostile.conftest import Serve
from tests.loopback.hostile.world import (
    SCOPE,
    SLACK,
    TOKEN,
    TurningServer,
    echo,
    healthy,
    in_threads,
    settings,
)
from tests.support.answers import PREPARE, REMEMBER, TEXT
from tests.support.servers import hostile
from tests.support.servers.hostile import answer
from tests.support.servers.loopback import Bare, Behaviour

OWNER = "user-1"
QUERY = "What does the order service use for money?"


class Clock:
    """The breaker's and the events' clock; the deadlines keep the real one."""

    def __init__(self) -> None:
        self.offset = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.offset


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("powercontext_deerflow.host.breaker.now", clock)
    monkeypatch.setattr("powercontext_deerflow.host.events.now", clock)
    return clock


@pytest.fixture
def server(serve: Serve) -> TurningServer:
    return serve(hostile.silent())


@pytest.fixture
def runtime(
    server: TurningServer, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Runtime]:
    """The runtime of this process, bound to ``server`` by the environment, as in a Gateway."""
    for name, value in {
        "BASE_URL": server.base_url,
        "OWNER_USER_ID": OWNER,
        "SCOPE_ID": SCOPE,
        "TOKEN": TOKEN,
        "RECALL_TIMEOUT_SECONDS": "0.2",
        "REMEMBER_TIMEOUT_SECONDS": "0.4",
    }.items():
        monkeypatch.setenv(f"POWERCONTEXT_DEERFLOW_{name}", value)
    process.forget()
    yield process.current()
    process.current().client.close()
    process.forget()


@pytest.fixture
def manager(runtime: Runtime) -> MemoryManager:
    return PowerContextMemoryManager.from_config({})


WAYS = ("get_context", "aget_context")


def ask(manager: MemoryManager, way: str, query: str = QUERY) -> tuple[str, float]:
    started = time.monotonic()
    if way == "get_context":
        content = manager.get_context(OWNER, query=query)
    else:
        content = asyncio.run(manager.aget_context(OWNER, query=query))
    return content, time.monotonic() - started


def is_open(runtime: Runtime) -> bool:
    return runtime.breaker.is_open  # asked anew each time, whatever mypy has concluded


def save(runtime: Runtime, text: str = TEXT) -> object:
    return asyncio.run(runtime.remember(OWNER, text, "fact"))


@pytest.mark.parametrize("way", WAYS)
def test_three_failures_then_thirty_seconds_then_one_probe(
    way: str, manager: MemoryManager, runtime: Runtime, server: TurningServer, clock: Clock
) -> None:
    for _ in range(LIMIT):
        assert not is_open(runtime)
        content, seconds = ask(manager, way)
        assert content == ""
        assert seconds >= 0.15  # each of them waited
    assert is_open(runtime)

    for passed in (0.0, OPEN_SECONDS - 5):
        clock.offset = passed
        content, seconds = ask(manager, way)
        assert content == ""
        assert seconds < 0.15
    assert server.count(PREPARE) == LIMIT
    assert runtime.events.counts["recall", "breaker_open"] == 2

    clock.offset = OPEN_SECONDS + 1
    assert ask(manager, way)[0] == ""  # the probe; it fails, and the next thirty seconds begin
    assert server.count(PREPARE) == LIMIT + 1
    clock.offset += OPEN_SECONDS - 5
    ask(manager, way)
    assert server.count(PREPARE) == LIMIT + 1

    server.turn(healthy)
    clock.offset += OPEN_SECONDS
    assert ask(manager, way)[0] == echo(SCOPE, QUERY)
    assert not is_open(runtime)
    assert ask(manager, way)[0] == echo(SCOPE, QUERY)


def test_one_probe_only(
    manager: MemoryManager, runtime: Runtime, server: TurningServer, clock: Clock
) -> None:
    for _ in range(LIMIT):
        ask(manager, "get_context")
    clock.offset = OPEN_SECONDS + 1
    asked = in_threads(16, lambda _: ask(manager, "get_context"))
    assert server.count(PREPARE) == LIMIT + 1
    assert sum(seconds >= 0.15 for _, seconds in asked) == 1


OUTAGES: dict[str, Behaviour | Bare] = {
    "time": hostile.silent(),
    "drip": hostile.body_drip(),
    "closed": hostile.close_without_answer(),
    "closed before": hostile.accept_then_close(),
    "no HTTP": lambda connection, _: connection.send(b"\0\r\n\r\n"),
}


@pytest.mark.parametrize("behaviour", OUTAGES.values(), ids=OUTAGES)
def test_what_opens_it(behaviour: Behaviour | Bare, serve: Serve, clock: Clock) -> None:
    server = serve(behaviour)
    bound = Runtime(settings(server.base_url, owner_user_id=OWNER, recall_timeout_seconds=0.2))
    for _ in range(LIMIT):
        assert bound.recall(OWNER, QUERY) == ""
    assert bound.breaker.is_open
    bound.client.close()


@pytest.mark.usefixtures("no_leaks")
def test_a_refused_connection_opens_it(clock: Clock) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    bound = Runtime(settings(f"http://127.0.0.1:{port}", owner_user_id=OWNER))
    for _ in range(LIMIT):
        assert bound.recall(OWNER, QUERY) == ""
    assert bound.breaker.is_open
    bound.client.close()


ANSWERS: dict[str, Behaviour] = {
    **{str(status): answer(status, {"detail": "no"}) for status in (401, 403, 404, 422, 429)},
    **{str(status): answer(status, "<html></html>") for status in (500, 502, 503, 504)},
    "malformed": answer(200, b"{"),
    "too large": hostile.huge_body(2_000_000),
}


@pytest.mark.parametrize("behaviour", ANSWERS.values(), ids=ANSWERS)
def test_an_answer_of_any_kind_does_not_open_it(
    behaviour: Behaviour, manager: MemoryManager, runtime: Runtime, server: TurningServer
) -> None:
    server.turn(behaviour)
    for _ in range(LIMIT * 2):
        assert ask(manager, "get_context")[0] == ""
    assert not runtime.breaker.is_open
    assert server.count(PREPARE) == LIMIT * 2


@pytest.mark.parametrize("behaviour", ANSWERS.values(), ids=ANSWERS)
def test_an_answer_of_any_kind_to_the_probe_closes_it(
    behaviour: Behaviour,
    manager: MemoryManager,
    runtime: Runtime,
    server: TurningServer,
    clock: Clock,
) -> None:
    for _ in range(LIMIT):
        ask(manager, "get_context")
    server.turn(behaviour)
    clock.offset = OPEN_SECONDS + 1
    ask(manager, "get_context")
    assert not is_open(runtime)


def test_consecutive_means_consecutive(
    manager: MemoryManager, runtime: Runtime, server: TurningServer
) -> None:
    for _ in range(LIMIT):
        server.turn(hostile.close_without_answer())
        for _ in range(LIMIT - 1):
            ask(manager, "get_context")
        server.turn(answer(503, b""))
        ask(manager, "get_context")
    assert not runtime.breaker.is_open


def test_strangers_and_nothing_to_ask_neither_open_nor_use_it(
    manager: MemoryManager, runtime: Runtime, server: TurningServer, clock: Clock
) -> None:
    for _ in range(LIMIT):
        ask(manager, "get_context")
    clock.offset = OPEN_SECONDS + 1
    for query in (None, "", "  ", "\ud800"):
        assert manager.get_context(OWNER, query=query) == ""
    assert manager.get_context("user-2", query=QUERY) == ""
    server.turn(healthy)
    assert ask(manager, "get_context")[0] == echo(SCOPE, QUERY)  # the probe was still to be had


def test_saves_are_never_broken_off(
    manager: MemoryManager, runtime: Runtime, server: TurningServer, clock: Clock
) -> None:
    for _ in range(LIMIT):
        ask(manager, "get_context")
    for number in range(LIMIT + 1):
        assert save(runtime, f"text {number}") == SaveUnknown("answer_timeout")
    assert server.count(REMEMBER) == LIMIT + 1
    server.turn(healthy)
    assert isinstance(save(runtime), Saved)
    assert runtime.breaker.is_open  # recall's breaker is recall's own


def test_failing_saves_do_not_open_it(
    manager: MemoryManager, runtime: Runtime, server: TurningServer
) -> None:
    for number in range(LIMIT + 1):
        save(runtime, f"text {number}")
    assert not runtime.breaker.is_open
    server.turn(healthy)
    assert ask(manager, "get_context")[0] == echo(SCOPE, QUERY)


@pytest.mark.parametrize("way", WAYS)
def test_the_manager_says_nothing_and_raises_nothing_whatever_the_server_does(
    way: str, manager: MemoryManager, runtime: Runtime, server: TurningServer
) -> None:
    for behaviour in (*OUTAGES.values(), *ANSWERS.values(), hostile.gzip_bomb()):
        if isinstance(behaviour, Bare):
            continue  # not on a server that has connections open already
        server.turn(behaviour)
        runtime.breaker.reached()
        content, seconds = ask(manager, way)
        assert content == ""
        assert seconds <= 0.2 + SLACK


def test_after_close_the_manager_says_nothing(
    manager: MemoryManager, runtime: Runtime, server: TurningServer
) -> None:
    server.turn(healthy)
    manager.close()
    manager.close()
    assert ask(manager, "get_context")[0] == ""
    assert save(runtime) == SaveNotSent("closed")
    assert server.requests == []


# --- events


def events(log: pytest.LogCaptureFixture) -> list[tuple[str, str, int]]:
    """(name, code, held back) of each event that was logged."""
    found = []
    for record in log.records:
        event = vars(record).get("powercontext_event")
        if event is not None:
            found.append((event.name, event.code, vars(record)["powercontext_held_back"]))
    return found


def test_one_event_a_kind_and_minute(
    manager: MemoryManager,
    runtime: Runtime,
    server: TurningServer,
    clock: Clock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    server.turn(answer(503, b"", [("X-PowerContext-Request-Id", "0123456789abcdef")]))
    for _ in range(5):
        ask(manager, "get_context")
    server.turn(healthy)
    for _ in range(3):
        ask(manager, "get_context")
    manager.get_context("user-2", query=QUERY)
    save(runtime)
    expected = [
        ("recall", "http_503", 0),
        ("recall", "ready", 0),
        ("recall", "not_owner", 0),
        ("remember", "saved", 0),
    ]
    assert events(caplog) == expected
    event = vars(caplog.records[0])["powercontext_event"]
    assert (event.status, event.request_id) == (503, "0123456789abcdef")
    assert 0 <= event.elapsed_ms < 1000

    clock.offset = 61.0
    ask(manager, "get_context")
    assert events(caplog)[len(expected) :] == [("recall", "ready", 2)]
    assert runtime.events.counts == {
        ("recall", "http_503"): 5,
        ("recall", "ready"): 4,
        ("recall", "not_owner"): 1,
        ("remember", "saved"): 1,
    }


def test_counters_lose_nothing_to_threads(
    manager: MemoryManager,
    runtime: Runtime,
    server: TurningServer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    server.turn(answer(403, {"error": {"code": "forbidden", "message": "words"}}))
    in_threads(16, lambda _: [manager.get_context(OWNER, query=QUERY) for _ in range(10)])
    assert runtime.events.counts == {("recall", "forbidden"): 160}
    assert events(caplog) == [("recall", "forbidden", 0)]


@pytest.mark.parametrize(
    "request_id", ["0123456789ABCDEF", "0123456789abcde", "0123456789abcdef0", "words", "0\t1", ""]
)
def test_a_request_id_of_another_shape_is_not_repeated(
    request_id: str,
    manager: MemoryManager,
    server: TurningServer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    server.turn(answer(503, b"", [("X-PowerContext-Request-Id", request_id)]))
    assert ask(manager, "get_context")[0] == ""
    (record,) = caplog.records
    assert vars(record)["powercontext_event"].request_id is None
