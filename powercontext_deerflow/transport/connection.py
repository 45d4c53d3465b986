# SPDX-License-Identifier: Apache-2.0
"""One HTTP/1.1 connection: a request out, an answer in, by a deadline and under a cap. h11 does the reading."""

from __future__ import annotations

import re
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass, field

import h11

from powercontext_deerflow.codes import TransportCode
from powercontext_deerflow.deadline import Deadline, now
from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.transport.tls import failure
from powercontext_deerflow.transport.waiting import (
    READ,
    WRITE,
    Wait,
    blocking,
    on_the_loop,
    ready,
)

MAX_BODY = 1024 * 1024
"""Bytes of an answer's body that are read; a larger answer is refused."""
_MAX_HEAD = 64 * 1024  # bytes of one header block, chunk header or trailer
KEEP_ALIVE = 4.0
"""Seconds that an idle connection is kept; PowerContext closes it after 5."""
_AT_A_TIME = 16 * 1024
"""Bytes read before others get their turn on the event loop."""
_NOT_YET = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
_END = h11.EndOfMessage()
_REQUEST_ID = re.compile(rb"[0-9a-f]{16}\Z")


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


class Sealed:
    """Bytes that nobody's repr shows: a credential, or a body with somebody's words."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data


@dataclass(frozen=True, slots=True)
class Message:
    """A request: what h11 checks of it, the header lines of every request with their credential, and a JSON body."""

    request: h11.Request
    always: Sealed
    body: Sealed

    def join(self, head: bytes) -> memoryview:
        """All of it in one piece, behind the request line and the headers that h11 wrote."""
        body = b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
        size = len(self.body.data)
        rest = body % (size, self.body.data) if size else b"\r\n"
        return memoryview(head[:-2] + self.always.data + rest)


class Connection:
    """Used by one thread or task at a time; ``interrupt`` may come from another one."""

    def __init__(self, connected: socket.socket) -> None:
        connected.setblocking(False)
        self._socket = connected
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MAX_HEAD)
        self._sent = False
        self._used_at = now()

    def exchange(self, message: Message, deadline: Deadline) -> Answer:
        """Send once, read once. Raises TransportError; ``sent`` tells whether a byte may have left."""
        wait = blocking(self._socket, deadline)
        try:
            # In one line: a signal handler that raises between the two would leave a coroutine that complains.
            self._exchange(message, deadline, wait).send(None)
        except StopIteration as done:
            answer: Answer = done.value
            return answer
        raise RuntimeError("an exchange of a thread waited for an event loop")

    async def aexchange(self, message: Message, deadline: Deadline) -> Answer:
        """As ``exchange``, on the running event loop. Cancelled, it leaves a connection that is not reusable."""
        wait = on_the_loop(self._socket, deadline)
        return await self._exchange(message, deadline, wait)

    async def _exchange(self, message: Message, deadline: Deadline, wait: Wait) -> Answer:
        self._sent = False
        try:
            head = self._http.send(message.request) or b""
            self._http.send(_END)
            with suppress(BrokenPipeError, ConnectionResetError):
                # A server may answer before it has read everything, and hang up: its answer is still there to read.
                await self._send(message.join(head), deadline, wait)
            return await self._receive(wait)
        except TimeoutError:
            code: TransportCode = "answer_timeout"
        except h11.RemoteProtocolError:
            code = "protocol_error"
        except ssl.SSLError as error:  # TLS 1.3 tells only now that a certificate of ours is wanted
            wanted = failure(error) == "tls_client_certificate"
            code = "tls_client_certificate" if wanted else "connection_lost"
        except OSError:
            code = "connection_lost"
        except MemoryError:
            code = "out_of_memory"
        # Raised out here: h11 quotes what the peer sent.
        raise TransportError(code, sent=self._sent)

    async def _send(self, rest: memoryview, deadline: Deadline, wait: Wait) -> None:
        if deadline.expired:
            raise TimeoutError
        while True:
            self._sent = True
            events = WRITE
            try:
                rest = rest[self._socket.send(rest) :]
            except _NOT_YET as error:
                events = _wanted(error, WRITE)
            if not rest:
                return
            await wait(events)

    async def _receive(self, wait: Wait) -> Answer:
        answer: h11.Response | None = None
        headers: list[tuple[bytes, bytes]] = []
        event: object = h11.NEED_DATA  # an idle connection is silent
        chunks: list[bytes] = []
        size = 0
        while True:
            if event is h11.NEED_DATA:
                data = await self._read(wait)
                if not data and answer is None:
                    raise ConnectionResetError
                self._http.receive_data(data)
            elif type(event) is h11.Data:
                size += len(event.data)
                if size > MAX_BODY:
                    raise TransportError("answer_too_large", sent=True)
                chunks.append(event.data)
            elif type(event) is h11.Response:
                answer = event
                headers = list(event.headers)
                _refuse_encoded(headers)
            elif type(event) is h11.EndOfMessage and answer is not None:
                return Answer(answer.status_code, headers, b"".join(chunks))
            elif type(event) is not h11.InformationalResponse:
                raise TransportError("protocol_error", sent=True)
            event = self._http.next_event()

    async def _read(self, wait: Wait) -> bytes:
        events = READ
        while True:
            await wait(events)  # first, so that no flood of bytes outruns the deadline
            try:
                return self._socket.recv(_AT_A_TIME)
            except _NOT_YET as error:  # with TLS, bytes may be there that are none of the answer
                events = _wanted(error, READ)

    def make_reusable(self) -> bool:
        """Whether another exchange may follow: both sides are done, and the server said nothing beyond its answer."""
        done = self._http.our_state is h11.DONE and self._http.their_state is h11.DONE
        if not done or self._http.trailing_data[0]:
            return False
        self._http.start_next_cycle()
        self._used_at = now()
        return True

    def is_fresh(self) -> bool:
        """Whether an idle connection is young and silent; one that has something to read is closed or out of step."""
        if now() - self._used_at > KEEP_ALIVE:
            return False
        try:
            return not ready((self._socket,), READ, 0)
        except (OSError, ValueError):  # closed, or a number that `select` cannot watch
            return False

    def interrupt(self) -> None:
        """Wake whoever waits here. It closes the socket itself, so no descriptor is reused early.

        Not by ``SSLSocket.shutdown``: that one takes TLS off, and what comes in then would be read as it is.
        """
        with suppress(OSError):
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def close(self) -> None:
        with suppress(OSError):  # somebody closed the descriptor behind our back
            self._socket.close()


def _wanted(error: OSError, otherwise: int) -> int:
    """What the socket must be ready for; TLS may have to read in order to write, and the other way round."""
    if isinstance(error, ssl.SSLWantReadError):
        return READ
    return WRITE if isinstance(error, ssl.SSLWantWriteError) else otherwise


def _refuse_encoded(headers: list[tuple[bytes, bytes]]) -> None:
    """We ask for ``identity``: a compressed answer all the same is refused, never inflated."""
    for name, value in headers:
        if name == b"content-encoding" and value.strip().lower() not in (b"", b"identity"):
            raise TransportError("answer_encoded", sent=True)
