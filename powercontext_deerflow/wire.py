# SPDX-License-Identifier: Apache-2.0
"""What goes over the wire, strictly: msgspec structs, one encoder or decoder per message.

Recall is closed: an answer with anything unexpected is discarded. Saving is strict in types and required fields but
tolerates added keys, because a committed save must not turn into an error when a later server says more (facts:
server-versions, "Wire groups"). Decoder messages quote what the server sent, so none leaves this module.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from powercontext_deerflow.errors import AnswerError
from powercontext_deerflow.text import byte_length

Kind = Literal["fact", "preference", "decision", "constraint"]
"""The kinds that this package saves; the server takes any string (facts: powercontext-api A2)."""

Revision = Annotated[int, Meta(ge=1, le=2**63 - 1)]
Identifier = Annotated[str, Meta(min_length=1, max_length=256, pattern=r"^[\x21-\x7E]+\Z")]
T = TypeVar("T")


# --- recall -------------------------------------------------------------------------------------------------------

# Exactly the four keys that every server from 1.0.0 accepts; any optional key breaks one (facts: server-versions).
_ASSEMBLY = msgspec.Raw(b'{"format":"markdown","sections":[{"family":"memory","limit":6}]}')


class PrepareRequest(Struct, frozen=True):
    scope_id: str
    query: str
    max_bytes: int
    assembly: msgspec.Raw = _ASSEMBLY


class PreparedContext(Struct, frozen=True, forbid_unknown_fields=True):
    """``powercontext.prepared-context.v1``, its ``content`` still in JSON."""

    schema: Literal["powercontext.prepared-context.v1"]
    status: Literal["ready", "empty"]
    content: msgspec.Raw
    content_bytes: Annotated[int, Meta(ge=0, le=32768)]
    reason: Literal["inference_timeout", "inference_unavailable"] | UnsetType | None = UNSET


# --- saving and search --------------------------------------------------------------------------------------------


class RememberRequest(Struct, frozen=True):
    scope_id: str
    kind: str
    text: str


class SearchRequest(Struct, frozen=True):
    scope_id: str
    query: str
    limit: int
    mode: Literal["fts"] = "fts"  # a server without an embedding model answers other modes with 500


class ArtifactCitation(Struct, frozen=True):
    """One exact revision of a memory, servers from 1.3.0."""

    family: Literal["atomic-memory"]
    artifact_id: Identifier
    revision: Revision


class MemoryRef(Struct, frozen=True):
    family: Literal["memory"]
    artifact_id: Identifier
    revision: Revision


class EntryCitation(Struct, frozen=True):
    """One exact version of a memory entry, servers up to 1.2.0."""

    memory_ref: MemoryRef
    entry_id: Identifier
    entry_version_id: Identifier


Citation = ArtifactCitation | EntryCitation


class MemoryRecord(Struct, frozen=True):
    artifact: ArtifactCitation
    kind: Annotated[str, Meta(min_length=1, max_length=128)]
    text: str
    state: Literal["active", "forgotten", "merged", "retired"]
    state_version: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    merged_into_id: str | None


class Remembered(Struct, frozen=True):
    """The answer of servers from 1.3.0."""

    changed: bool
    records: list[MemoryRecord]


class LegacyEntry(Struct, frozen=True):
    citation: EntryCitation
    version: Revision
    kind: Annotated[str, Meta(min_length=1, max_length=128)]
    text: str
    state: Literal["active", "inactive"]
    source_refs: list[Any]  # not ours to read; required by the schema
    artifact_refs: list[Any]


class LegacyRemembered(Struct, frozen=True):
    """The answer of servers up to 1.2.0; ``entry`` is null when the memory was already there."""

    memory: MemoryRef
    entry: LegacyEntry | None


class Hit(Struct, frozen=True):
    memory: MemoryRecord
    score: float
    matched_by: list[str]


class LegacyHit(Struct, frozen=True):
    """Names no kind and no state; only active entries are found."""

    citation: EntryCitation
    text: str
    score: float
    matched_by: list[str]


class SearchAnswer(Struct, frozen=True):
    mode: str
    hits: list[Hit]


class LegacySearchAnswer(Struct, frozen=True):
    memory: MemoryRef
    mode: str
    hits: list[LegacyHit]


# --- errors -------------------------------------------------------------------------------------------------------


class _ErrorDetail(Struct):
    code: str
    message: str
    details: Any = None  # never read: it may hold prose


class _ErrorBody(Struct):
    error: _ErrorDetail


class _FrameworkErrorBody(Struct):
    detail: str


KNOWN_CODES = frozenset(
    """
    access_unavailable artifact_not_found atomic_memory_changed authentication_unavailable binding-version
    capability_not_supported capacity_exceeded client_upgrade_required forbidden idempotency-key inference_timeout
    inference_unavailable internal_error invalid_access_request invalid_cursor invalid_request
    legacy_memory_operation_unsupported precondition_required request_too_large revision_conflict runtime_not_ready
    scope_idempotency_conflict scope_not_found server_overloaded source_conflict unauthorized
    """.split()  # noqa: SIM905
)
"""Server codes that may be repeated to a user, an operator or a model (facts: powercontext-api, error envelope)."""

encode = msgspec.json.Encoder().encode
_ANYTHING = msgspec.json.Decoder(object)
_PREPARED = msgspec.json.Decoder(PreparedContext)
_CONTENT: msgspec.json.Decoder[str | None] = msgspec.json.Decoder(str | None)
_REMEMBERED: msgspec.json.Decoder[Remembered | LegacyRemembered] = msgspec.json.Decoder(Remembered)
_LEGACY_REMEMBERED: msgspec.json.Decoder[Remembered | LegacyRemembered] = msgspec.json.Decoder(
    LegacyRemembered
)
_SEARCH: msgspec.json.Decoder[SearchAnswer | LegacySearchAnswer] = msgspec.json.Decoder(
    SearchAnswer
)
_LEGACY_SEARCH: msgspec.json.Decoder[SearchAnswer | LegacySearchAnswer] = msgspec.json.Decoder(
    LegacySearchAnswer
)
_ERROR = msgspec.json.Decoder(_ErrorBody)
_FRAMEWORK_ERROR = msgspec.json.Decoder(_FrameworkErrorBody)


def decode_prepared(body: bytes, max_bytes: int) -> str | None:
    """The prepared text in ``body``, or None if it is empty, checked against the budget sent (UTF-8 bytes).

    Raises AnswerError: ``malformed``, ``status_mismatch``, ``byte_count_mismatch`` or ``over_budget``.
    """
    prepared = _decoded(_PREPARED, body)
    content = _decoded(_CONTENT, prepared.content)
    # msgspec keeps the last of two equal keys. The object is flat and nothing but the content may hold a colon of
    # its own, so the other colons count the keys.
    keys = 4 if prepared.reason is UNSET else 5
    if body.count(b":") - bytes(prepared.content).count(b":") != keys:
        raise AnswerError("malformed")
    if content is None and prepared.status == "empty" and prepared.content_bytes == 0:
        return None
    if not content or prepared.status != "ready":
        raise AnswerError("status_mismatch")
    if byte_length(content) != prepared.content_bytes:
        raise AnswerError("byte_count_mismatch")
    if prepared.content_bytes > max_bytes:
        raise AnswerError("over_budget")
    return content


def decode_remembered(body: bytes) -> tuple[Remembered | LegacyRemembered, bool]:
    """The answer to a save, of whichever server generation its keys show, and whether it has keys unknown to us.

    Raises AnswerError ``malformed``.
    """
    fields = _decoded(_ANYTHING, body)
    decoder = (
        _REMEMBERED if isinstance(fields, dict) and "records" in fields else _LEGACY_REMEMBERED
    )
    answer = _decoded(decoder, body)
    return answer, _says_more(fields, msgspec.to_builtins(answer))


def decode_search(body: bytes) -> SearchAnswer | LegacySearchAnswer:
    """The answer to a search, of either server generation. Raises AnswerError ``malformed``."""
    fields = _decoded(_ANYTHING, body)
    legacy = isinstance(fields, dict) and "memory" in fields
    return _decoded(_LEGACY_SEARCH if legacy else _SEARCH, body)


def decode_error(body: bytes) -> tuple[bool, str | None]:
    """Whether an error body has PowerContext's or its framework's shape, and its code if that is a known one."""
    try:
        code = _decoded(_ERROR, body).error.code
    except AnswerError:
        pass
    else:
        return True, code if code in KNOWN_CODES else None
    try:
        _decoded(_FRAMEWORK_ERROR, body)
    except AnswerError:
        return False, None
    return True, None


def _decoded(decoder: msgspec.json.Decoder[T], body: bytes | msgspec.Raw) -> T:
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    # Raised out here, so that the decoder's own error, which quotes the body, is not in the chain.
    raise AnswerError("malformed")


def _says_more(said: object, known: object) -> bool:
    if isinstance(said, dict) and isinstance(known, dict):
        return not said.keys() <= known.keys() or any(
            _says_more(said[key], known[key]) for key in said
        )
    if isinstance(said, list) and isinstance(known, list):
        return any(map(_says_more, said, known))
    return False
