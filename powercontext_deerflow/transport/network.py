# SPDX-License-Identifier: Apache-2.0
"""A connected socket by a deadline: names, addresses, TCP. Nothing of it reads the environment."""

from __future__ import annotations

import encodings.idna  # noqa: F401 - sockets import it on first use; a fork in the middle of that breaks the child
import socket
import ssl
import threading
from collections import deque
from collections.abc import Iterable
from ipaddress import ip_address
from itertools import zip_longest
from typing import Any, Final
from weakref import ref

from powercontext_deerflow.codes import OutageCode
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.transport.calls import Call
from powercontext_deerflow.transport.threads import on_a_thread
from powercontext_deerflow.transport.tls import QuietSocket, refusal, secured
from powercontext_deerflow.transport.waiting import WRITE, ready

# As getaddrinfo gives it: family, type, protocol, canonical name, and an address whose shape the family decides.
Address = tuple[socket.AddressFamily, socket.SocketKind, int, str, Any]
STAGGER: Final = 0.25
"""Seconds until the next address is tried beside one that has not answered."""


class Resolver:
    """Names to addresses on threads, because getaddrinfo knows no timeout.

    At most one look-up a name is alive; later callers wait for the same one, each by its own deadline. A look-up is
    alive as long as its thread is: one whose thread was refused is not found again.
    """

    def __init__(self) -> None:
        self.answered: socket.AddressFamily | None = None
        """The family of the address that answered last."""
        self._lock = threading.RLock()
        self._running: dict[tuple[str, int], ref[Call[list[Address]]]] = {}

    def addresses(self, host: str, port: int, deadline: Deadline) -> list[Address]:
        """Raises TransportError ``dns_failed``, ``dns_timeout``, or what the system refused."""
        code: OutageCode = "dns_failed"
        try:
            if _is_literal(host):  # nothing to wait for
                return _look_up(host, port)
            lookup = self._join(host, port)
            if lookup.wait(deadline.remaining()):
                return lookup.result()
            code = "dns_timeout"
        except OSError as error:
            code = refusal(error) or ("no_descriptor" if _is_out_of_descriptors() else code)
        except UnicodeError:
            pass
        except MemoryError:
            code = "out_of_memory"
        raise TransportError(code, sent=False)

    def _join(self, host: str, port: int) -> Call[list[Address]]:
        with self._lock:
            running = self._running.get((host, port))
            lookup = running() if running is not None else None
            if lookup is None or lookup.done:
                lookup = Call(lambda: _look_up(host, port), Deadline.after(0))
                on_a_thread(lookup.carry_out)
                self._running[host, port] = ref(lookup)
            return lookup


def _is_out_of_descriptors() -> bool:
    """The resolver calls that an unknown name."""
    try:
        socket.socket().close()
    except OSError as error:
        return refusal(error) is not None
    return False


def _is_literal(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _look_up(host: str, port: int) -> list[Address]:
    try:
        return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    except socket.gaierror:
        if not host.endswith("."):
            raise
    # The file of hosts knows names without their last dot only.
    return list(socket.getaddrinfo(host[:-1], port, type=socket.SOCK_STREAM))


def connect(
    resolver: Resolver, host: str, port: int, tls: ssl.SSLContext | None, deadline: Deadline
) -> socket.socket:
    """A socket to the address that answers first.

    Raises TransportError ``dns_*``, ``connect_failed``, ``connect_timeout``, ``tls_*``, or what the system refused.
    """
    addresses = resolver.addresses(host, port, deadline)
    connected = _first_to_answer(_in_turn(addresses, resolver.answered), deadline)
    resolver.answered = connected.family
    if tls is None:
        return connected
    return secured(connected, tls, host.removesuffix("."), deadline)


def _in_turn(addresses: Iterable[Address], first: socket.AddressFamily | None) -> deque[Address]:
    """One of each family after the other, beginning with the family that answered last."""
    families: dict[socket.AddressFamily, list[Address]] = {}
    for address in addresses:
        families.setdefault(address[0], []).append(address)
    ordered = sorted(families, key=lambda family: family is not first)
    turns = zip_longest(*(families[family] for family in ordered))
    return deque(address for turn in turns for address in turn if address is not None)


def _first_to_answer(waiting: deque[Address], deadline: Deadline) -> socket.socket:
    dialled: dict[QuietSocket, None] = {}
    code: OutageCode = "connect_failed"
    next_one = Deadline.after(0)
    try:
        while (waiting or dialled) and not deadline.expired:
            if waiting and (not dialled or next_one.expired):
                begun = _dial(waiting.popleft())
                if isinstance(begun, str):
                    code = begun
                    continue
                dialled[begun] = None
                next_one = Deadline.after(STAGGER)
            left = deadline.remaining()
            for one in ready(dialled, WRITE, min(left, next_one.remaining()) if waiting else left):
                del dialled[one]
                if _is_connected(one):
                    return one
                code, next_one = "connect_failed", Deadline.after(0)
        raise TransportError("connect_timeout" if deadline.expired else code, sent=False)
    finally:
        for one in dialled:
            one.close()


def _dial(address: Address) -> QuietSocket | OutageCode:
    """A socket that is about to be connected, or the reason why there is none."""
    family, kind, protocol, _, where = address
    try:
        begun = QuietSocket(family, kind, protocol)
    except OSError as error:  # also a family that the kernel does not have
        return refusal(error) or "connect_failed"
    try:
        begun.setblocking(False)
        begun.connect(where)
    except BlockingIOError:
        pass
    except (OSError, OverflowError) as error:
        begun.close()
        return (isinstance(error, OSError) and refusal(error)) or "connect_failed"
    return begun


def _is_connected(dialled: socket.socket) -> bool:
    try:
        if not dialled.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            dialled.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return True
    except OSError:
        pass
    dialled.close()
    return False
