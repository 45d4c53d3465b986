# SPDX-License-Identifier: Apache-2.0
"""One HTTP/1.1 connection: a request out, an answer in, by a deadline and under a cap."""

from __future__ import annotations

import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass

import h11

from powercontext_deerflow.codes import TransportCode
from powercontext_deerflow.deadline import Deadline, now
from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.transport.answers import Answer, read_answer
from powercontext_deerflow.transport.tls import failure
from powercontext_deerflow.transport.waiting import (
    READ,
    WRITE,
    Wait,
    blocking,
    on_the_loop,
    ready,
)

KEEP_ALIVE = 4.0
"""Seconds that an idle connection is kept; PowerContext closes it after 5."""
_AT_A_TIME = 16 * 1024
"""Bytes read before others get their turn on the event loop."""
_NOT_YET = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class Sealed:
    """Bytes that nobody's repr shows: a credential, or a body with somebody's words."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data


@dataclass(frozen=True, slots=True)
class Message:
    """A request: what h11 checks of it and writes, the header lines of every request with their credential, and a JSON
    body.
    """

    request: h11.Request
    head: bytes
    always: Sealed
    body: Sealed

    def join(self) -> memoryview:
        """All of it in one piece."""
        body = b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
        size = len(self.body.data)
        rest = body % (size, self.body.data) if size else b"\r\n"
        return memoryview(self.head + self.always.data + rest)


class Connection:
    """Used by one thread or task at a time; ``interrupt`` may come from another one."""

    def __init__(self, connected: socket.socket) -> None:
        connected.setblocking(False)
        self._socket = connected
        self._sent = False
        self._is_done = False
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
        self._sent = self._is_done = False
        try:
            with suppress(BrokenPipeError, ConnectionResetError):
                # A server may answer before it has read everything, and hang up: its answer is still there to read.
                await self._send(message.join(), deadline, wait)
            answer, self._is_done = await read_answer(message.request, self._read, wait)
            return answer  # noqa: TRY300 - nothing but the next line would stand in the `else`
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
        done, self._is_done = self._is_done, False
        if not done:
            return False
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
