# SPDX-License-Identifier: Apache-2.0
"""``doctor --write-probe``: saves one memory as production does, finds it, corrects it, and forgets it."""

from __future__ import annotations

from collections.abc import Iterator
from secrets import token_hex

from powercontext_deerflow.api import wire
from powercontext_deerflow.doctor.findings import Finding, finding
from powercontext_deerflow.doctor.visit import Visit
from powercontext_deerflow.errors import PowerContextError, ServerError, TransportError
from powercontext_deerflow.outcomes import (
    ChangeRejected,
    Conflict,
    Forgotten,
    Recalled,
    RecallFailed,
    Revised,
    Saved,
    SaveNotSent,
    SaveRejected,
)


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
    citation = saved.citation
    missed = [*_not_found(visit, text, citation), *_not_recalled(visit, text, mark)]
    citation, uncorrected = _corrected(visit, citation, text)
    missed += [*uncorrected, *_not_retired(visit, citation)]
    yield from missed or [finding("probe", "probe_ok")]


def _corrected(
    visit: Visit, citation: wire.ArtifactCitation, text: str
) -> tuple[wire.ArtifactCitation, list[Finding]]:
    """The revision to forget, and what is wrong with the correction."""
    code: str | None
    made: wire.Citation
    try:
        by = visit.overall.sooner(1 / 3)  # the most is kept for forgetting it
        outcome = visit.client.revise(citation, f"{text} Corrected.", "fact", deadline=by)
        if isinstance(outcome, Revised):
            code, made = None, outcome.memory.citation
        else:
            by = visit.overall.sooner(1 / 4)
            code, made = outcome.code, visit.client.head(citation, deadline=by).citation
    except PowerContextError as error:
        code, made = error.code, citation
    found = [] if code is None else [finding("probe", "probe_not_corrected", code)]
    return (made if isinstance(made, wire.ArtifactCitation) else citation), found


def _not_found(visit: Visit, text: str, citation: wire.ArtifactCitation) -> Iterator[Finding]:
    try:
        found = visit.client.search(text, 5, deadline=visit.overall.sooner(1 / 4))
    except PowerContextError as error:
        yield finding("probe", "probe_not_checked", error.code)
        return
    if all(memory.citation != citation for memory in found):
        yield finding("probe", "probe_not_found")


def _not_recalled(visit: Visit, text: str, mark: str) -> Iterator[Finding]:
    recalled = visit.client.recall(text, deadline=visit.overall.sooner(1 / 3))
    if isinstance(recalled, RecallFailed):
        yield finding("probe", "probe_not_checked", recalled.code)
    elif not isinstance(recalled, Recalled) or mark not in recalled.content:
        yield finding("probe", "probe_not_recalled")


def _not_retired(visit: Visit, citation: wire.ArtifactCitation) -> Iterator[Finding]:
    """What is known of it: a lost answer says nothing, so that we look."""
    unknown = "probe_retirement_unknown"
    try:
        deadline = visit.overall.sooner(2 / 3)
        outcome = visit.client.forget(citation, deadline=deadline)
        if isinstance(outcome, Forgotten):
            return
        if isinstance(outcome, ChangeRejected | Conflict):
            unknown = "probe_not_retired"
    except TransportError as error:
        unknown = unknown if error.sent else "probe_not_retired"
    except ServerError as error:
        refused = error.status < 500 and error.code in wire.KNOWN_CODES
        unknown = "probe_not_retired" if refused else unknown
    except PowerContextError:
        pass
    try:
        if visit.client.get(citation, deadline=visit.overall).state == "active":
            yield finding("probe", "probe_not_retired")
    except PowerContextError:
        yield finding("probe", unknown)
