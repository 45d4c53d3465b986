# SPDX-License-Identifier: Apache-2.0
"""Capturing a Source on the wire. Strict in types and required fields, tolerant of added keys, as saving is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from powercontext_deerflow.api.wire.codec import Revision, Unshown


class SourceRequest(Unshown, frozen=True):
    """``POST /v1/sources/content``, every server; idempotent by ``source_id``."""

    scope_id: str
    source_id: str
    content: str
    metadata: Mapping[str, object] | None


class SourceName(Struct, frozen=True):
    name: Literal["content"]
    source_id: str


class SourceAnswer(Unshown, frozen=True):
    status: Literal["accepted"]
    source: SourceName
    position: Revision
