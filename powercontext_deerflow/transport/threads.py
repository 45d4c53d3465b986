# SPDX-License-Identifier: Apache-2.0
"""Calls on threads of our own: for saves that go one at a time, for names, and for what would block an event loop.

Not ``threading.Thread`` and ``concurrent.futures``. Their threads or those who wait for them stand on conditions, whose
locks are taken by Python code: an exception of a signal handler in the main thread can leave such a lock held, and the
thread on the other side then stands for ever. An executor's threads are also joined when the interpreter exits, so a
stalled server would delay the exit of the process.
"""

from __future__ import annotations

from _thread import start_new_thread
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar
from weakref import ref

from powercontext_deerflow.codes import TransportCode
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.fork import tell_after_fork
from powercontext_deerflow.transport.calls import Call
from powercontext_deerflow.transport.places import Place, Places

T = TypeVar("T")
_IDLE_SECONDS = 5.0


def on_a_thread(call: Callable[[], object]) -> None:
    """Begin ``call`` on a daemon thread of its own. Raises TransportError ``no_thread`` if the system refuses one."""
    try:
        start_new_thread(call, ())
    except (RuntimeError, MemoryError):
        pass
    else:
        return
    raise TransportError("no_thread", sent=False)


class Workers:
    """At most ``size`` daemon threads, made on demand, that make calls in the order of their submission."""

    def __init__(self, size: int, busy: TransportCode) -> None:
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
            others = (other for other in self.pending() if other.key == key)
            first = next((other for other in others if other.open_to_others), queued)
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

    def _why_late(self) -> TransportCode:
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
                # For the calls behind this one; without another thread they wait for this one.
                with suppress(TransportError):
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
