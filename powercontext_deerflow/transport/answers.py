# SPDX-License-Identifier: Apache-2.0
"""An answer, read from bytes as they come. A usual head is read by one pattern, every other one by h11.

The pattern takes only what h11 reads in the same way, so that it decides how fast an answer is read and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import h11

from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.transport.waiting import Wait

MAX_BODY = 1024 * 1024
"""Bytes of an answer's body that are read; a larger answer is refused."""
_MAX_HEAD = 64 * 1024  # bytes of one header block, chunk header or trailer
_END = h11.EndOfMessage()
_REQUEST_ID = re.compile(rb"[0-9a-f]{16}\Z")
_USUAL = re.compile(
    rb"HTTP/1\.1 ([2-9][0-9]{2}) [ -~]*\r\n((?:[-!#$%&'*+.^_`|~0-9a-zA-Z]+:[ -~]*\r\n)+)\r\n"
)
_LENGTH = re.compile(rb"[0-9]{1,7}\Z")

Read = Callable[[Wait], Awaitable[bytes]]
"""What comes next on the connection, at most so much at a time; nothing once the server has closed it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer. ``headers`` and ``body`` are the server's words, so no repr shows them."""

    status: int
    headers: list[tuple[bytes, bytes]] = field(repr=False)
    body: bytes = field(repr=False)

    @property
    def request_id(self) -> str | None:
        """The server's name for this exchange, if it is the 16 hex digits that it ought to be."""
        for name, value in self.headers:
            if name == b"x-powercontext-request-id" and _REQUEST_ID.match(value):
                return value.decode("ascii")
        return None


async def read_answer(request: h11.Request, read: Read, wait: Wait) -> tuple[Answer, bool]:
    """The answer, and whether the connection is good for another exchange: the server said nothing beyond its answer.

    Raises TransportError, and h11.RemoteProtocolError.
    """
    data = await read(wait)
    head = _USUAL.match(data)
    framed = _framed(head) if head else None
    if head is None or framed is None:
        return await read_by_h11(request, data, read, wait)
    headers, size = framed
    _refuse_encoded(headers)
    body, is_alone = await _read_body(size, data[head.end() :], read, wait)
    return Answer(int(head[1]), headers, body), is_alone


def _framed(head: re.Match[bytes]) -> tuple[list[tuple[bytes, bytes]], int] | None:
    """The headers, and the size of the body; nothing if that is not one plain length."""
    headers = []
    sizes = []
    for line in head[2].split(b"\r\n")[:-1]:
        name, _, value = line.partition(b":")
        name, value = name.lower(), value.strip(b" ")
        if name in (b"transfer-encoding", b"connection"):
            return None
        if name == b"content-length":
            sizes.append(value)
        headers.append((name, value))
    if len(sizes) != 1 or not _LENGTH.match(sizes[0]) or head[1] in (b"204", b"304"):
        return None
    return headers, int(sizes[0])


async def _read_body(size: int, data: bytes, read: Read, wait: Wait) -> tuple[bytes, bool]:
    chunks, got = [data], len(data)
    while min(got, size) <= MAX_BODY:
        if got >= size:
            return b"".join(chunks)[:size], got == size
        data = await read(wait)
        if not data:
            raise TransportError("protocol_error", sent=True)
        chunks.append(data)
        got += len(data)
    raise TransportError("answer_too_large", sent=True)


async def read_by_h11(
    request: h11.Request, data: bytes, read: Read, wait: Wait
) -> tuple[Answer, bool]:
    """As ``read_answer``, for an answer of any kind that begins with ``data``."""
    http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MAX_HEAD)
    http.send(request)
    http.send(_END)
    answer: h11.Response | None = None
    headers: list[tuple[bytes, bytes]] = []
    chunks: list[bytes] = []
    size = 0
    while True:
        if not data and answer is None:
            raise ConnectionResetError
        http.receive_data(data)
        while (event := http.next_event()) is not h11.NEED_DATA:
            if type(event) is h11.Data:
                size += len(event.data)
                if size > MAX_BODY:
                    raise TransportError("answer_too_large", sent=True)
                chunks.append(event.data)
            elif type(event) is h11.Response:
                answer = event
                headers = list(event.headers)
                _refuse_encoded(headers)
            elif type(event) is h11.EndOfMessage and answer is not None:
                is_done = http.their_state is h11.DONE and not http.trailing_data[0]
                return Answer(answer.status_code, headers, b"".join(chunks)), is_done
            elif type(event) is not h11.InformationalResponse:
                raise TransportError("protocol_error", sent=True)
        data = await read(wait)


def _refuse_encoded(headers: list[tuple[bytes, bytes]]) -> None:
    """We ask for ``identity``: a compressed answer all the same is refused, never inflated."""
    for name, value in headers:
        if name == b"content-encoding" and value.strip().lower() not in (b"", b"identity"):
            raise TransportError("answer_encoded", sent=True)
