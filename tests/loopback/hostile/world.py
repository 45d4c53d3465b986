# SPDX-License-Identifier: Apache-2.0
"""What every test of the hostile world speaks of: the four calls of the SDK, a server that turns, a healthy answer."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from unittest import mock

from powercontext_deerflow import (
    PowerContext,
    Recall,
    Recalled,
    RecallFailed,
    Saved,
    SaveNotSent,
    SaveOutcome,
    SaveUnknown,
    Secret,
    Settings,
    TransportError,
)
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.transport import connection
from powercontext_deerflow.transport.pool import MAX_CONNECTIONS
from powercontext_deerflow.transport.threads import Workers
from tests.support import bound
from tests.support.answers import (
    NO_HITS,
    NOT_FOUND,
    PREPARE,
    REMEMBER,
    SEARCH,
    TEXT,
    confirmed,
    prepared,
)
from tests.support.servers.hostile import HostileServer
from tests.support.servers.loopback import Behaviour, Connection, Request, http_answer

SCOPE = "scp_hostile"
TOKEN = "token-of-the-hostile-world"
SLACK = 0.25
"""Seconds that a call may end after its deadline."""

Outcome = Recall | SaveOutcome


@dataclass(frozen=True)
class Timed:
    outcome: Outcome
    seconds: float


@dataclass(frozen=True)
class Call:
    """One of the four ways into the SDK."""

    name: str
    opened: bool = False
    """Over a connection that is open already: then an asynchronous recall is carried out on the event loop itself."""

    @property
    def id(self) -> str:
        return self.name + (" over an open connection" if self.opened else "")

    @property
    def saves(self) -> bool:
        return self.name.endswith("remember")

    @property
    def is_async(self) -> bool:
        return self.name.startswith("a")

    def deadline(self, client: PowerContext) -> float:
        settings = client.settings
        return settings.remember_timeout_seconds if self.saves else settings.recall_timeout_seconds

    def begin(
        self, client: PowerContext, text: str = TEXT, seconds: float | None = None
    ) -> Coroutine[Any, Any, Outcome]:
        """For asynchronous calls, inside a running loop."""
        if self.opened:
            open_connection(client)
        by = _deadline(seconds)
        if self.saves:
            return client.aremember(text, deadline=by)
        return client.arecall(text, deadline=by)

    def __call__(
        self, client: PowerContext, text: str = TEXT, seconds: float | None = None
    ) -> Outcome:
        if self.is_async:
            return asyncio.run(self.begin(client, text, seconds))
        by = _deadline(seconds)
        if self.saves:
            return client.remember(text, deadline=by)
        return client.recall(text, deadline=by)

    def timed(self, client: PowerContext, text: str = TEXT) -> Timed:
        return self.all_at_once(client, [text])[0]

    def all_at_once(self, client: PowerContext, texts: list[str]) -> list[Timed]:
        """One call for each text: a thread each, or one task each on one loop."""
        if self.is_async:
            return asyncio.run(self._gather(client, texts))
        ready = threading.Barrier(len(texts))

        def one(text: str) -> Timed:
            ready.wait()
            started = time.monotonic()
            return Timed(self(client, text), time.monotonic() - started)

        with ThreadPoolExecutor(len(texts)) as threads:
            return list(threads.map(one, texts))

    async def _gather(self, client: PowerContext, texts: list[str]) -> list[Timed]:
        async def one(text: str) -> Timed:
            call = self.begin(client, text)  # whose opening of a connection is not the call's time
            started = time.monotonic()
            return Timed(await call, time.monotonic() - started)

        return list(await asyncio.gather(*map(one, texts)))

    def ends_in_time(self, client: PowerContext, text: str = TEXT) -> Outcome:
        timed = self.timed(client, text)
        assert timed.seconds <= self.deadline(client) + SLACK
        return timed.outcome

    def unanswered(self, code: Any, *, sent: bool = True, status: int | None = None) -> Outcome:
        """The outcome of this call when no usable answer came."""
        if not self.saves:
            return RecallFailed(code, status)
        return SaveUnknown(code, status) if sent else SaveNotSent(code)

    def succeeds(self, client: PowerContext, text: str = TEXT) -> None:
        """The server is healthy: this call works, within its deadline, and has its own answer."""
        outcome = self.ends_in_time(client, text)
        if self.saves:
            assert isinstance(outcome, Saved), outcome
            assert outcome.confirmed_by == "answer"
        else:
            assert isinstance(outcome, Recalled), outcome
            assert outcome.content == echo(client.settings.scope_id, text)


RECALLS = (Call("recall"), Call("arecall"), Call("arecall", opened=True))
SAVES = (Call("remember"), Call("aremember"))
CALLS = (*RECALLS, *SAVES)


def _deadline(seconds: float | None) -> Deadline | None:
    return None if seconds is None else Deadline.after(seconds)


_opening = threading.Lock()


def open_connection(client: PowerContext) -> None:
    """One that no exchange has used yet, unless one is idle or there are as many as there may be.

    A call of this thread opens it, and gives it back without having sent anything.
    """
    opener = threading.get_ident()

    def exchanged(opened: connection.Connection, *given: Any) -> Any:
        if threading.get_ident() != opener:
            return exchange(opened, *given)
        raise TransportError("closed", sent=False)

    def is_reusable(opened: connection.Connection) -> bool:
        return threading.get_ident() == opener or make_reusable(opened)

    with _opening:  # one at a time, or a stand-in would be taken for the original
        if client.connections.idle or client.connections.in_use == MAX_CONNECTIONS:
            return
        exchange = connection.Connection.exchange
        make_reusable = connection.Connection.make_reusable
        with (
            mock.patch.multiple(
                connection.Connection, exchange=exchanged, make_reusable=is_reusable
            ),
            suppress(TransportError),  # then the call itself will meet whatever is wrong
        ):
            client.check_scope(deadline=Deadline.after(0.1))


def settings(base_url: str, **given: Any) -> Settings:  # as loose as the keywords of Settings
    """Short deadlines."""
    short = {"recall_timeout_seconds": 0.4, "remember_timeout_seconds": 0.6}
    return bound.settings(base_url, **{"scope_id": SCOPE, "token": Secret(TOKEN), **short, **given})


class TurningServer(HostileServer):
    """A hostile server that can be told to behave otherwise."""

    def turn(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour

    def close_idle(self) -> None:
        """End every connection, as a server does with those that nobody uses."""
        with self._changed:
            for sock in self._sockets:
                with suppress(OSError):
                    socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def take_little(self) -> None:
        """From now on the kernel buffers next to nothing of what clients send."""
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)

    @property
    def open_connections(self) -> int:
        with self._changed:
            return len(self._sockets)


# --- healthy answers


def echo(scope_id: str, query: str) -> str:
    return f"{scope_id}|{query}"


def good_answer(request: Request) -> bytes:
    """What a healthy server says: recall echoes Scope and query, a save is confirmed, nothing is found."""
    if request.is_for(PREPARE):
        asked = request.json
        return http_answer(200, prepared(echo(asked["scope_id"], asked["query"])))
    if request.is_for(SEARCH):
        return http_answer(200, NO_HITS)
    if request.is_for(REMEMBER):
        return http_answer(200, confirmed(request.json["text"]))
    return http_answer(404, NOT_FOUND)


def healthy(connection: Connection, request: Request) -> None:
    connection.send(good_answer(request))


def healthy_after(seconds: float) -> Behaviour:
    """Healthy, but each answer takes its time; the end of the server does not wait for it."""

    def behave(connection: Connection, request: Request) -> None:
        if not connection.closing.wait(seconds):
            healthy(connection, request)

    return behave


def only(method_and_path: str, behaviour: Behaviour) -> Behaviour:
    """Healthy but for one operation."""

    def behave(connection: Connection, request: Request) -> None:
        (behaviour if request.is_for(method_and_path) else healthy)(connection, request)

    return behave


def held(behaviour: Behaviour, until: threading.Event) -> Behaviour:
    """``behaviour``, once the event is set."""

    def behave(connection: Connection, request: Request) -> None:
        while not until.wait(0.02):
            if connection.closing.is_set():
                return
        behaviour(connection, request)

    return behave


# --- threads, processes, waiting


def in_threads(count: int, call: Callable[[int], Any]) -> list[Any]:
    """``call(0)`` to ``call(count - 1)``, all at once."""
    ready = threading.Barrier(count)

    def one(number: int) -> object:
        ready.wait()
        return call(number)

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(one, range(count)))


def wait_until(holds: Callable[[], bool], within: float = 5.0) -> None:
    """For what sets no event of its own; AssertionError if it never holds."""
    deadline, tick = time.monotonic() + within, threading.Event()
    while not holds():
        assert time.monotonic() < deadline, "it never came about"
        tick.wait(0.005)


@dataclass(frozen=True)
class Noted:
    """The calls of one public method of a room of the package."""

    begun: list[tuple[Any, ...]]
    ended: list[Any]


@contextmanager
def noted(owner: type, method: str) -> Iterator[Noted]:
    calls, original = Noted([], []), getattr(owner, method)

    def note(*given: Any, **more: Any) -> Any:
        calls.begun.append(given)
        came = original(*given, **more)
        calls.ended.append(came)
        return came

    with mock.patch.object(owner, method, note):
        yield calls


@contextmanager
def noted_saves() -> Iterator[Noted]:
    """The saves that were submitted; the other calls on threads of the package are no business of theirs."""
    calls, submit = Noted([], []), Workers.submit

    def note(workers: Workers, call: Any, deadline: Deadline, key: object = None) -> Any:
        submitted = submit(workers, call, deadline, key)
        if key is not None:
            calls.ended.append(submitted)
        return submitted

    with mock.patch.object(Workers, "submit", note):
        yield calls


@contextmanager
def script(source: str, *args: str) -> Iterator[subprocess.Popen[str]]:
    """A Python process of its own, with pipes; killed if it outlives the block."""
    with subprocess.Popen(
        [sys.executable, "-c", source, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()
