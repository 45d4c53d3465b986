# SPDX-License-Identifier: Apache-2.0
"""Bytes to and from PowerContext, bounded in time and size. The only room with sockets, h11 and httpx."""

from typing import Final, get_args

from powercontext_deerflow.codes import OutageCode
from powercontext_deerflow.transport.answers import Answer
from powercontext_deerflow.transport.connection import Sealed
from powercontext_deerflow.transport.engine import Engine
from powercontext_deerflow.transport.io import IO, Blocking, OnLoop, run

__all__ = ["IO", "UNREACHABLE", "Answer", "Blocking", "Engine", "OnLoop", "Sealed", "run"]

UNREACHABLE: Final = frozenset(get_args(OutageCode))
"""The codes of TransportError that mean an outage."""
