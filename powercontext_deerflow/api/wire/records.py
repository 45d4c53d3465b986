# SPDX-License-Identifier: Apache-2.0
"""Listing, reading and forgetting memories on the wire, both server generations.

Strict in types and required fields, tolerant of added keys, as saving is.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from powercontext_deerflow.api.wire.codec import Identifier, Revision, Unshown
from powercontext_deerflow.api.wire.memories import (
    ArtifactCitation,
    EntryCitation,
    LegacyEntry,
    MemoryRecord,
    MemoryRef,
)


class ListRequest(Unshown, frozen=True):
    """``POST /v1/atomic-memory/list``, servers from 1.3.0."""

    scope_id: str
    kind: str | None
    cursor: str | None
    limit: int
    states: tuple[str, ...] = ("active",)


class ListAnswer(Unshown, frozen=True):
    items: list[MemoryRecord]
    next_cursor: Annotated[str, Meta(min_length=1, max_length=4096)] | None


class StateAnswer(Struct, frozen=True):
    """``GET .../state``, servers from 1.3.0: the current revision of a memory and where it is in its life."""

    artifact: ArtifactCitation
    state: Literal["active", "forgotten", "merged", "retired"]
    state_version: Annotated[int, Meta(ge=0, le=2**63 - 1)]


class RevisionContent(Unshown, frozen=True):
    schema: Literal["powercontext.atomic-memory.v1"]
    kind: str
    text: str


class RevisionAnswer(Unshown, frozen=True):
    """``GET .../revisions/{revision}``: what one exact revision says; it never changes."""

    family: Literal["atomic-memory"]
    artifact_id: Identifier
    revision: Revision
    content: RevisionContent

    @property
    def citation(self) -> ArtifactCitation:
        return ArtifactCitation(self.family, self.artifact_id, self.revision)


class KindFilter(Struct, frozen=True):
    kind: str


class Admission(Struct, frozen=True):
    """What a memory must share with the query; of anything less than this it shares nothing."""

    lexical_coverage: float = 0.0  # of the words
    lexical_min_matched_terms: int = 1


class WideRequest(Unshown, frozen=True):
    """``POST /v1/scopes/{scope_id}/artifacts/atomic-memory/search``, servers from 1.4.0; ``limit`` is 1 to 100."""

    query: str
    limit: int
    mode: Literal["text"] = "text"
    admission: Admission = Admission()
    filters: KindFilter | UnsetType = UNSET


class WideAnswer(Unshown, frozen=True):
    """The current revisions of active memories, the best first."""

    results: list[RevisionAnswer]


class EntriesRequest(Struct, frozen=True):
    """``POST /v1/memory/entries/list``, servers up to 1.2.0, which give all active ones at once."""

    scope_id: str


class EntriesAnswer(Unshown, frozen=True):
    memory: MemoryRef | None
    entries: list[LegacyEntry]


class EntryRequest(Struct, frozen=True):
    """To read or to retire one entry, servers up to 1.2.0."""

    scope_id: str
    citation: EntryCitation
