# SPDX-License-Identifier: Apache-2.0
"""Bytes to and from PowerContext, bounded in time and size. The only room with sockets, h11 and httpx."""

from powercontext_deerflow.transport.connection import Answer
from powercontext_deerflow.transport.engine import Engine

__all__ = ["Answer", "Engine"]
