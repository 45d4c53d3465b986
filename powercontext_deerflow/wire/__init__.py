# SPDX-License-Identifier: Apache-2.0
"""What goes over the wire, strictly: msgspec structs, one encoder or decoder for each message."""

from powercontext_deerflow.wire.decoding import encode
from powercontext_deerflow.wire.memory import (
    ArtifactCitation,
    Citation,
    EntryCitation,
    Hit,
    Kind,
    LegacyEntry,
    LegacyHit,
    LegacyRemembered,
    LegacySearchAnswer,
    MemoryRecord,
    MemoryRef,
    Remembered,
    RememberRequest,
    SearchAnswer,
    SearchRequest,
    decode_remembered,
    decode_search,
)
from powercontext_deerflow.wire.recall import PreparedContext, PrepareRequest, decode_prepared
from powercontext_deerflow.wire.server import (
    KNOWN_CODES,
    Scope,
    ServerInfo,
    decode_error,
    decode_scope,
    decode_server_info,
)

__all__ = [
    "KNOWN_CODES",
    "ArtifactCitation",
    "Citation",
    "EntryCitation",
    "Hit",
    "Kind",
    "LegacyEntry",
    "LegacyHit",
    "LegacyRemembered",
    "LegacySearchAnswer",
    "MemoryRecord",
    "MemoryRef",
    "PrepareRequest",
    "PreparedContext",
    "RememberRequest",
    "Remembered",
    "Scope",
    "SearchAnswer",
    "SearchRequest",
    "ServerInfo",
    "decode_error",
    "decode_prepared",
    "decode_remembered",
    "decode_scope",
    "decode_search",
    "decode_server_info",
    "encode",
]
