# SPDX-License-Identifier: Apache-2.0
"""Changes whose answer is lost, or that meet each other: what is told is what the server holds, each time."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from powercontext_deerflow import (
    ArtifactCitation,
    Conflict,
    EntryCitation,
    Forgotten,
    PowerContext,
    Restored,
    Revised,
    ServerError,
)
from tests.real.live.test_changes import NEW, OLD, at, connect, saved
from tests.support.answers import refusal, refused
from tests.support.cases import each_case
from tests.support.servers.hostile import close_after_headers
from tests.support.servers.loopback import Connection, Request
from tests.support.servers.proxy import (
    Exchange,
    Fault,
    RecordingProxy,
    forward_then,
    instead,
    lose_answer,
    refuse,
    replace,
    truncate,
)
from tests.support.servers.real import PowerContextServer

pytestmark = pytest.mark.usefixtures("no_leaks")

MOMENTS = (0.0, 0.002, 0.005, 0.01, 0.02, 0.03, 0.045, 0.06, 0.09, 0.15)
"""Seconds after which a connection is cut, while the server is at work; it needs some 50 to 90 ms."""


def reset(connection: Connection, _: Request) -> None:
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    connection.close()


LOSSES: dict[str, Fault] = {
    "nothing arrived": refuse,
    "no answer": lose_answer,
    "a byte less": truncate(1),
    "half an answer": truncate(200),
    "a head only": forward_then(close_after_headers()),
    "a reset": forward_then(reset),
    "a gateway's page": replace(502, b"<html>Bad Gateway</html>"),
    "another shape": replace(200, {"changed": True}),
    "an error after the work": replace(500, refusal("internal_error")),
    "a locked database": instead(refused(503, "access_unavailable")),
}


def is_change(request: Request) -> bool:
    return request.method == "PUT" or request.path.endswith(
        ("/lifecycle", "/restorations", "/entries/revise", "/entries/retire")
    )


@dataclass
class Way:
    """To one real server, with changes that get lost on it."""

    server: PowerContextServer
    proxy: RecordingProxy
    client: PowerContext
    scope_id: str
    working: list[threading.Thread] = field(default_factory=list)

    def lose(self, fault: Fault, times: int = 1) -> None:
        """The first ``times`` changes from now on."""
        left = iter(range(times))

        def chosen(request: Request) -> Fault | None:
            return fault if is_change(request) and next(left, None) is not None else None

        self.proxy.fault = chosen

    def cut_after(self, seconds: float) -> Fault:
        """The server goes on with its work; the client's connection is closed at that moment."""

        def fault(exchange: Exchange) -> None:
            def work() -> None:
                with contextlib.suppress(OSError):
                    exchange.forward()

            self.working.append(threading.Thread(target=work))
            self.working[-1].start()
            exchange.connection.closing.wait(seconds)
            exchange.connection.close()

        return fault

    def settled(self) -> None:
        """Whatever was still at work on the server has ended."""
        self.proxy.fault = lambda _: None
        for thread in self.working:
            thread.join(20)
            assert not thread.is_alive()


@contextlib.contextmanager
def way_to(server: PowerContextServer, scope_id: str) -> Iterator[Way]:
    with (
        RecordingProxy(server.base_url) as proxy,
        connect(server, scope_id, proxy.base_url) as client,
    ):
        way = Way(server, proxy, client, scope_id)
        yield way
        way.settled()


@pytest.fixture
def way(powercontext_141: PowerContextServer, scope: str) -> Iterator[Way]:
    with way_to(powercontext_141, scope) as way:
        yield way


@pytest.fixture
def way_120(powercontext_120: PowerContextServer, request: pytest.FixtureRequest) -> Iterator[Way]:
    with way_to(powercontext_120, powercontext_120.create_scope(request.node.name[:64])) as way:
        yield way


