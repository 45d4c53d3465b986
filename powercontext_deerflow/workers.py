# SPDX-License-Identifier: Apache-2.0
"""A few daemon threads for asynchronous callers and for saves that go one at a time.

Not a ThreadPoolExecutor: that one's threads are joined when the interpreter exits, so a stalled server would delay
the exit of the process (facts: failure-classes B4).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeVar, cast

from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.fork import tell_after_fork

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")
Made = Callable[[], object]
"""What tells the caller of its outcome."""
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
        self._calls: SimpleQueue[Callable[[], Made] | None] = SimpleQueue()
        self._threads = 0
        self._free = 0  # threads without a call; below zero, calls without a thread

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """The future of ``call()``. Raises TransportError ``closed`` after ``close``."""
        future: Future[T] = Future()

        def make() -> Made:
            if not future.set_running_or_notify_cancel():
                return _nobody_waits
            outcome = _outcome(call)
            return lambda: _settle(future, *outcome)

        self._enqueue(make)
        return future

    async def run(self, call: Callable[[], T]) -> T:
        """The result of ``call()``, without blocking the event loop; not made if its caller is cancelled before.

        As ``await wrap_future(submit(call))``, but cheaper. Raises as ``submit`` and ``call`` do.
        """
        import asyncio  # whoever runs an event loop has it already

        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[T] = loop.create_future()

        def make() -> Made:
            if waiting.cancelled():
                return _nobody_waits
            outcome = _outcome(call)
            return lambda: loop.call_soon_threadsafe(_settle, waiting, *outcome)

        self._enqueue(make)
        return await waiting

    def _enqueue(self, make: Callable[[], Made]) -> None:
        with self._lock:
            if self._closed:
                raise TransportError("closed", sent=False)
            if self._free <= 0 and self._threads < self._size:
                threading.Thread(target=self._work, name=self._name, daemon=True).start()
                self._free += 1
                self._threads += 1
            self._free -= 1
            self._calls.put(make)

    def close(self) -> None:
        """Refuse further calls; those already submitted still run. Does not wait."""
        with self._lock:
            self._closed = True
            for _ in range(self._threads):
                self._calls.put(None)

    def _work(self) -> None:
        while (make := self._next()) is not None:
            made = make()
            with self._lock:
                self._free += 1
            with suppress(RuntimeError):  # an event loop that is closed: nobody waits any more
                made()  # last, so that whoever wakes by it does not find this thread in the way
            del make, made  # an idle thread keeps nothing of the last caller alive

    def _next(self) -> Callable[[], Made] | None:
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


def _nobody_waits() -> None:
    pass


def _outcome(call: Callable[[], T]) -> tuple[T | None, BaseException | None]:
    try:
        return call(), None
    except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits
        return None, error


def _settle(
    waiting: Future[T] | asyncio.Future[T], result: T | None, error: BaseException | None
) -> None:
    if waiting.done():
        return  # its caller was cancelled meanwhile
    if error is None:
        waiting.set_result(cast("T", result))
    else:
        waiting.set_exception(error)
