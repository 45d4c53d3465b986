# SPDX-License-Identifier: Apache-2.0
"""A threaded loopback HTTP/1.1 server that records what it really saw.

The ground of `proxy` and `hostile`: one daemon thread per connection reads a whole request with
h11, records it, and hands the raw socket to a behaviour, which may answer in any broken way.
Leaving the `with` block closes every socket, joins every thread within a bound, and raises what a
behaviour raised.
"""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self

import h11

Headers = Iterable[tuple[str, str]]
_JOIN_SECONDS = 5.0


@dataclass(frozen=True)
class Request:
    """One request as it arrived; header names are lower case."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    raw: bytes

    @property
    def json(self) -> Any:  # what a client sent, to be compared with a literal
        return json.loads(self.body)

    @property
    def scope_id(self) -> str:
        """The Scope that it names, in its path or its body."""
        folder, _, rest = self.path.removeprefix("/v1/").partition("/")
        named: str = rest.partition("/")[0] if folder == "scopes" else self.json["scope_id"]
        return named

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name.lower()), None)

    def is_for(self, method_and_path: str) -> bool:
        """Whether this is, for instance, `POST /v1/memory/remember`; the query does not count."""
        return f"{self.method} {self.path.partition('?')[0]}" == method_and_path


def http_answer(status: int, body: object = b"", headers: Headers = ()) -> bytes:
    """A whole response. A body that is neither bytes nor str is sent as JSON."""
    if isinstance(body, str):
        body = body.encode()
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = list(headers)
    names = {name.lower() for name, _ in sent}
    if "content-type" not in names:
        sent.append(("Content-Type", "application/json"))
    if names.isdisjoint({"content-length", "transfer-encoding"}):
        sent.append(("Content-Length", str(len(content))))
    return http_head(status, sent) + content


def http_head(status: int, headers: Headers) -> bytes:
    reason = HTTPStatus(status).phrase if status in set(HTTPStatus) else "Unregistered"
    lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class Connection:
    """The raw socket of one client, as a behaviour sees it."""

    def __init__(self, sock: socket.socket, closing: threading.Event) -> None:
        self.sock = sock
        self.closing = closing
        self.open = True
        self.served = 0  # requests already dealt with on this connection
        self._unread = b""

    def read_request(self) -> Request | None:
        """The next whole request, or None when the client has gone."""
        parser = h11.Connection(h11.SERVER)
        raw, body = bytearray(self._unread), bytearray()
        head: h11.Request | None = None
        if raw:
            parser.receive_data(bytes(raw))
        while True:
            event = parser.next_event()
            if event is h11.NEED_DATA:
                data = self.sock.recv(65536)
                if not data:
                    return None
                raw += data
                parser.receive_data(data)
            elif isinstance(event, h11.Request):
                head = event
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage):
                break
        assert head is not None
        self._unread = bytes(parser.trailing_data[0])
        return Request(
            method=head.method.decode(),
            path=head.target.decode(),
            headers=tuple((n.decode(), v.decode("latin-1")) for n, v in head.headers),
            body=bytes(body),
            raw=bytes(raw[: len(raw) - len(self._unread)]),
        )

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def drip(self, pieces: Iterable[bytes], interval: float) -> None:
        """Send the pieces one by one; an end of the server ends the drip at once."""
        for piece in pieces:
            self.send(piece)
            if self.closing.wait(interval):
                return

    def hold(self) -> None:
        """Stay silent until the client goes away or the server ends."""
        while self.sock.recv(65536):
            pass
        self.open = False

    def close(self) -> None:
        self.open = False
        _shut_down(self.sock)


Behaviour = Callable[[Connection, Request], None]


@dataclass(frozen=True)
class Bare:
    """A behaviour that gets the socket before anything was read, or any TLS byte exchanged."""

    serve: Callable[[Connection], None]


class LoopbackServer:
    """Serves `behaviour` on a free port of 127.0.0.1 while its `with` block runs."""

    def __init__(self, behaviour: Behaviour | Bare, tls: ssl.SSLContext | None = None) -> None:
        self._behaviour = behaviour
        self._tls = tls
        self._closing = threading.Event()
        self._changed = threading.Condition()
        self._requests: list[Request] = []
        self._sockets: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._failures: list[Exception] = []
        self.connections = 0
        self.host, self.port = "127.0.0.1", 0

    @property
    def base_url(self) -> str:
        return f"{'https' if self._tls else 'http'}://{self.host}:{self.port}"

    @property
    def requests(self) -> list[Request]:
        with self._changed:
            return list(self._requests)

    def count(self, method_and_path: str) -> int:
        return sum(request.is_for(method_and_path) for request in self.requests)

    def clear(self) -> None:
        with self._changed:
            self._requests.clear()

    def wait_for_request(self, method_and_path: str, within: float = 10.0) -> None:
        """Return once such a request has been read in full; AssertionError if none comes."""

        def arrived() -> bool:
            return any(request.is_for(method_and_path) for request in self._requests)

        with self._changed:
            assert self._changed.wait_for(arrived, within), f"no {method_and_path} arrived"

    def __enter__(self) -> Self:
        self._listener = socket.create_server((self.host, 0), backlog=128)
        self._listener.settimeout(0.05)  # elsewhere than on Linux nothing else wakes its accept()
        self.port = self._listener.getsockname()[1]
        self._start_thread(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: object, __: TracebackType | None
    ) -> None:
        self._closing.set()
        with contextlib.suppress(OSError):  # on Linux this wakes its accept(); closing would not
            self._listener.shutdown(socket.SHUT_RDWR)
        with self._changed:
            for sock in self._sockets:
                _shut_down(sock)
        deadline = time.monotonic() + _JOIN_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        assert not any(thread.is_alive() for thread in self._threads), "a server thread hangs"
        if kind is None and self._failures:
            raise self._failures[0]

    def _start_thread(self, target: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with self._listener:
            while not self._closing.is_set():
                try:
                    sock, _ = self._listener.accept()
                except TimeoutError:
                    continue
                except OSError:
                    if self._closing.is_set():
                        return
                    raise
                sock.settimeout(None)
                if self._tls and not isinstance(self._behaviour, Bare):
                    sock = self._tls.wrap_socket(
                        sock, server_side=True, do_handshake_on_connect=False
                    )
                self.connections += 1
                self._track(sock)
                self._start_thread(self._converse, sock)

    def _converse(self, sock: socket.socket) -> None:
        try:
            connection = Connection(sock, self._closing)
            if isinstance(self._behaviour, Bare):
                self._behaviour.serve(connection)
                return
            if isinstance(sock, ssl.SSLSocket):
                sock.do_handshake()
            while connection.open and (request := connection.read_request()):
                with self._changed:
                    self._requests.append(request)
                    self._changed.notify_all()
                self._behaviour(connection, request)
                connection.served += 1
        except (OSError, h11.RemoteProtocolError):
            pass  # the client went away, or stopped in the middle of a request
        except Exception as failure:  # noqa: BLE001 - raised again where the test can see it
            self._failures.append(failure)
        finally:
            self._untrack(sock)

    def _track(self, sock: socket.socket) -> None:
        with self._changed:
            self._sockets.add(sock)
            if self._closing.is_set():
                _shut_down(sock)

    def _untrack(self, sock: socket.socket) -> None:
        # Under the lock: nobody may shut down a number that the kernel has given away again.
        with self._changed:
            self._sockets.discard(sock)
            sock.close()


def _shut_down(sock: socket.socket) -> None:
    """End both directions and wake whoever is blocked on the socket in another thread."""
    with contextlib.suppress(OSError):
        # SSLSocket.shutdown() drops its TLS object, which another thread may be reading from.
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
