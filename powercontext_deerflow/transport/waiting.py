# SPDX-License-Identifier: Apache-2.0
"""How an exchange waits for its socket: a thread blocks, a task of an event loop does not.

The exchange itself is written once, over either.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Awaitable, Callable, Collection
from typing import TYPE_CHECKING, Final, TypeVar

from powercontext_deerflow.deadline import Deadline

if TYPE_CHECKING:
    import asyncio

S = TypeVar("S", bound=socket.socket)
READ: Final = 1
WRITE: Final = 4
"""As ``select.POLLIN`` and ``POLLOUT``, which a process that eventlet patched does not have."""
Wait = Callable[[int], Awaitable[None]]
"""Until the socket is ready to ``READ`` or ``WRITE``. Raises TimeoutError at the deadline, and after it even if the
socket is ready."""


def ready(sockets: Collection[S], events: int, seconds: float) -> list[S]:
    """Those of ``sockets`` that are ready to ``READ`` or ``WRITE``, or broken, after at most ``seconds``."""
    if not hasattr(select, "poll"):
        reading, writing = (sockets, ()) if events == READ else ((), sockets)
        found = select.select(reading, writing, sockets, seconds)
        return list({*found[0], *found[1], *found[2]})
    poll = select.poll()
    for one in sockets:
        poll.register(one, events)
    numbers = {number for number, _ in poll.poll(seconds * 1000)}
    return [one for one in sockets if one.fileno() in numbers]


def blocking(connected: socket.socket, deadline: Deadline) -> Wait:
    """Holds its thread; a coroutine that awaits only this one ends at its first step."""

    async def wait(events: int) -> None:
        left = deadline.remaining()
        if not (left and ready((connected,), events, left)):
            raise TimeoutError

    return wait


def on_the_loop(connected: socket.socket, deadline: Deadline) -> Wait:
    """Leaves the running event loop to others."""
    import asyncio  # imported here, so that synchronous callers do not pay for it

    loop = asyncio.get_running_loop()

    async def wait(events: int) -> None:
        left = deadline.remaining()
        if not (left and await _readiness(loop, connected, events, left)):
            raise TimeoutError

    return wait


async def _readiness(
    loop: asyncio.AbstractEventLoop, connected: socket.socket, events: int, seconds: float
) -> bool:
    settled: asyncio.Future[bool] = loop.create_future()
    reads = events == READ
    watch, leave = (
        (loop.add_reader, loop.remove_reader) if reads else (loop.add_writer, loop.remove_writer)
    )
    watch(connected, _settle, settled, True)
    timer = loop.call_later(seconds, _settle, settled, False)
    try:
        return await settled
    finally:
        timer.cancel()
        leave(connected)


def _settle(settled: asyncio.Future[bool], outcome: bool) -> None:
    if not settled.done():
        settled.set_result(outcome)
