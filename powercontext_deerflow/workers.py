# SPDX-License-Identifier: Apache-2.0
"""A few daemon threads for asynchronous callers and for saves that go one at a time.

Not a ThreadPoolExecutor: that one's threads are joined when the interpreter exits, so a stalled server would delay
the exit of the process (facts: failure-classes B4).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

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
        self._changed = threading.Condition()
        self._calls: deque[tuple[Future[Any], Callable[[], Any]]] = deque()  # of any result type
        self._threads = 0
        self._idle = 0

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """The future of ``call()``. Raises TransportError ``closed`` after ``close``."""
        future: Future[T] = Future()
        with self._changed:
            if self._closed:
                raise TransportError("closed", sent=False)
            self._calls.append((future, call))
            if len(self._calls) <= self._idle:
                self._changed.notify()
            elif self._threads < self._size:
                self._threads += 1
                threading.Thread(target=self._work, name=self._name, daemon=True).start()
        return future

    def close(self) -> None:
        """Refuse further calls; those already submitted still run. Does not wait."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _work(self) -> None:
        while (taken := self._take()) is not None:
            future, call = taken
            if future.set_running_or_notify_cancel():
                try:
                    result = call()
                except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits for the future
                    future.set_exception(error)
                else:
                    future.set_result(result)
                    del result
            del taken, future, call  # an idle thread keeps nothing of the last caller alive

    def _take(self) -> tuple[Future[Any], Callable[[], Any]] | None:
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._calls or self._closed, timeout=_IDLE_SECONDS)
            self._idle -= 1
            if self._calls:
                return self._calls.popleft()
            self._threads -= 1
            return None
