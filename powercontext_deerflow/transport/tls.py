# SPDX-License-Identifier: Apache-2.0
"""TLS on a connected socket by a deadline, and a code for each way in which it fails."""

from __future__ import annotations

import errno
import socket
import ssl
import threading
from typing import Final

from powercontext_deerflow.codes import OutageCode
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import ConfigurationError, Problem, TransportError
from powercontext_deerflow.transport.calls import Call
from powercontext_deerflow.transport.threads import on_a_thread


class QuietSocket(socket.socket):
    """A socket that is closed without a ResourceWarning when whatever breaks off drops it. In C, so that no exception
    of a signal handler ends that in the middle."""

    __slots__ = ()
    if issubclass(socket.socket, socket.SocketType):  # eventlet's is not
        __del__ = socket.SocketType.close


class _QuietSecureSocket(ssl.SSLSocket):
    """As ``QuietSocket``."""

    if issubclass(ssl.SSLSocket, socket.SocketType):
        __del__ = socket.SocketType.close


_WRAPPING: Final = 1.0
"""Seconds that are ample for a thread to make an object."""
# By OpenSSL's X509_V_ERR_* numbers.
_UNVERIFIED: Final[dict[int, OutageCode]] = {
    2: "tls_root_missing",  # the issuer of an authority that we trust: we have no root
    9: "tls_not_yet_valid",
    10: "tls_expired",
    18: "tls_unknown_issuer",
    19: "tls_unknown_issuer",
    20: "tls_unknown_issuer",
    21: "tls_unknown_issuer",
    62: "tls_wrong_name",
    64: "tls_wrong_name",
}
# By words in OpenSSL's reason: what another protocol looks like, and a server's wish for a certificate.
_REASONS: Final[tuple[tuple[str, OutageCode], ...]] = (
    ("CERTIFICATE_REQUIRED", "tls_client_certificate"),
    ("ALERT_BAD_CERTIFICATE", "tls_client_certificate"),
    ("WRONG_VERSION_NUMBER", "tls_not_tls"),
    ("UNKNOWN_PROTOCOL", "tls_not_tls"),
    ("HTTP_REQUEST", "tls_not_tls"),
    ("HTTPS_PROXY_REQUEST", "tls_not_tls"),
    ("PACKET_LENGTH_TOO_LONG", "tls_not_tls"),
    ("RECORD_LAYER_FAILURE", "tls_not_tls"),
)


def context(ca_file: str | None) -> ssl.SSLContext:
    """Verification against ``ca_file``, else certifi's roots; SSL_CERT_FILE and its kin are not read.

    Raises ConfigurationError ``ca_file_unreadable``, and TransportError ``no_descriptor`` or ``out_of_memory`` if the
    system has none to read them with now.
    """
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.sslsocket_class = _QuietSecureSocket
    made.set_alpn_protocols(["http/1.1"])
    shortage: OutageCode | None = None
    try:
        if ca_file is None:
            import certifi  # not above: what it imports is a twentieth of the time until the first recall

        made.load_verify_locations(cafile=ca_file or certifi.where())
    except MemoryError:
        shortage = "out_of_memory"
    except OSError as error:  # SSLError is one
        shortage = refusal(error)
    except (ValueError, ImportError):
        pass
    else:
        return made
    if shortage is not None:
        raise TransportError(shortage, sent=False)
    advice = "point it to a readable PEM file with at least one certificate"
    if ca_file is None:
        advice = "the roots of the package certifi cannot be read: install it again, or set this"
    raise ConfigurationError(Problem("POWERCONTEXT_DEERFLOW_CA_FILE", "ca_file_unreadable", advice))


def refusal(error: OSError) -> OutageCode | None:
    """The code for what the system has none of now, if that is why."""
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return "no_descriptor"
    return "out_of_memory" if error.errno in (errno.ENOMEM, errno.ENOBUFS) else None


def failure(error: ssl.SSLError) -> OutageCode:
    """The code for why TLS failed."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _UNVERIFIED.get(error.verify_code, "tls_failed")
    reason = error.reason or ""
    return next((code for word, code in _REASONS if word in reason), "tls_failed")


def _wrapped(plain: socket.socket, tls: ssl.SSLContext, host: str) -> ssl.SSLSocket | None:
    """For a moment two objects have one descriptor, and an interrupt would leave it to be closed twice, perhaps when it
    is somebody else's: so not in the main thread, where signal handlers run, if there is another one to be had."""

    def wrap() -> ssl.SSLSocket | None:
        try:
            return tls.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)
        except (OSError, ValueError):
            # A peer that has hung up already; a name that TLS cannot carry.
            return None

    if threading.current_thread() is not threading.main_thread():
        return wrap()
    call = Call(wrap, Deadline.after(_WRAPPING))
    try:
        on_a_thread(call.carry_out)
    except TransportError:
        return wrap()
    if not call.wait(_WRAPPING):
        raise TimeoutError
    return call.result()


def secured(
    plain: socket.socket, tls: ssl.SSLContext, host: str, deadline: Deadline
) -> ssl.SSLSocket:
    """The socket with TLS on it; it is closed if that fails. Raises TransportError ``tls_*``."""
    try:
        secure = _wrapped(plain, tls, host)
        plain = secure or plain
        if secure is None:
            raise ConnectionResetError
        # One call is one handshake: the ssl module counts the whole of it against this timeout.
        secure.settimeout(deadline.remaining() or 1e-6)
        secure.do_handshake()
    except TimeoutError:
        code: OutageCode = "tls_timeout"
    except ssl.SSLError as error:
        code = failure(error)
    except OSError:  # a peer that hangs up
        code = "tls_failed"
    except MemoryError:
        code = "out_of_memory"
    else:
        return secure
    plain.close()
    raise TransportError(code, sent=False)
