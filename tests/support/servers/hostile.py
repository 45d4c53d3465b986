# SPDX-License-Identifier: Apache-2.0
"""Servers that break HTTP in one named way each.

Every function makes a behaviour for `HostileServer`; drips and floods never end by themselves, so
only a client's own bound ends the call.
"""

from __future__ import annotations

import functools
import gzip
import itertools
from collections.abc import Mapping, Sequence

from tests.support.servers.loopback import (
    Bare,
    Behaviour,
    Connection,
    Headers,
    LoopbackServer,
    Request,
    http_answer,
    http_head,
)

_JSON = ("Content-Type", "application/json")
_CHUNKED = ("Transfer-Encoding", "chunked")
_HEADER_LINE = [bytes([byte]) for byte in b"X-Drip: drop\r\n"]


class HostileServer(LoopbackServer):
    """`with HostileServer(silent()) as server: ... server.base_url, server.requests`."""


def answer(status: int = 200, body: object = b"{}", headers: Headers = ()) -> Behaviour:
    """A well-formed answer; the connection stays open. A dict or list is sent as JSON."""
    return _send(http_answer(status, body, headers))


def by_path(routes: Mapping[str, Behaviour], otherwise: Behaviour | None = None) -> Behaviour:
    """One behaviour per `METHOD /path`; 404 for the rest unless `otherwise` says more."""
    rest = otherwise or answer(404, {"detail": "Not Found"})

    def behave(connection: Connection, request: Request) -> None:
        chosen = (route for name, route in routes.items() if request.is_for(name))
        next(chosen, rest)(connection, request)

    return behave


def in_turn(*behaviours: Behaviour) -> Behaviour:
    """The first request gets the first behaviour, and so on; the last one repeats."""
    turns = itertools.chain(behaviours, itertools.repeat(behaviours[-1]))
    return lambda connection, request: next(turns)(connection, request)


# --- silence and closed doors


def silent() -> Behaviour:
    """Reads the request and never answers."""
    return lambda connection, _: connection.hold()


def accept_then_close() -> Bare:
    """Closes before a byte was read."""
    return Bare(lambda connection: connection.close())


def slow_reader() -> Bare:
    """Never reads: the client's bytes pile up in the kernel."""

    def serve(connection: Connection) -> None:
        connection.closing.wait()

    return Bare(serve)


def expect_no_connection() -> Bare:
    """The `with` block fails if anything connects."""

    def serve(_: Connection) -> None:
        raise AssertionError("something connected to a server that must not be reached")

    return Bare(serve)


def close_without_answer() -> Behaviour:
    """Reads the whole request, then closes: a write may have happened."""
    return _send(b"", close=True)


def close_after_headers(status: int = 200) -> Behaviour:
    return _send(http_head(status, [_JSON, ("Content-Length", "100")]), close=True)


def close_mid_body(body: bytes = b'{"changed":true,"records":[]}') -> Behaviour:
    """Announces the whole body, sends the first half of it, and closes."""
    return _send(http_answer(200, body)[: -(len(body) // 2)], close=True)


def stale_keep_alive(body: object = b"{}") -> Behaviour:
    """Answers a connection's first request and closes upon its second one."""

    def behave(connection: Connection, _: Request) -> None:
        if connection.served:
            connection.close()
        else:
            connection.send(http_answer(200, body))

    return behave


# --- slower than any timeout per read


def header_drip(interval: float = 0.02) -> Behaviour:
    """A status line, then header lines without end, byte by byte."""
    return _drip(b"HTTP/1.1 200 OK\r\n", _HEADER_LINE, interval)


def body_drip(interval: float = 0.02, status: int = 200) -> Behaviour:
    """A mebibyte of body, announced, byte by byte."""
    head = http_head(status, [_JSON, ("Content-Length", str(1 << 20))])
    return _drip(head, [b" "], interval)


def error_body_drip(status: int, interval: float = 0.02) -> Behaviour:
    """The error path has the same bounds as the good one (B3)."""
    return body_drip(interval, status)


def flood_1xx(interval: float = 0.01) -> Behaviour:
    """`103 Early Hints` without end."""
    return _drip(b"", [b"HTTP/1.1 103 Early Hints\r\n\r\n"], interval)


def chunk_size_drip(interval: float = 0.02) -> Behaviour:
    """A chunk whose size line never ends."""
    head = http_head(200, [_JSON, _CHUNKED]) + b"2;"
    return _drip(head, [b"x"], interval)


def trailer_drip(interval: float = 0.02) -> Behaviour:
    """A whole body, and then trailers without end, byte by byte."""
    head = http_head(200, [_JSON, _CHUNKED]) + b"2\r\n{}\r\n0\r\n"
    return _drip(head, _HEADER_LINE, interval)


# --- more than anybody asked for


def huge_body(size: int, status: int = 200) -> Behaviour:
    """`size` bytes, announced, as fast as the client takes them."""
    head = http_head(status, [_JSON, ("Content-Length", str(size))])

    def behave(connection: Connection, _: Request) -> None:
        connection.send(head)
        for sent in range(0, size, 65536):
            connection.send(b" " * min(65536, size - sent))

    return behave


def endless_chunks() -> Behaviour:
    """A chunked body that does not end, as fast as the client takes it."""
    head = http_head(200, [_JSON, _CHUNKED])
    return _drip(head, [b"10000\r\n" + b" " * 65536 + b"\r\n"], 0)


def gzip_bomb() -> Behaviour:
    """64 KiB on the wire, 64 MiB when unpacked; sent although nobody offered gzip."""

    def behave(connection: Connection, _: Request) -> None:
        connection.send(http_answer(200, packed_bomb(), [("Content-Encoding", "gzip")]))

    return behave


def megabyte_of_headers() -> Behaviour:
    return answer(200, b"{}", [(f"X-Filler-{i}", "x" * 1000) for i in range(1024)])


# --- lies


def content_length_too_long(body: bytes = b"{}") -> Behaviour:
    """Announces ten bytes more than it sends, and keeps the connection open."""
    return answer(200, body, [("Content-Length", str(len(body) + 10))])


def content_length_too_short(body: bytes = b"{}") -> Behaviour:
    """Announces one byte less than it sends: the last one is left over on the connection."""
    return answer(200, body, [("Content-Length", str(len(body) - 1))])


def redirect(status: int, location: str) -> Behaviour:
    return answer(status, b"", [("Location", location)])


def set_cookie(body: object = b"{}", cookie: str = "session=kept") -> Behaviour:
    return answer(200, body, [("Set-Cookie", f"{cookie}; Path=/")])


def _send(data: bytes, *, close: bool = False) -> Behaviour:
    def behave(connection: Connection, _: Request) -> None:
        connection.send(data)
        if close:
            connection.close()

    return behave


def _drip(head: bytes, pieces: Sequence[bytes], interval: float) -> Behaviour:
    def behave(connection: Connection, _: Request) -> None:
        connection.send(head)
        connection.drip(itertools.cycle(pieces), interval)

    return behave


@functools.cache
def packed_bomb() -> bytes:
    return gzip.compress(b" " * (64 << 20))
