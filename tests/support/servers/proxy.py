# SPDX-License-Identifier: Apache-2.0
"""A recording reverse proxy that puts faults around a real server.

Clients talk to `proxy.base_url`. Without a fault every request is forwarded and its answer sent
back as it came; a fault decides what the client gets to see of what really happened behind it.
What it makes happen most: the server committed, and the answer was lost.
"""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.support.servers.hostile import answer
from tests.support.servers.loopback import (
    Behaviour,
    Connection,
    Headers,
    LoopbackServer,
    Request,
    http_head,
)

_UPSTREAM_SECONDS = 60.0
_PER_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "content-length"}


@dataclass(frozen=True)
class Exchange:
    """One request in the hands of a fault: forward it or not, answer it or not."""

    connection: Connection
    request: Request
    forward: Callable[[], bytes]
    """Sends the request to the real server and returns its answer as raw bytes."""


Fault = Callable[[Exchange], None]


class RecordingProxy(LoopbackServer):
    """`proxy.fault` picks the fault of each request; None forwards it faithfully."""

    def __init__(self, upstream_base_url: str) -> None:
        super().__init__(self._relay)
        upstream = urlsplit(upstream_base_url)
        assert upstream.hostname is not None
        self._upstream = (upstream.hostname, upstream.port or 80)
        self.fault: Callable[[Request], Fault | None] = lambda _: None

    def _relay(self, connection: Connection, request: Request) -> None:
        fault = self.fault(request) or _faithful
        fault(Exchange(connection, request, lambda: self._forward(request)))

    def _forward(self, request: Request) -> bytes:
        upstream = http.client.HTTPConnection(*self._upstream, timeout=_UPSTREAM_SECONDS)
        upstream.connect()
        sock = upstream.sock
        self._track(sock)
        try:
            upstream.putrequest(
                request.method, request.path, skip_host=True, skip_accept_encoding=True
            )
            for name, value in request.headers:
                if name not in _PER_CONNECTION:
                    upstream.putheader(name, value)
            upstream.putheader("connection", "close")
            if request.body:
                upstream.putheader("content-length", str(len(request.body)))
            upstream.endheaders(request.body or None)
            with upstream.getresponse() as got:
                body = got.read()
                kept = [(n, v) for n, v in got.getheaders() if n.lower() not in _PER_CONNECTION]
                return http_head(got.status, [*kept, ("content-length", str(len(body)))]) + body
        except http.client.HTTPException as failure:
            raise ConnectionError("the real server broke its answer off") from failure
        finally:
            self._untrack(sock)
            upstream.close()


def on(method_and_path: str, fault: Fault) -> Callable[[Request], Fault | None]:
    """`proxy.fault = on("POST /v1/memory/remember", lose_answer)`."""
    return lambda request: fault if request.is_for(method_and_path) else None


def refuse(exchange: Exchange) -> None:
    """Nothing reaches the real server; the client's connection is closed."""
    exchange.connection.close()


def lose_answer(exchange: Exchange) -> None:
    """The real server did its work; the client's connection is closed without an answer."""
    exchange.forward()
    exchange.connection.close()


def truncate(lost: int) -> Fault:
    """The last `lost` bytes of the real answer are missing, and the connection is closed."""

    def fault(exchange: Exchange) -> None:
        exchange.connection.send(exchange.forward()[:-lost])
        exchange.connection.close()

    return fault


def hold_until(event: threading.Event) -> Fault:
    """The real server did its work; the answer is sent when the event is set."""

    def fault(exchange: Exchange) -> None:
        got = exchange.forward()
        while not event.wait(0.02):
            if exchange.connection.closing.is_set():
                return
        exchange.connection.send(got)

    return fault


def replace(status: int, body: object = b"", headers: Headers = ()) -> Fault:
    """The real server did its work; the client gets another answer."""
    return forward_then(answer(status, body, headers))


def forward_then(behaviour: Behaviour) -> Fault:
    """The real server did its work; the client gets a hostile behaviour."""

    def fault(exchange: Exchange) -> None:
        exchange.forward()
        behaviour(exchange.connection, exchange.request)

    return fault


def instead(behaviour: Behaviour) -> Fault:
    """Nothing reaches the real server; the client gets a hostile behaviour."""
    return lambda exchange: behaviour(exchange.connection, exchange.request)


def _faithful(exchange: Exchange) -> None:
    exchange.connection.send(exchange.forward())
