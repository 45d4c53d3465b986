# SPDX-License-Identifier: Apache-2.0
"""The connections to one origin: at most so many in use, and a few that wait for their next use.

Whatever breaks off an exchange, also an exception of a signal handler, gives its place back, because the place dies
with the frame that holds it. A connection that waits is watched, so that one which the server closed does not stay.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.transport.connection import Connection
from powercontext_deerflow.transport.places import Place, Places
from powercontext_deerflow.transport.threads import on_a_thread

if TYPE_CHECKING:
    from _thread import LockType

MAX_CONNECTIONS: Final = 32
"""Connections at once; a further caller waits for one, by its own deadline."""
_LOOK_AGAIN: Final = 0.05
"""Seconds after which whoever waits looks by itself, because an interrupt may take the news away with it."""
_SWEEP: Final = 1.0
"""Seconds between two looks at the connections that wait."""
_USEFUL: Final = 0.02
"""Seconds of a deadline in which a request may still be answered; at most a tenth of what the caller brought."""

Use = Place[Connection]
"""One use of a connection; ``user`` is the connection once there is one."""


def useful_rest(deadline: Deadline) -> float:
    """Seconds that must be left of ``deadline``, after waiting, for it to be worth sending something."""
    return min(_USEFUL, deadline.remaining() / 10)


class Pool:
    """Thread-safe. Waits only for a place, in turn, and never beyond a deadline."""

    def __init__(self) -> None:
        self.closed = False
        self._uses: Places[Connection] = Places(MAX_CONNECTIONS)
        self._waiting: deque[LockType] = deque()
        self._idle: list[Connection] = []
        self._sweepers: Places[None] = Places(1)
        self._end_of_sweeping = allocate_lock()
        self._end_of_sweeping.acquire()

    @property
    def in_use(self) -> int:
        """Places that are taken."""
        return len(self._uses)

    @property
    def idle(self) -> int:
        """Connections that wait for their next use."""
        return len(self._idle)

    def use(self, deadline: Deadline) -> Use:
        """A place. Raises TransportError ``closed``, or ``no_connection_free`` if none came in useful time."""
        if not self._waiting and not self.closed:
            use = self._uses.take()
            if use is not None:
                return use
        return self._in_turn(deadline)

    def use_of_idle(self) -> Use | None:
        """A place with a connection, if both can be had without waiting."""
        if self.closed or self._waiting or not self._idle:
            return None
        use = self._uses.take()
        if use is None:
            return None
        use.user = self.waiting_connection()
        if use.user is None:
            self._free(use)
            return None
        return use

    def _in_turn(self, deadline: Deadline) -> Use:
        useful = useful_rest(deadline)
        bell = allocate_lock()
        bell.acquire()
        try:
            self._waiting.append(bell)
            while not self.closed:
                if self._waiting[0] is bell:
                    use = self._uses.take()
                    if use is not None:
                        return use
                left = deadline.remaining() - useful
                if left <= 0:
                    break
                bell.acquire(timeout=min(left, _LOOK_AGAIN))
        finally:
            # An interrupt may come as soon as it is there, so that must not be before `try`.
            if bell in self._waiting:
                self._waiting.remove(bell)
            self._ring()
        raise TransportError("closed" if self.closed else "no_connection_free", sent=False)

    def _ring(self) -> None:
        """Tell the next in turn; all of them once the pool is closed."""
        for bell in tuple(self._waiting)[: None if self.closed else 1]:
            with suppress(RuntimeError):  # it was rung before
                bell.release()

    def waiting_connection(self) -> Connection | None:
        """The one that waits and was used last, if the server did not close it."""
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:
                return None
            if connection.is_fresh():
                return connection
            connection.close()
        return None

    def give_back(self, use: Use) -> None:
        """End a use; its connection waits for the next one, or is closed."""
        connection, use.user = use.user, None
        if connection is not None:
            if not self.closed and connection.make_reusable():
                self._keep(connection)
            else:
                connection.close()
        self._free(use)

    def _free(self, use: Use) -> None:
        self._uses.give_back(use)
        if self._waiting:
            self._ring()

    def _keep(self, connection: Connection) -> None:
        self._idle.append(connection)
        if not len(self._sweepers):
            self._begin_to_sweep()
        if self.closed:
            self._drop_idle()

    def _begin_to_sweep(self) -> None:
        place = self._sweepers.take()
        if place is None:
            return
        held = [place]
        del place
        try:
            on_a_thread(lambda: self._sweep(held))
        except TransportError:  # nobody would see them go
            held.clear()
            self._drop_idle()

    def _sweep(self, held: list[Place[None]]) -> None:
        while held:
            self._end_of_sweeping.acquire(timeout=_SWEEP)
            for connection in list(self._idle):
                if not connection.is_fresh():
                    with suppress(ValueError):  # somebody takes it, and will see for itself
                        self._idle.remove(connection)
                        connection.close()
            if not self._idle:
                held.clear()  # first, and then look again: who keeps one now finds this thread, or none at all
                place = self._sweepers.take() if self._idle else None
                held += [place] if place is not None else []

    def _drop_idle(self) -> None:
        while self._idle:
            with suppress(IndexError):
                self._idle.pop().close()

    def close(self, budget: float) -> None:
        """Refuse new uses, let the others end within ``budget`` seconds, then cut them off. Idempotent."""
        deadline = Deadline.after(budget)
        self.closed = True
        self._drop_idle()
        with suppress(RuntimeError):  # it was told before
            self._end_of_sweeping.release()
        self._ring()
        self._wait_for_uses(deadline)
        for connection in self._uses.users():
            connection.interrupt()

    def _wait_for_uses(self, deadline: Deadline) -> None:
        bell = allocate_lock()
        bell.acquire()
        try:
            self._waiting.append(bell)
            while len(self._uses) and not deadline.expired:
                bell.acquire(timeout=min(deadline.remaining(), _LOOK_AGAIN))
        finally:
            if bell in self._waiting:
                self._waiting.remove(bell)

    def abandon(self) -> None:
        """In a forked child: close this process's copies of the descriptors, which the parent goes on using."""
        for connection in (*self._idle, *self._uses.users()):
            connection.close()