def waited(call: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    async def wait() -> Any:
        return await call()

    return asyncio.run(wait())


def revised(client: PowerContext, citation: Any, blocking: bool) -> Any:
    if blocking:
        return client.revise(citation, NEW)
    return waited(lambda: client.arevise(citation, NEW))


def forgotten(client: PowerContext, citation: Any, blocking: bool) -> Any:
    if blocking:
        return client.forget(citation)
    return waited(lambda: client.aforget(citation))


def holds(way: Way, citation: ArtifactCitation) -> tuple[str, str, int]:
    """The text, the state, and how many revisions there are."""
    head = way.client.head(citation)
    return head.text, head.state, len(way.client.history(citation))


# --- servers from 1.3.0 -------------------------------------------------------------------------------------------


@each_case(("blocking", "times"), [(True, 1), (False, 3)])
@each_case("loss", LOSSES)
def test_a_lost_correction_is_told_right(way: Way, loss: str, blocking: bool, times: int) -> None:
    citation = saved(way.client, f"{OLD} {loss} {blocking}")
    way.lose(LOSSES[loss], times)
    outcome = revised(way.client, citation, blocking)
    assert isinstance(outcome, Revised), outcome
    assert outcome.memory.citation == at(citation, 2)
    happened = loss not in ("nothing arrived", "a locked database")
    assert outcome.confirmed_by == ("read_back" if happened else "answer")
    assert holds(way, at(citation, 1)) == (NEW, "active", 2)


@each_case(("blocking", "times"), [(True, 1), (False, 3)])
@each_case("loss", LOSSES)
def test_a_lost_wish_to_forget_is_told_right(
    way: Way, loss: str, blocking: bool, times: int
) -> None:
    text = f"{OLD} {loss} {blocking}"
    citation = saved(way.client, text)
    way.lose(LOSSES[loss], times)
    outcome = forgotten(way.client, citation, blocking)
    assert isinstance(outcome, Forgotten), outcome
    assert (outcome.memory.citation, outcome.memory.text) == (citation, text)
    assert holds(way, at(citation, 1)) == (text, "forgotten", 1)


@each_case("loss", LOSSES)
def test_a_lost_restoration_is_told_right(way: Way, loss: str) -> None:
    citation = saved(way.client, f"{OLD} {loss}")
    assert isinstance(way.client.forget(citation), Forgotten)
    way.lose(LOSSES[loss])
    outcome = way.client.restore(citation)
    assert isinstance(outcome, Restored), outcome
    assert outcome.memory.citation == at(citation, 2)
    assert holds(way, at(citation, 1)) == (f"{OLD} {loss}", "active", 2)
    edited = way.client.revise(at(citation, 2), NEW)
    assert isinstance(edited, Revised)
    way.lose(LOSSES[loss])
    undone = way.client.restore(at(citation, 3), 1)
    assert isinstance(undone, Restored), undone
    assert holds(way, at(citation, 1)) == (f"{OLD} {loss}", "active", 4)


@each_case("blocking", [True, False])
@each_case("moment", MOMENTS)
def test_cut_off_at_any_moment(way: Way, moment: float, blocking: bool) -> None:
    """The first request may still be at work when it is sent again."""
    citation = saved(way.client, f"{OLD} {moment} {blocking}")
    way.lose(way.cut_after(moment))
    outcome = revised(way.client, citation, blocking)
    assert isinstance(outcome, Revised), outcome
    way.settled()
    assert holds(way, at(citation, 1)) == (NEW, "active", 2)
    assert outcome.memory.citation == at(citation, 2)
    way.lose(way.cut_after(moment))
    ended = forgotten(way.client, at(citation, 2), blocking)
    assert isinstance(ended, Forgotten), ended
    way.settled()
    assert holds(way, at(citation, 1)) == (NEW, "forgotten", 2)


@each_case("moment", MOMENTS)
def test_cut_off_while_another_client_changes_it(
    way: Way, powercontext_141: PowerContextServer, moment: float
) -> None:
    """Whose change it was that happened is told by what the server holds then."""
    theirs = "Theirs, and not ours."
    for change in (revised, forgotten):
        citation = saved(way.client, f"{OLD} {moment} {change.__name__}")
        way.lose(way.cut_after(moment))
        with (
            connect(powercontext_141, way.scope_id) as other,
            ThreadPoolExecutor(2) as threads,
        ):
            one = threads.submit(change, way.client, citation, True)
            their = threads.submit(other.revise, citation, theirs).result()
            ours = one.result()
        way.settled()
        text, state, count = holds(way, at(citation, 1))
        assert isinstance(their, Revised | Conflict), their
        assert isinstance(ours, Revised | Forgotten | Conflict), ours
        assert isinstance(their, Revised) == (text == theirs)
        assert isinstance(ours, Revised) == (text == NEW)
        assert isinstance(ours, Forgotten) == (state == "forgotten")
        assert count == 1 + isinstance(their, Revised) + isinstance(ours, Revised)


@pytest.mark.parametrize("blocking", [True, False], ids=["threads", "tasks"])
def test_twenty_at_once(way: Way, blocking: bool) -> None:
    """Each is told one thing, and all of them together what the server holds. What is raised, because a busy database
    refused the look before the change, has changed nothing."""
    citation = saved(way.client)
    texts = [f"{NEW} {number}" for number in range(10)]
    if blocking:
        ready = threading.Barrier(20)

        def one(call: Callable[[], Any]) -> Any:
            ready.wait()
            try:
                return call()
            except ServerError as error:
                return error

        edits = [lambda text=text: way.client.revise(citation, text) for text in texts]
        wishes = [lambda: way.client.forget(citation)] * 10
        with ThreadPoolExecutor(20) as threads:
            outcomes = list(threads.map(one, [*edits, *wishes]))
    else:

        async def all_at_once() -> list[Any]:
            edits = [way.client.arevise(citation, text) for text in texts]
            wishes = [way.client.aforget(citation) for _ in range(10)]
            return list(await asyncio.gather(*edits, *wishes, return_exceptions=True))

        outcomes = asyncio.run(all_at_once())
    text, state, count = holds(way, at(citation, 1))
    told = Counter(type(outcome).__name__ for outcome in outcomes)
    winners = [text for text, one in zip(texts, outcomes, strict=False) if isinstance(one, Revised)]
    assert told.total() == 20
    assert told.keys() <= {"Revised", "Forgotten", "Conflict", "ServerError"}, told
    assert winners == ([] if text == OLD else [text])
    assert count == 1 + len(winners)
    assert (told["Forgotten"] > 0) == (state == "forgotten")
    assert told["Revised"] + told["Forgotten"] > 0


# --- servers up to 1.2.0 ------------------------------------------------------------------------------------------


@each_case("blocking", [True, False])
@each_case("loss", LOSSES)
def test_a_lost_change_of_an_entry_is_told_right(way_120: Way, loss: str, blocking: bool) -> None:
    way = way_120
    citation = saved(way.client, f"{OLD} {loss} {blocking}")
    way.lose(LOSSES[loss])
    outcome = revised(way.client, citation, blocking)
    assert isinstance(outcome, Revised), outcome
    assert outcome.memory.text == NEW
    assert [one.text for one in way.client.list_memories()] == [NEW]
    way.lose(LOSSES[loss])
    ended = forgotten(way.client, outcome.memory.citation, blocking)
    assert isinstance(ended, Forgotten), ended
    assert isinstance(ended.memory.citation, EntryCitation)
    assert list(way.client.list_memories()) == []
