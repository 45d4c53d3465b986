# SPDX-License-Identifier: Apache-2.0
"""NOT PART OF THE PRODUCT: the engine that was designed first and not kept, so that the choice stays measurable.

A synchronous ``httpcore.ConnectionPool`` whose network backend clamps connect, TLS, every read and every write to one
absolute moment. The moment travels in the request's ``timeout`` extension, where httpcore expects seconds.
Names, addresses and TLS context are the product's own. Its fork guard, its closing within a budget and its certainty
whether a byte was sent are not here: all that only makes the comparison kinder to it.
"""

from __future__ import annotations

import select
import socket
import ssl
from collections.abc import Iterable
from typing import Any

import httpcore

from powercontext_deerflow.deadline import Deadline, now
from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.settings import Settings
from powercontext_deerflow.transport.answers import MAX_BODY
from powercontext_deerflow.transport.network import Resolver
from powercontext_deerflow.transport.pool import MAX_CONNECTIONS
from powercontext_deerflow.transport.tls import context as tls_context
from powercontext_deerflow.version import VERSION

_KEEP_ALIVE = 4.0


def _left(moment: float | None) -> float:
    left = (moment or 0.0) - now()
    if left <= 0:
        raise httpcore.ReadTimeout
    return left


class _Stream(httpcore.NetworkStream):
    """One socket; every ``timeout`` is a moment on the monotonic clock."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            self._socket.settimeout(_left(timeout))
            return self._socket.recv(max_bytes)
        except TimeoutError:
            raise httpcore.ReadTimeout from None
        except OSError:
            raise httpcore.ReadError from None

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        rest = memoryview(buffer)
        try:
            while rest:
                self._socket.settimeout(_left(timeout))
                rest = rest[self._socket.send(rest) :]
        except TimeoutError:
            raise httpcore.WriteTimeout from None
        except OSError:
            raise httpcore.WriteError from None

    def close(self) -> None:
        self._socket.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        secured = ssl_context.wrap_socket(
            self._socket, server_hostname=server_hostname, do_handshake_on_connect=False
        )
        self._socket = secured
        try:
            secured.settimeout(_left(timeout))
            secured.do_handshake()
        except TimeoutError:
            secured.close()
            raise httpcore.ConnectTimeout from None
        except OSError:
            secured.close()
            raise httpcore.ConnectError from None
        return self

    def get_extra_info(self, info: str) -> Any:  # as httpcore declares it
        if info != "is_readable":
            return None
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        return bool(poll.poll(0))


class _Backend(httpcore.NetworkBackend):
    def __init__(self) -> None:
        self._resolver = Resolver()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,  # noqa: ARG002 - httpcore's signature
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        moment = Deadline(timeout or 0.0)
        try:
            addresses = self._resolver.addresses(host, port, moment)
        except TransportError as error:
            raise httpcore.ConnectTimeout(error.code) from None
        for position, (family, kind, protocol, _, where) in enumerate(addresses):
            dialled = socket.socket(family, kind, protocol)
            try:
                share = moment.sooner(1 / (len(addresses) - position)).remaining()
                dialled.settimeout(share or 1e-6)
                dialled.connect(where)
                dialled.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError:
                dialled.close()
                continue
            return _Stream(dialled)
        raise httpcore.ConnectTimeout if moment.expired else httpcore.ConnectError


class PoolEngine:
    """``exchange`` as the product's Engine has it, over httpcore's pool."""

    def __init__(self, settings: Settings) -> None:
        self._url = settings.base_url
        https = self._url.startswith("https")
        self._pool = httpcore.ConnectionPool(
            ssl_context=tls_context(settings.ca_file) if https else None,
            max_connections=MAX_CONNECTIONS,
            keepalive_expiry=_KEEP_ALIVE,
            network_backend=_Backend(),
        )
        self._headers = [
            ("Accept", "application/json"),
            ("Accept-Encoding", "identity"),
            ("Authorization", f"Bearer {settings.token.reveal()}"),
            ("User-Agent", f"powercontext-deerflow/{VERSION}"),
            ("Content-Type", "application/json"),
        ]

    def exchange(self, path: str, body: bytes, deadline: Deadline) -> bytes:
        """The body of the answer. Raises httpcore's exceptions, or ValueError for one over the cap."""
        moment = now() + deadline.remaining()
        timeout = {"connect": moment, "read": moment, "write": moment}
        chunks, size = [], 0
        with self._pool.stream(
            "POST",
            self._url + path,
            headers=[*self._headers, ("Content-Length", str(len(body)))],
            content=body,
            extensions={"timeout": {**timeout, "pool": deadline.remaining()}},
        ) as response:
            for chunk in response.iter_stream():
                size += len(chunk)
                if size > MAX_BODY:
                    raise ValueError("answer_too_large")
                chunks.append(chunk)
        return b"".join(chunks)

    def close(self) -> None:
        self._pool.close()
