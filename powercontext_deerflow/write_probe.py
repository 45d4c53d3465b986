# SPDX-License-Identifier: Apache-2.0
"""``doctor --write-probe``: saves one memory as production does, finds it, and retires it."""

from __future__ import annotations

from collections.abc import Iterator
from secrets import token_hex

from powercontext_deerflow import wire
from powercontext_deerflow.errors import PowerContextError
from powercontext_deerflow.findings import Finding, finding
from powercontext_deerflow.outcomes import Forgotten, Recalled, Saved, SaveNotSent, SaveRejected
from powercontext_deerflow.visit import Visit


def probe(visit: Visit) -> Iterator[Finding]:
    """Whatever is not found is retired all the same, within the time that is left."""
    if visit.before_130:
        yield finding("probe", "probe_needs_newer_server")
        return
    mark = token_hex(8)
    text = f"powercontext-deerflow doctor probe {mark}: written and retired by the doctor."
    # Half of what is left to save, half of the rest to find: time to retire remains in any case.
    saved = visit.client.remember(
        text,
        deadline=visit.within(
            min(visit.settings.remember_timeout_seconds, visit.overall.remaining() / 2)
        ),
    )
    if isinstance(saved, SaveRejected | SaveNotSent):
        yield finding("probe", "probe_not_saved", saved.code)
        return
    if not isinstance(saved, Saved) or not isinstance(saved.citation, wire.ArtifactCitation):
        yield finding("probe", "probe_unconfirmed")
        return
    missed = list(_not_found(visit, text, mark, saved.citation))
    if not _retired(visit, saved.citation):
        missed.append("probe_not_retired")
    for code in missed or ["probe_ok"]:
        yield finding("probe", code)


def _not_found(
    visit: Visit, text: str, mark: str, citation: wire.ArtifactCitation
) -> Iterator[str]:
    deadline = visit.overall.sooner(0.5)
    try:
        found = visit.client.search(text, 5, deadline=deadline)
    except PowerContextError:
        found = []
    if all(memory.citation != citation for memory in found):
        yield "probe_not_found"
    recalled = visit.client.recall(text, deadline=deadline)
    if not isinstance(recalled, Recalled) or mark not in recalled.content:
        yield "probe_not_recalled"


def _retired(visit: Visit, citation: wire.ArtifactCitation) -> bool:
    try:
        return isinstance(visit.client.forget(citation, deadline=visit.overall), Forgotten)
    except PowerContextError:
        return False
