# SPDX-License-Identifier: Apache-2.0
"""Faults below HTTP: names that do not resolve in time, TCP that does not connect, TLS that stalls.

Names are outside every timeout of httpx, and its timeouts are for each phase.
"""

from __future__ import annotations

import itertools
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import trustme

from tests.support.servers.loopback import Bare, Connection


def issue_tls(folder: Path) -> tuple[ssl.SSLContext, Path]:
    """A server context for `127.0.0.1` and `localhost`, and the file of the CA that vouches."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1", "localhost").configure_cert(context)
    ca_file = folder / "ca.pem"
    authority.cert_pem.write_to_path(ca_file)
    return context, ca_file


def tls_stall() -> Bare:
    """Accepts TCP and never answers the handshake. Connect to it with an https URL."""
    return Bare(lambda connection: connection.hold())


def tls_drip(interval: float = 0.02) -> Bare:
    """Announces one 16 KiB handshake record and sends it byte by byte: five minutes of handshake."""

    def serve(connection: Connection) -> None:
        connection.sock.recv(65536)  # the ClientHello
        connection.send(b"\x16\x03\x03\x40\x00")
        connection.drip(itertools.repeat(b"\x00"), interval)

    return Bare(serve)


@contextmanager
def black_hole() -> Iterator[tuple[str, int]]:
    """(host, port) of a listener whose queue is full: the kernel drops every further SYN."""
    with ExitStack() as sockets:
        listener = sockets.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        for _ in range(4):
            filler = sockets.enter_context(socket.socket())
            filler.setblocking(False)
            filler.connect_ex(address)
        yield address


class HangingDns:
    """What `hanging_dns` yields: how many look-ups hang or hung, and the end of the hanging."""

    def __init__(self) -> None:
        self._released = threading.Event()
        self._asked = threading.Semaphore(0)
        self.lookups = 0

    def hang(self) -> None:
        self.lookups += 1
        self._asked.release()
        self._released.wait()

    def release(self) -> None:
        self._released.set()

    def wait_for_lookup(self, within: float = 10.0) -> None:
        assert self._asked.acquire(timeout=within), "no look-up was made"


@contextmanager
def hanging_dns(host: str) -> Iterator[HangingDns]:
    """`socket.getaddrinfo` hangs for `host` until released, and then gives 127.0.0.1, too late."""
    resolve = socket.getaddrinfo
    dns = HangingDns()

    def getaddrinfo(name: Any, *args: Any, **kwargs: Any) -> Any:  # as loose as the real one
        if name in (host, host.encode()):
            dns.hang()
            name = "127.0.0.1"
        return resolve(name, *args, **kwargs)

    with mock.patch.object(socket, "getaddrinfo", getaddrinfo):
        try:
            yield dns
        finally:
            dns.release()
