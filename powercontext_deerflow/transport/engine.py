# SPDX-License-Identifier: Apache-2.0
"""The one engine that every request of this package goes through: pool, bounds, fork, close (DESIGN 4).

Synchronous, because the host's hot path is a worker thread and because deadlines by cancelling asynchronous requests
poison a pool (facts: failure-classes B1). Nothing is opened before the first exchange.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import urlsplit

import h11

from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.fork import tell_after_fork
from powercontext_deerflow.settings import Settings
from powercontext_deerflow.transport.connection import Answer, Connection
from powercontext_deerflow.transport.network import Resolver, connect, tls_context
from powercontext_deerflow.version import VERSION
from powercontext_deerflow.workers import Workers

MAX_CONNECTIONS = 32
"""Connections at once; a further caller waits for one, by its own deadline."""


class Engine:
    """Exchanges with one origin, with one credential, each by an absolute deadline and under a cap.

    Thread-safe and fork-safe. No redirects, cookies, proxies, netrc or environment.
    """

    def __init__(self, settings: Settings) -> None:
        self.workers = Workers(MAX_CONNECTIONS, "powercontext-recall")
        """Threads for what would block an event loop."""
        url = urlsplit(settings.base_url)
        self._host = url.hostname or ""
        self._port = url.port or (443 if url.scheme == "https" else 80)
        self._prefix = url.path
        self._tls = tls_context(settings.ca_file) if url.scheme == "https" else None
        self._netloc = url.netloc
        always = [
            ("Accept", "application/json"),
            ("Accept-Encoding", "identity"),
            ("Authorization", f"Bearer {settings.token.reveal()}"),
            ("User-Agent", f"powercontext-deerflow/{VERSION}"),
        ]
        # Checked and written by h11 once: without the request line, ``Host`` and the empty line at the end.
        written = h11.Connection(h11.CLIENT).send(
            h11.Request(method="GET", target="/", headers=[("Host", url.netloc), *always])
        )
        self._always = (written or b"").split(b"\r\n", 2)[2][:-2]
        self._closed = False
        self._begin()
        tell_after_fork(self)

    def _begin(self) -> None:
        # Reentrant: a recall whose loop was closed may be collected, and give its slot back, while this is held.
        self._changed = threading.Condition()
        self._resolver = Resolver()
        self._idle: list[Connection] = []
        self._busy: set[Connection] = set()
        self._slots = 0

    def after_fork(self) -> None:
        for inherited in (*self._idle, *self._busy):
            inherited.close()  # only this process's copy of the descriptor
        self._begin()

    def exchange(
        self,
        method: str,
        path: str,
        body: bytes,
        deadline: Deadline,
        extra_headers: Sequence[tuple[str, str]] = (),
    ) -> Answer:
        """One request, sent once, and its whole answer, whatever its status.

        ``path`` is below the base URL and may carry a query; ``body`` is JSON or empty. Raises TransportError.
        """
        return self._exchange(self._message(method, path, body, extra_headers), deadline)

    def _exchange(self, message: tuple[h11.Request, bytes], deadline: Deadline) -> Answer:
        self._take_slot(deadline)
        connection: Connection | None = None
        try:
            connection = self._idle_connection() or self._new_connection(deadline)
            return connection.exchange(*message, deadline)
        finally:
            self._give_back(connection)

    async def aexchange(
        self,
        method: str,
        path: str,
        body: bytes,
        deadline: Deadline,
        extra_headers: Sequence[tuple[str, str]] = (),
    ) -> Answer:
        """As ``exchange``, without blocking the event loop: on it if a connection is open, else on a thread."""
        message = self._message(method, path, body, extra_headers)
        connection = self._reserved_idle()
        if connection is None:
            return await self.workers.run(lambda: self._exchange(message, deadline), deadline)
        try:
            return await connection.aexchange(*message, deadline)
        finally:
            self._give_back(connection)

    def _message(
        self, method: str, path: str, body: bytes, extra_headers: Sequence[tuple[str, str]]
    ) -> tuple[h11.Request, bytes]:
        request = _request(method, self._prefix + path, self._netloc, *extra_headers)
        more = self._always
        if body:
            more += b"Content-Type: application/json\r\nContent-Length: %d\r\n" % len(body)
        return request, more + b"\r\n" + body

    def _take_slot(self, deadline: Deadline) -> None:
        with self._changed:
            free = self._changed.wait_for(
                lambda: self._closed or self._slots < MAX_CONNECTIONS, deadline.remaining()
            )
            if self._closed or not free:
                raise TransportError("closed" if self._closed else "no_connection_free", sent=False)
            self._slots += 1

    def _reserved_idle(self) -> Connection | None:
        """An idle connection, and a slot for its use, if both can be had without waiting."""
        with self._changed:
            if self._closed or not self._idle or self._slots == MAX_CONNECTIONS:
                return None
            self._slots += 1
        connection = self._idle_connection()
        if connection is None:
            self._give_back(None)
        return connection

    def _idle_connection(self) -> Connection | None:
        while True:
            with self._changed:
                connection = self._idle.pop() if self._idle else None
                if connection is None:
                    return None
                self._busy.add(connection)
            if connection.is_fresh():
                return connection
            with self._changed:
                self._busy.discard(connection)
            connection.close()

    def _new_connection(self, deadline: Deadline) -> Connection:
        connected = connect(self._resolver, self._host, self._port, self._tls, deadline)
        connection = Connection(connected)
        with self._changed:
            if not self._closed:
                self._busy.add(connection)
                return connection
        connection.close()
        raise TransportError("closed", sent=False)

    def _give_back(self, connection: Connection | None) -> None:
        reusable = connection is not None and not self._closed and connection.make_reusable()
        with self._changed:
            if connection is None or connection in self._busy:  # else it is from before a fork
                self._slots -= 1
            if connection is not None:
                self._busy.discard(connection)
                if reusable and not self._closed:
                    self._idle.append(connection)
                    connection = None
            if self._closed:
                self._changed.notify_all()  # whoever closes waits for all slots
            else:
                self._changed.notify()
        if connection is not None:
            connection.close()

    def close(self, budget: float = 2.0) -> None:
        """Refuse new exchanges, let those in flight end within ``budget`` seconds, then cut them off. Idempotent."""
        deadline = Deadline.after(budget)
        with self._changed:
            self._closed = True
            idle, self._idle = self._idle, []
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._slots == 0, deadline.remaining())
            for connection in tuple(self._busy):
                connection.interrupt()
        for connection in idle:
            connection.close()
        self.workers.close()


@lru_cache(maxsize=64)
def _request(method: str, target: str, host: str, *extra: tuple[str, str]) -> h11.Request:
    """What h11 checks of a request, for few targets again and again; no credential, and it is told of no body."""
    return h11.Request(method=method, target=target, headers=[("Host", host), *extra])
