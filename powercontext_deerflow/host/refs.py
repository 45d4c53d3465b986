# SPDX-License-Identifier: Apache-2.0
"""A memory's citation as one word that a model can copy: ``art_…@1``, or ``entry@version`` of servers up to 1.2.0."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from powercontext_deerflow.api.wire import ArtifactCitation, Citation
from powercontext_deerflow.errors import InputError
from powercontext_deerflow.limits import exact

_LONGEST: Final = 2 * 256 + 1
_REF = re.compile(r"([A-Za-z0-9._~-]{1,256})@([A-Za-z0-9._~-]{1,256})\Z")
_REVISION = re.compile(r"[1-9][0-9]{0,18}\Z")


class EntryRef(NamedTuple):
    """An entry of a server up to 1.2.0; what else its citation has, moves with every save of the Scope."""

    entry_id: str
    entry_version_id: str


def ref(citation: Citation) -> str:
    if isinstance(citation, ArtifactCitation):
        return f"{citation.artifact_id}@{citation.revision}"
    return f"{citation.entry_id}@{citation.entry_version_id}"


def read(given: object) -> ArtifactCitation | EntryRef:
    """What ``given`` names. Raises InputError for anything but a ref, so that no words ever choose a memory."""
    text = exact(given)
    found = _REF.match(text) if text is not None and len(text) <= _LONGEST else None
    if found is None:
        advice = "pass the ref as find gave it, like art_0123@1"
        raise InputError("ref_missing" if given is None else "ref_unusable", "ref", advice)
    name, version = found.groups()
    if not _REVISION.match(version):
        return EntryRef(name, version)
    if int(version) > 2**63 - 1:
        raise InputError("ref_unusable", "ref", "pass the ref as find gave it, like art_0123@1")
    return ArtifactCitation("atomic-memory", name, int(version))
