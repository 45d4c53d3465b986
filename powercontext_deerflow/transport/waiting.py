# SPDX-License-Identifier: Apache-2.0
"""How an exchange waits for its socket until a deadline: a thread blocks, a task of an event loop does not.

The exchange itself is written once, over either.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, TypeVar

from powercontext_deerflow.deadline import Deadline

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")
Wait = Callable[[int], Awaitable[None]]
"""Until the socket is ready for ``select.POLLIN`` or ``POLLOUT``. Raises TimeoutError at the deadline, and after it
even if the socket is ready."""


def blocking(connected: socket.socket, deadline: Deadline) -> Wait:
    """Holds its thread; to be awaited in ``at_once``."""

    async def wait(events: int) -> None:
        poll = select.poll()
        poll.register(connected, events)
        left = deadline.remaining()
        if not (left and poll.poll(left * 1000)):
            raise TimeoutError

    return wait


def on_the_loop(connected: socket.socket, deadline: Deadline) -> Wait:
    """Leaves the running event loop to others."""
    import asyncio  # whoever runs an event loop has it already

    loop = asyncio.get_running_loop()

    async def wait(events: int) -> None:
        left = deadline.remaining()
        if not (left and await _readiness(loop, connected, events, left)):
            raise TimeoutError

    return wait


async def _readiness(
    loop: asyncio.AbstractEventLoop, connected: socket.socket, events: int, seconds: float
) -> bool:
    ready: asyncio.Future[bool] = loop.create_future()
    reads = events == select.POLLIN
    watch, leave = (
        (loop.add_reader, loop.remove_reader) if reads else (loop.add_writer, loop.remove_writer)
    )
    watch(connected, _settle, ready, True)
    timer = loop.call_later(seconds, _settle, ready, False)
    try:
        return await ready
    finally:
        timer.cancel()
        leave(connected)


def _settle(ready: asyncio.Future[bool], outcome: bool) -> None:
    if not ready.done():
        ready.set_result(outcome)


def at_once(steps: Coroutine[object, None, T]) -> T:
    """The result of ``steps``, which await nothing but ``blocking`` waits."""
    try:
        steps.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    raise RuntimeError("an exchange of a thread waited for an event loop")
