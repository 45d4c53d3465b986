# SPDX-License-Identifier: Apache-2.0
"""The one engine that every request of this package goes through: its messages, its pool, its threads, its end.

An exchange is written once and waits for its socket on a thread or on an event loop. Deadlines end at the socket:
cancelling a request from outside leaves connections in a state that nobody knows. Nothing is opened before the first
exchange.
"""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from urllib.parse import urlsplit

import h11

from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import ConfigurationError, TransportError
from powercontext_deerflow.fork import tell_after_fork
from powercontext_deerflow.settings import Settings
from powercontext_deerflow.transport.answers import Answer
from powercontext_deerflow.transport.connection import Connection, Message, Sealed
from powercontext_deerflow.transport.network import Resolver, connect
from powercontext_deerflow.transport.pool import MAX_CONNECTIONS, Pool, useful_rest
from powercontext_deerflow.transport.threads import Workers
from powercontext_deerflow.transport.tls import context
from powercontext_deerflow.version import VERSION


class Engine:
    """Exchanges with one origin, with one credential, each by an absolute deadline and under a cap.

    Thread-safe and fork-safe. No redirects, cookies, proxies, netrc or environment. Raises ConfigurationError
    ``ca_file_unreadable``.
    """

    def __init__(self, settings: Settings) -> None:
        self.workers = Workers(MAX_CONNECTIONS, "no_connection_free")
        """Threads for what would block an event loop."""
        url = urlsplit(settings.base_url)
        self._host = url.hostname or ""
        self._port = url.port or (443 if url.scheme == "https" else 80)
        self._prefix = url.path
        self._is_secure = url.scheme == "https"
        self._ca_file = settings.ca_file
        self._tls: ssl.SSLContext | None = None
        with suppress(TransportError):  # there is no descriptor now to read the roots with; later
            self._tls = context(self._ca_file) if self._is_secure else None
        self._netloc = url.netloc
        self._always = _always(url.netloc, settings)
        self._begin()
        tell_after_fork(self)

    def _begin(self) -> None:
        self.pool = Pool()
        self._resolver = Resolver()

    def after_fork(self) -> None:
        inherited = self.pool
        self._begin()
        self.pool.closed = inherited.closed
        inherited.abandon()

    def exchange(
        self,
        method: str,
        path: str,
        body: Sealed,
        deadline: Deadline,
        extra_headers: Sequence[tuple[str, str]] = (),
    ) -> Answer:
        """One request, sent once, and its whole answer, whatever its status.

        ``path`` is below the base URL and may carry a query; ``body`` is JSON or empty. Raises TransportError.
        """
        return self._exchange(self._message(method, path, body, extra_headers), deadline)

    def _exchange(self, message: Message, deadline: Deadline) -> Answer:
        pool = self.pool  # in a forked child, another one
        use = pool.use(deadline)
        try:
            use.user = pool.waiting_connection() or self._new_connection(deadline)
            if pool.closed:  # too late for `close` to see it
                raise TransportError("closed", sent=False)
            return use.user.exchange(message, deadline)
        finally:
            pool.give_back(use)

    async def aexchange(
        self,
        method: str,
        path: str,
        body: Sealed,
        deadline: Deadline,
        extra_headers: Sequence[tuple[str, str]] = (),
    ) -> Answer:
        """As ``exchange``, without blocking the event loop: on it if a connection is open, else on a thread."""
        message = self._message(method, path, body, extra_headers)
        pool = self.pool
        use = pool.use_of_idle()
        if use is None or use.user is None:
            useful = useful_rest(deadline)
            return await self.workers.run(lambda: self._begun(message, deadline, useful), deadline)
        try:
            return await use.user.aexchange(message, deadline)
        finally:
            pool.give_back(use)

    def _begun(self, message: Message, deadline: Deadline, useful: float) -> Answer:
        """``_exchange``, unless it waited too long for its thread."""
        if deadline.remaining() < useful:
            raise TransportError("no_connection_free", sent=False)
        return self._exchange(message, deadline)

    def _message(
        self, method: str, path: str, body: Sealed, extra_headers: Sequence[tuple[str, str]]
    ) -> Message:
        request, head = _request(method, self._prefix + path, self._netloc, *extra_headers)
        return Message(request, head, self._always, body)

    def _new_connection(self, deadline: Deadline) -> Connection:
        if self._is_secure and self._tls is None:
            try:
                self._tls = context(self._ca_file)
            except ConfigurationError:
                raise TransportError("ca_file_unreadable", sent=False) from None
        return Connection(connect(self._resolver, self._host, self._port, self._tls, deadline))

    def close(self, budget: float = 2.0) -> None:
        """Refuse new exchanges, let those in flight end within ``budget`` seconds, then cut them off. Idempotent."""
        self.pool.close(budget)
        self.workers.close()


def _always(netloc: str, settings: Settings) -> Sealed:
    """The header lines of every request, checked and written by h11 once, without ``Host`` and the last, empty line."""
    headers = [
        ("Host", netloc),
        ("Accept", "application/json"),
        ("Accept-Encoding", "identity"),
        ("Authorization", f"Bearer {settings.token.reveal()}"),
        ("User-Agent", f"powercontext-deerflow/{VERSION}"),
    ]
    request = h11.Request(method="GET", target="/", headers=headers)
    return Sealed((h11.Connection(h11.CLIENT).send(request) or b"").split(b"\r\n", 2)[2][:-2])


@lru_cache(maxsize=64)
def _request(
    method: str, target: str, host: str, *extra: tuple[str, str]
) -> tuple[h11.Request, bytes]:
    """What h11 checks of a request, and how it writes it, for few targets again and again; no credential, and it is
    told of no body.
    """
    request = h11.Request(method=method, target=target, headers=[("Host", host), *extra])
    return request, (h11.Connection(h11.CLIENT).send(request) or b"")[:-2]
