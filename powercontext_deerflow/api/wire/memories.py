# SPDX-License-Identifier: Apache-2.0
"""Saving and searching on the wire, both server generations, told apart by their keys.

Strict in types and required fields, but added keys are tolerated: a committed save must not turn into an error because
a later server says more.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from powercontext_deerflow.api.wire.codec import (
    Identifier,
    Revision,
    T,
    Unshown,
    decoded,
    skimmed,
)
from powercontext_deerflow.errors import AnswerError

Kind = Literal["fact", "preference", "decision", "constraint"]
"""The kinds that this package saves; the server takes any string."""


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
    source_refs: Raw  # lists that are not ours to read; required by the schema
    artifact_refs: Raw

    def __post_init__(self) -> None:
        if not all(bytes(refs).startswith(b"[") for refs in (self.source_refs, self.artifact_refs)):
            raise ValueError("not a list")


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


# The same answers to a save, with no other key in them.


class _ClosedArtifact(ArtifactCitation, frozen=True, forbid_unknown_fields=True):
    pass


class _ClosedRecord(MemoryRecord, frozen=True, forbid_unknown_fields=True):
    artifact: _ClosedArtifact


class _ClosedRemembered(Unshown, frozen=True, forbid_unknown_fields=True):
    changed: bool
    records: list[_ClosedRecord]


class _ClosedMemoryRef(MemoryRef, frozen=True, forbid_unknown_fields=True):
    pass


class _ClosedCitation(EntryCitation, frozen=True, forbid_unknown_fields=True):
    memory_ref: _ClosedMemoryRef


class _ClosedEntry(LegacyEntry, frozen=True, forbid_unknown_fields=True):
    citation: _ClosedCitation


class _ClosedLegacyRemembered(Unshown, frozen=True, forbid_unknown_fields=True):
    memory: _ClosedMemoryRef
    entry: _ClosedEntry | None


class _Keys(Struct, frozen=True):
    """The keys that tell the generations apart."""

    changed: Raw | UnsetType = UNSET
    records: Raw | UnsetType = UNSET
    memory: Raw | UnsetType = UNSET


_KEYS = msgspec.json.Decoder(_Keys)
_REMEMBERED = msgspec.json.Decoder(Remembered)
_CLOSED_REMEMBERED = msgspec.json.Decoder(_ClosedRemembered)
_LEGACY_REMEMBERED = msgspec.json.Decoder(LegacyRemembered)
_CLOSED_LEGACY_REMEMBERED = msgspec.json.Decoder(_ClosedLegacyRemembered)
_SEARCH = msgspec.json.Decoder(SearchAnswer)
_LEGACY_SEARCH = msgspec.json.Decoder(LegacySearchAnswer)


def decode_remembered(body: bytes) -> tuple[Remembered | LegacyRemembered, bool]:
    """The answer to a save, of whichever server generation its keys show, and whether it has keys unknown to us.

    Raises AnswerError ``malformed``.
    """
    keys = skimmed(_KEYS, body)
    if keys.changed is UNSET and keys.records is UNSET:
        return decoded(_LEGACY_REMEMBERED, body), _says_more(_CLOSED_LEGACY_REMEMBERED, body)
    return decoded(_REMEMBERED, body), _says_more(_CLOSED_REMEMBERED, body)


def decode_search(body: bytes) -> SearchAnswer | LegacySearchAnswer:
    """The answer to a search, of either server generation. Raises AnswerError ``malformed``."""
    legacy = skimmed(_KEYS, body).memory is not UNSET
    return decoded(_LEGACY_SEARCH, body) if legacy else decoded(_SEARCH, body)


def _says_more(closed: msgspec.json.Decoder[T], body: bytes) -> bool:
    try:
        decoded(closed, body)
    except AnswerError:
        return True
    return False
