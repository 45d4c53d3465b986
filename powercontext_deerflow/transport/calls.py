# SPDX-License-Identifier: Apache-2.0
"""A call for another thread, and those who wait for it, each by its own deadline and by locks of C only."""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from powercontext_deerflow.codes import TransportCode
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.transport.waiting import LATE, READY, is_ready

T = TypeVar("T")
_GRACE = 1.0
"""Seconds that a call which has begun may end after its deadline before its waiter stops waiting."""


class Call(Generic[T]):
    """A call that is made once on some thread, or taken back before it begins; and what it came to."""

    def __init__(
        self,
        call: Callable[[], T],
        deadline: Deadline,
        key: object = None,
        late: Callable[[], TransportCode] = lambda: "answer_timeout",
    ) -> None:
        self._call: Callable[[], T] | None = call
        self._late = late
        self.deadline = deadline
        self.key = key
        """What makes two calls one, if anything does."""
        # Whoever takes this decides: a thread that begins, or a waiter that takes the call back.
        self._turn = [None]
        self._taken_back = False
        self._done = False
        self._result: list[T] = []
        self._error: BaseException | None = None
        self._listeners: list[Callable[[T], object]] = []
        self._bells: list[Callable[[], object]] = []

    @property
    def done(self) -> bool:
        """Whether it was made and has ended."""
        return self._done

    @property
    def open_to_others(self) -> bool:
        """Whether another caller may wait for it, too: it is pending, and it will not be found too late to begin."""
        return self.pending and not (self._turn and self.deadline.expired)

    @property
    def pending(self) -> bool:
        """Whether it will end, or can: it was neither made nor taken back yet."""
        return not self._done and not self._taken_back

    def carry_out(self) -> None:
        """Make the call, unless it was taken back. Never raises."""
        call, self._call = self._call, None
        if call is None or not self._decide():
            return
        try:
            self._result.append(call())
            self._tell()
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits
            self._error = error
        self._done = True
        self._ring()
        self._tell()

    def listen(self, listener: Callable[[T], object]) -> None:
        """Tell ``listener`` the result, once, before anybody stops waiting for it; nothing if there is none."""
        self._listeners.append(listener)
        if self._done:
            self._tell()

    def _tell(self) -> None:
        while self._listeners and self._result:
            # Somebody else tells it; or a listener fails, which is not the call's failure.
            with suppress(Exception):
                self._listeners.pop()(self._result[0])

    def _ring(self) -> None:
        while self._bells:
            with suppress(RuntimeError):  # an event loop that was closed meanwhile
                self._bells.pop()()

    def take_back(self) -> bool:
        """Whether the call was not begun, and now never will be."""
        if self._decide():
            self._taken_back, self._call = True, None
            self._ring()
        return self._taken_back

    def _decide(self) -> bool:
        try:
            self._turn.pop()
        except IndexError:
            return False
        return True

    def wait(self, seconds: float) -> bool:
        """Whether it ended within ``seconds``; sooner if it is taken back."""
        bell = allocate_lock()
        bell.acquire()
        self._bells.append(bell.release)
        if self.pending:  # looked at after the bell is hung up, so that none is missed
            bell.acquire(timeout=seconds)
        return self._done

    async def awaited(self, seconds: float) -> bool:
        """As ``wait``, without blocking the event loop."""
        import asyncio  # imported here, so that synchronous callers do not pay for it

        loop = asyncio.get_running_loop()
        over: asyncio.Future[bool] = loop.create_future()
        self._bells.append(lambda: loop.call_soon_threadsafe(over.cancel, READY))
        if self.pending:
            timer = loop.call_later(seconds, over.cancel, LATE)
            try:
                await is_ready(over)
            finally:
                timer.cancel()
        return self._done

    def result(self) -> T:
        """What the call returned, or raises what it raised. It must be done."""
        if self._error is not None:
            raise self._error
        return self._result[0]

    def outcome(self) -> T:
        """The result, waited for until the deadline. Raises TransportError if no thread has begun with it by then."""
        if not self.wait(self.deadline.remaining()):
            self._end_of_waiting()
            self.wait(_GRACE)
        return self._checked()

    async def aoutcome(self) -> T:
        """As ``outcome``, without blocking the event loop."""
        if not await self.awaited(self.deadline.remaining()):
            self._end_of_waiting()
            await self.awaited(_GRACE)
        return self._checked()

    def _end_of_waiting(self) -> None:
        if self.take_back():
            raise TransportError(self._late(), sent=False)

    def _checked(self) -> T:
        if not self._done:
            raise TransportError("answer_timeout", sent=True)
        return self.result()
