# SPDX-License-Identifier: Apache-2.0
"""The citations and the memories in prepared text, by the headers that the server writes above each memory.

A memory's own words always stand behind ``>``, so nothing that somebody saved can pass
for a citation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from powercontext_deerflow.api.wire import ArtifactCitation, Citation, EntryCitation, MemoryRef

_WORD = r'"([\x21\x23-\x7E]{1,256})"'
_HEADER = re.compile(
    rf"^    Scope: {_WORD}\n"
    rf'    Artifact: family="(atomic-memory|memory)", id={_WORD}, revision=([1-9][0-9]{{0,18}})\n'
    rf"(?:    Entry: id={_WORD}, version={_WORD}\n)?",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Cited:
    """One memory in recalled text: which one, and the Scope that it is in."""

    scope_id: str
    """The bound Scope, or one that it refers to."""
    citation: Citation


def cited(content: str) -> Iterator[Cited]:
    """The citations in ``content``, in its order; a header of an unknown form is passed over."""
    for scope_id, family, artifact_id, revision, entry, version in _HEADER.findall(content):
        if family == "atomic-memory" and not entry:
            yield Cited(scope_id, ArtifactCitation(family, artifact_id, int(revision)))
        elif family == "memory" and entry:
            memory = MemoryRef(family, artifact_id, int(revision))
            yield Cited(scope_id, EntryCitation(memory, entry, version))


def texts(content: str) -> list[str]:
    """The memories in ``content``, in its order; none if it is of an unknown form."""
    headers = list(_HEADER.finditer(content))
    ends = [header.start() for header in headers[1:]] + [len(content)] * bool(headers)
    return [
        "\n".join(line[6:] for line in content[header.end() : end].split("\n") if line[:1] == ">")
        for header, end in zip(headers, ends, strict=True)
    ]
