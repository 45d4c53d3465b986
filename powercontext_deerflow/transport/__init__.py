# SPDX-License-Identifier: Apache-2.0
"""Bytes to and from PowerContext, bounded in time and size. The only room with sockets, h11 and httpx."""

from powercontext_deerflow.transport.connection import Answer, Sealed
from powercontext_deerflow.transport.engine import Engine
from powercontext_deerflow.transport.io import IO, Blocking, OnLoop, run

__all__ = ["IO", "UNREACHABLE", "Answer", "Blocking", "Engine", "OnLoop", "Sealed", "run"]

UNREACHABLE = frozenset(
    {
        *("dns_failed", "dns_timeout", "connect_failed", "connect_timeout"),
        *("tls_failed", "tls_timeout", "tls_expired", "tls_not_yet_valid", "tls_unknown_issuer"),
        *("tls_root_missing", "tls_wrong_name", "tls_not_tls", "tls_client_certificate"),
        *("answer_timeout", "connection_lost", "protocol_error", "no_connection_free"),
        *("no_thread", "no_descriptor", "out_of_memory"),
    }
)
"""The codes of TransportError that mean an outage: failures by time or connection, or for want of what both need."""
