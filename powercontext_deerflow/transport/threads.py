# SPDX-License-Identifier: Apache-2.0
"""Calls on threads of our own: for saves that go one at a time, for names, and for what would block an event loop.

Not ``threading.Thread`` and ``concurrent.futures``. Their threads or those who wait for them stand on conditions, whose
locks are taken by Python code: an exception of a signal handler in the main thread can leave such a lock held, and the
thread on the other side then stands for ever. An executor's threads are also joined when the interpreter exits, so a
stalled server would delay the exit of the process.
"""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar
from weakref import ref

from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.fork import tell_after_fork
from powercontext_deerflow.transport.places import Place, Places
from powercontext_deerflow.transport.waiting import has_result

T = TypeVar("T")
_IDLE_SECONDS = 5.0
_GRACE = 1.0
"""Seconds that a call which has begun may end after its deadline before its waiter stops waiting."""


def on_a_thread(call: Callable[[], object]) -> None:
    """Begin ``call`` on a daemon thread of its own. Raises TransportError ``no_thread`` if the system refuses one."""
    try:
        start_new_thread(call, ())
    except (RuntimeError, MemoryError):
        pass
    else:
        return
    raise TransportError("no_thread", sent=False)


class Call(Generic[T]):
    """A call that is made once on some thread, or taken back before it begins; and what it came to."""

    def __init__(
        self,
        call: Callable[[], T],
        deadline: Deadline,
        key: object = None,
        late: Callable[[], str] = lambda: "answer_timeout",
    ) -> None:
        self._call: Callable[[], T] | None = call
        self._late = late
        self.deadline = deadline
        self.key = key
        """What makes two calls one, if anything does."""
        self._turn = [
            None
        ]  # whoever takes this decides: a thread that begins, or a waiter that takes back
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
            with suppress(IndexError):  # somebody else tells it
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
        self._bells.append(lambda: loop.call_soon_threadsafe(over.cancel))
        if self.pending:
            timer = loop.call_later(seconds, over.cancel)
            try:
                await has_result(over)
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


class Workers:
    """At most ``size`` daemon threads, made on demand, that make calls in the order of their submission."""

    def __init__(self, size: int, busy: str) -> None:
        self._size = size
        self._busy = busy  # the code for a call that waited in vain for one of them
        self._closed = False
        self.after_fork()
        tell_after_fork(self)

    def after_fork(self) -> None:
        self._calls: SimpleQueue[Call[Any] | None] = SimpleQueue()
        self._threads: Places[None] = Places(self._size)
        self._idle: set[object] = set()  # threads that wait for a call
        self._submitted: dict[ref[Call[Any]], None] = {}

    def submit(self, call: Callable[[], T], deadline: Deadline, key: object = None) -> Call[T]:
        """``call``, queued; or the one of the same ``key``, if that is not None, that is pending already.

        Raises TransportError ``closed`` after ``close``, and ``no_thread``.
        """
        queued: Call[T] = Call(call, deadline, key, self._why_late)
        if self._closed:
            raise TransportError("closed", sent=False)
        self._submitted[ref(queued, self._submitted.__delitem__)] = None
        if key is not None:
            # Looked at after this one is entered: of two that come at once, both find the first.
            first = next((other for other in self.pending() if other.key == key), queued)
            if first is not queued:
                queued.take_back()
                return first
        self._calls.put(queued)
        try:
            self._see_to_a_thread()
        except TransportError:
            if not len(self._threads) and queued.take_back():
                raise
        return queued

    async def run(self, call: Callable[[], T], deadline: Deadline) -> T:
        """The result of ``call()``, without blocking the event loop; ``call`` itself must end by ``deadline``.

        It is not made if its caller is cancelled before a thread has begun with it. Raises as ``Call.outcome``,
        ``submit`` and ``call`` do.
        """
        queued = self.submit(call, deadline)
        try:
            return await queued.aoutcome()
        finally:
            queued.take_back()

    def _why_late(self) -> str:
        """Why no thread has begun with a call: all were busy, or there was only no time."""
        busy = len(self._threads) == self._size and not self._idle
        return self._busy if busy else "answer_timeout"

    def pending(self) -> list[Call[Any]]:
        """The calls submitted so far that have neither ended nor were taken back, in the order of their coming."""
        calls = [submitted() for submitted in list(self._submitted)]
        return [call for call in calls if call is not None and call.pending]

    def close(self) -> None:
        """Refuse further calls; those already submitted still run. Does not wait."""
        self._closed = True
        for _ in range(self._size):
            self._calls.put(None)

    def _see_to_a_thread(self) -> None:
        """Begin one more thread, if there may be one and more calls wait than threads."""
        if self._calls.qsize() <= len(self._idle):
            return
        place = self._threads.take()
        if place is not None:
            held = [place]
            del place
            try:
                on_a_thread(lambda: self._work(held))
            except TransportError:
                held.clear()  # now, not when the traceback goes
                raise

    def _work(self, held: list[Place[None]]) -> None:
        me = object()
        calls, idle = self._calls, self._idle  # in a forked child, others
        while True:
            idle.add(me)
            try:
                call = calls.get(timeout=_IDLE_SECONDS)
            except Empty:
                call = None
            idle.discard(me)
            if call is not None:
                with suppress(
                    TransportError
                ):  # for the calls behind this one; else they wait for this thread
                    self._see_to_a_thread()
                call.carry_out()
                del call  # an idle thread keeps nothing of the last caller alive
            elif self._closed or not self._goes_on(held):
                return

    def _goes_on(self, held: list[Place[None]]) -> bool:
        """Give the place back first, then look: a call that came meanwhile has found this thread, or none at all."""
        held.clear()
        if not self._calls.qsize():
            return False
        place = self._threads.take()
        if place is not None:
            held.append(place)
        return place is not None
