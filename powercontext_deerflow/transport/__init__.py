# SPDX-License-Identifier: Apache-2.0
"""Bytes to and from PowerContext, bounded in time and size. The only room with sockets, h11 and httpx."""

from powercontext_deerflow.transport.connection import Answer
from powercontext_deerflow.transport.engine import Engine

__all__ = ["UNREACHABLE", "Answer", "Engine"]

UNREACHABLE = frozenset(
    {
        *(
            "dns_failed",
            "dns_timeout",
            "connect_failed",
            "connect_timeout",
            "tls_failed",
            "tls_timeout",
        ),
        *("answer_timeout", "connection_lost", "protocol_error", "no_connection_free"),
    }
)
"""The codes of TransportError that mean an outage: failures by time or connection."""
