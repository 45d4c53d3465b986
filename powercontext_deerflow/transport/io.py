# SPDX-License-Identifier: Apache-2.0
"""How an operation reaches the server, and how its caller waits.

Every operation is written once, as a coroutine over ``IO``. A synchronous method runs it to its end with ``Blocking``,
under which it never suspends; an asynchronous one awaits it with ``OnLoop``, which leaves the event loop to others.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Protocol, TypeVar

from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.transport.answers import Answer
from powercontext_deerflow.transport.connection import Sealed
from powercontext_deerflow.transport.engine import Engine
from powercontext_deerflow.transport.waiting import READ, ready

T = TypeVar("T")


class IO(Protocol):
    """What an operation may wait for."""

    async def exchange(
        self,
        method: str,
        path: str,
        body: Sealed,
        deadline: Deadline,
        extra_headers: Sequence[tuple[str, str]] = (),
    ) -> Answer:
        """One request, sent once, and its whole answer. Raises TransportError."""

    async def pause(self, seconds: float) -> None:
        """Let ``seconds`` pass."""

    async def compute(self, call: Callable[[], T], deadline: Deadline) -> T:
        """``call()``, which may take longer than an event loop should stand. Raises what it raises, and TransportError
        if it could not be made by the deadline.
        """


class Blocking:
    """``IO`` that holds the caller's thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def exchange(
        self,
        method: str,
        path: str,
        body: Sealed,
        deadline: Deadline,
        extra_headers: Sequence[tuple[str, str]] = (),
    ) -> Answer:
        return self._engine.exchange(method, path, body, deadline, extra_headers)

    async def pause(self, seconds: float) -> None:
        ready((), READ, seconds)

    async def compute(self, call: Callable[[], T], deadline: Deadline) -> T:  # noqa: ARG002 - it begins at once
        return call()


class OnLoop:
    """``IO`` for the running event loop."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def exchange(
        self,
        method: str,
        path: str,
        body: Sealed,
        deadline: Deadline,
        extra_headers: Sequence[tuple[str, str]] = (),
    ) -> Answer:
        return await self._engine.aexchange(method, path, body, deadline, extra_headers)

    async def pause(self, seconds: float) -> None:
        import asyncio  # imported here, so that synchronous callers do not pay for it

        await asyncio.sleep(seconds)

    async def compute(self, call: Callable[[], T], deadline: Deadline) -> T:
        try:
            return await self._engine.workers.run(call, deadline)
        except TransportError as error:
            # What is computed comes of an answer, so a request was sent.
            raise TransportError(error.code, sent=True) from None


def run(operation: Callable[[], Coroutine[object, object, T]]) -> T:
    """The result of an operation over ``Blocking``, in the caller's thread.

    The coroutine is made here, because a signal handler that raises before it is begun would leave one that complains.
    """
    try:
        operation().send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    raise RuntimeError("an operation of a thread waited for an event loop")
