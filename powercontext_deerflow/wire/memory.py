# SPDX-License-Identifier: Apache-2.0
"""Saving and searching on the wire, both server generations, told apart by their keys.

Strict in types and required fields, but added keys are tolerated: a committed save must not turn into an error because
a later server says more (facts: server-versions, "Wire groups").
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from powercontext_deerflow.wire.decoding import Identifier, Revision, Unshown, decoded

Kind = Literal["fact", "preference", "decision", "constraint"]
"""The kinds that this package saves; the server takes any string (facts: powercontext-api A2)."""


class RememberRequest(Unshown, frozen=True):
    scope_id: str
    kind: str
    text: str


class SearchRequest(Unshown, frozen=True):
    scope_id: str
    query: str
    limit: int
    mode: Literal["fts"] = "fts"  # a server without an embedding model answers other modes with 500


class ArtifactCitation(Struct, frozen=True):
    """One exact revision of a memory, servers from 1.3.0."""

    family: Literal["atomic-memory"]
    artifact_id: Identifier
    revision: Revision


class RetireTarget(Struct, frozen=True):
    artifact: ArtifactCitation
    state_version: int


class RetireRequest(Struct, frozen=True):
    """``POST /v1/atomic-memory/lifecycle``, servers from 1.3.0."""

    scope_id: str
    target: RetireTarget
    state: Literal["forgotten"] = "forgotten"


class MemoryRef(Struct, frozen=True):
    """One revision of all the memories of a Scope, servers up to 1.2.0."""

    family: Literal["memory"]
    artifact_id: Identifier
    revision: Revision


class EntryCitation(Struct, frozen=True):
    """One exact version of a memory entry, servers up to 1.2.0."""

    memory_ref: MemoryRef
    entry_id: Identifier
    entry_version_id: Identifier


Citation = ArtifactCitation | EntryCitation
"""What names one memory: of servers from 1.3.0, or up to 1.2.0."""


class MemoryRecord(Unshown, frozen=True):
    artifact: ArtifactCitation
    kind: Annotated[str, Meta(min_length=1, max_length=128)]
    text: str
    state: Literal["active", "forgotten", "merged", "retired"]
    state_version: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    merged_into_id: str | None


class Remembered(Unshown, frozen=True):
    """The answer of servers from 1.3.0."""

    changed: bool
    records: list[MemoryRecord]


class LegacyEntry(Unshown, frozen=True):
    citation: EntryCitation
    version: Revision
    kind: Annotated[str, Meta(min_length=1, max_length=128)]
    text: str
    state: Literal["active", "inactive"]
    source_refs: list[msgspec.Raw]  # not ours to read; required by the schema
    artifact_refs: list[msgspec.Raw]


class LegacyRemembered(Unshown, frozen=True):
    """The answer of servers up to 1.2.0; ``entry`` is null when the memory was already there."""

    memory: MemoryRef
    entry: LegacyEntry | None


class Hit(Unshown, frozen=True):
    memory: MemoryRecord
    score: float
    matched_by: list[str]


class LegacyHit(Unshown, frozen=True):
    """Names no kind and no state; only active entries are found."""

    citation: EntryCitation
    text: str
    score: float
    matched_by: list[str]


class SearchAnswer(Unshown, frozen=True):
    mode: str
    hits: list[Hit]


class LegacySearchAnswer(Unshown, frozen=True):
    """``memory`` and ``mode`` are null in a Scope that holds no memory yet."""

    memory: MemoryRef | None
    mode: str | None
    hits: list[LegacyHit]


_ANYTHING = msgspec.json.Decoder(object)
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


def decode_remembered(body: bytes) -> tuple[Remembered | LegacyRemembered, bool]:
    """The answer to a save, of whichever server generation its keys show, and whether it has keys unknown to us.

    Raises AnswerError ``malformed``.
    """
    fields = decoded(_ANYTHING, body)
    decoder = (
        _REMEMBERED
        if isinstance(fields, dict) and fields.keys() & {"changed", "records"}
        else _LEGACY_REMEMBERED
    )
    answer = decoded(decoder, body)
    return answer, _says_more(fields, answer)


def decode_search(body: bytes) -> SearchAnswer | LegacySearchAnswer:
    """The answer to a search, of either server generation. Raises AnswerError ``malformed``."""
    fields = decoded(_ANYTHING, body)
    legacy = isinstance(fields, dict) and "memory" in fields
    return decoded(_LEGACY_SEARCH if legacy else _SEARCH, body)


def _says_more(said: Any, known: object) -> bool:  # plain JSON beside what was made of it
    if isinstance(known, Struct):
        names = known.__struct_fields__
        return not said.keys() <= set(names) or any(
            _says_more(said[name], getattr(known, name)) for name in names
        )
    return isinstance(known, list) and any(map(_says_more, said, known))
