# SPDX-License-Identifier: Apache-2.0
"""A few daemon threads for asynchronous callers and for saves that go one at a time.

Not a ThreadPoolExecutor: that one's threads are joined when the interpreter exits, so a stalled server would delay
the exit of the process (facts: failure-classes B4).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import TypeVar

from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.fork import tell_after_fork

T = TypeVar("T")
_IDLE_SECONDS = 5.0


class Workers:
    """At most ``size`` threads, made on demand, that run calls in the order of their submission."""

    def __init__(self, size: int, name: str) -> None:
        self._size = size
        self._name = name
        self._closed = False
        self.after_fork()
        tell_after_fork(self)

    def after_fork(self) -> None:
        self._lock = threading.Lock()
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads = 0
        self._free = 0  # threads without a call; below zero, calls without a thread

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """The future of ``call()``. Raises TransportError ``closed`` after ``close``."""
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise TransportError("closed", sent=False)
            if self._free <= 0 and self._threads < self._size:
                threading.Thread(target=self._work, name=self._name, daemon=True).start()
                self._free += 1
                self._threads += 1
            self._free -= 1
            self._calls.put(lambda: _carry_out(call, future))
        return future

    async def run(self, call: Callable[[], T], deadline: Deadline) -> T:
        """The result of ``call()``, without blocking the event loop; ``call`` itself must end by ``deadline``.

        Raises as ``given_up`` says if no thread has begun with it by then; it is not made either if its caller is
        cancelled before. Otherwise raises as ``submit`` and ``call`` do.
        """
        import asyncio  # whoever runs an event loop has it already

        future = self.submit(call)
        waiting = asyncio.wrap_future(future)
        try:
            await asyncio.wait((waiting,), timeout=deadline.remaining())
            late = self.given_up(future)
            if late is not None:
                raise late
            return await waiting
        except asyncio.CancelledError:
            waiting.cancel()
            raise

    def given_up(self, future: Future[T]) -> TransportError | None:
        """Take back a call whose deadline has passed; why it was not made, or None if a thread has begun with it."""
        if not future.cancel():
            return None
        return TransportError(
            "no_connection_free" if self._free < 0 else "answer_timeout", sent=False
        )

    def close(self) -> None:
        """Refuse further calls; those already submitted still run. Does not wait."""
        with self._lock:
            self._closed = True
            for _ in range(self._threads):
                self._calls.put(None)

    def _work(self) -> None:
        while (carry_out := self._next()) is not None:
            carry_out()
            with self._lock:
                self._free += 1
            del carry_out  # an idle thread keeps nothing of the last caller alive

    def _next(self) -> Callable[[], None] | None:
        while True:
            try:
                return self._calls.get(timeout=_IDLE_SECONDS)
            except Empty:
                pass
            with self._lock:
                if self._free > 0:  # else a call is on its way
                    self._free -= 1
                    self._threads -= 1
                    return None


def _carry_out(call: Callable[[], T], future: Future[T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call()
    except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits
        future.set_exception(error)
    else:
        future.set_result(result)
