# SPDX-License-Identifier: Apache-2.0
"""A connected socket by a deadline: names, addresses, TCP, TLS. Nothing of it reads the environment."""

from __future__ import annotations

import encodings.idna  # noqa: F401 - sockets import it on first use; a fork in the middle of that breaks the child
import socket
import ssl
import threading
from concurrent.futures import Future
from ipaddress import ip_address
from typing import Any

from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import TransportError

# As getaddrinfo gives it: family, type, protocol, canonical name, and an address whose shape the family decides.
Address = tuple[socket.AddressFamily, socket.SocketKind, int, str, Any]


class Resolver:
    """Names to addresses on daemon threads, because getaddrinfo knows no timeout (facts: failure-classes B4).

    At most one look-up a name is alive; later callers wait for the same one, each by its own deadline.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[tuple[str, int], Future[list[Address]]] = {}

    def addresses(self, host: str, port: int, deadline: Deadline) -> list[Address]:
        """Raises TransportError ``dns_failed`` or ``dns_timeout``."""
        code = "dns_failed"
        try:
            if _is_literal(host):  # nothing to wait for
                return _look_up(host, port)
            return self._join(host, port).result(deadline.remaining())
        except TimeoutError:
            code = "dns_timeout"
        except (OSError, UnicodeError):
            pass
        raise TransportError(code, sent=False)

    def _join(self, host: str, port: int) -> Future[list[Address]]:
        with self._lock:
            future = self._running.get((host, port))
            if future is None:
                future = self._running[host, port] = Future()
                run = threading.Thread(
                    target=self._run,
                    args=(host, port, future),
                    name="powercontext-dns",
                    daemon=True,
                )
                run.start()
            return future

    def _run(self, host: str, port: int, future: Future[list[Address]]) -> None:
        try:
            found = _look_up(host, port)
        except Exception as error:  # noqa: BLE001 - handed to those who wait
            future.set_exception(error)
        else:
            future.set_result(found)
        finally:
            with self._lock:
                del self._running[host, port]


def _is_literal(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _look_up(host: str, port: int) -> list[Address]:
    return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))


def tls_context(ca_file: str | None) -> ssl.SSLContext:
    """Verification against ``ca_file``, else certifi's roots; SSL_CERT_FILE and its kin are not read."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if ca_file is None:
        import certifi  # not above: what it imports is a twentieth of the time until the first recall

        ca_file = certifi.where()
    context.load_verify_locations(cafile=ca_file)
    context.set_alpn_protocols(["http/1.1"])
    return context


def connect(
    resolver: Resolver, host: str, port: int, tls: ssl.SSLContext | None, deadline: Deadline
) -> socket.socket:
    """A socket to the first address that answers; each gets an equal share of what is left.

    Raises TransportError ``dns_*``, ``connect_failed``, ``connect_timeout``, ``tls_failed`` or ``tls_timeout``.
    """
    addresses = resolver.addresses(host, port, deadline)
    code = "connect_failed"
    for position, address in enumerate(addresses):
        connected = _dial(address, deadline.sooner(1 / (len(addresses) - position)))
        if isinstance(connected, str):
            code = connected
            continue
        if tls is None:
            return connected
        secured = _secure(connected, tls, host, deadline)
        if not isinstance(secured, str):
            return secured
        code = secured
        break
    raise TransportError(code, sent=False)


def _dial(address: Address, deadline: Deadline) -> socket.socket | str:
    """A connected socket, or the reason why there is none."""
    family, kind, protocol, _, where = address
    left = deadline.remaining()
    if not left:
        return "connect_timeout"
    dialled = socket.socket(family, kind, protocol)
    try:
        dialled.settimeout(left)
        dialled.connect(where)
        dialled.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except TimeoutError:
        dialled.close()
        return "connect_timeout"
    except OSError:
        dialled.close()
        return "connect_failed"
    return dialled


def _secure(
    plain: socket.socket, tls: ssl.SSLContext, host: str, deadline: Deadline
) -> ssl.SSLSocket | str:
    """The socket with TLS on it, or the reason why there is none."""
    secured = tls.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)
    try:
        # One call is one handshake: the ssl module counts the whole of it against this timeout.
        secured.settimeout(deadline.remaining() or 1e-6)
        secured.do_handshake()
    except TimeoutError:
        secured.close()
        return "tls_timeout"
    except (OSError, ValueError):  # SSLError, CertificateError, a peer that hangs up
        secured.close()
        return "tls_failed"
    return secured
