# SPDX-License-Identifier: Apache-2.0
"""How an exchange waits for its socket: a thread blocks, a task of an event loop does not.

The exchange itself is written once, over either.
"""

from __future__ import annotations

import errno
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
READY: Final = "powercontext_deerflow: ready"
LATE: Final = "powercontext_deerflow: late"
Wait = Callable[[int], Awaitable[None]]
"""Until the socket is ready to ``READ`` or ``WRITE``. Raises TimeoutError at the deadline, and after it even if the
socket is ready."""


def ready(sockets: Collection[S], events: int, seconds: float) -> list[S]:
    """Those of ``sockets`` that are ready to ``READ`` or ``WRITE``, or broken, after at most ``seconds``."""
    if not hasattr(select, "poll"):
        reading, writing = (sockets, ()) if events == READ else ((), sockets)
        try:
            found = select.select(reading, writing, sockets, seconds)
        except ValueError:  # a number beyond what it can watch
            raise OSError(errno.EMFILE, "too many descriptors for select") from None
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
    number = (
        connected.fileno()
    )  # of a socket itself, the loop's selector would make a repr each time
    watch(number, settled.cancel, READY)
    timer = loop.call_later(seconds, settled.cancel, LATE)
    try:
        return await is_ready(settled)
    finally:
        timer.cancel()
        leave(number)


async def is_ready(future: asyncio.Future[bool]) -> bool:
    """Wait until a callback cancels ``future`` with the word ``READY`` or ``LATE``: which of them it was.

    Event loops swallow what a signal handler raises in a callback of Python's, and nobody would wake us then; the
    methods of a future are of C, and ``cancel`` may be called twice. Raises CancelledError if the task is cancelled.
    """
    import asyncio

    task = asyncio.current_task()
    before = task.cancelling() if task is not None else 0
    word = None
    try:
        await future
    except asyncio.CancelledError as cancelled:
        word = cancelled.args[0] if cancelled.args else None
        if word not in (READY, LATE) or (task is not None and task.cancelling() > before):
            raise
    return word == READY
