# SPDX-License-Identifier: Apache-2.0
"""One save: look whether it is there, send it once, and say exactly what is known afterwards (DESIGN 2.2 and 2.3).

Servers from 1.3.0 do not de-duplicate, a lost answer does not mean a lost write, and there is no idempotency key. So a
bounded look-up comes first, the mutation is sent once whatever happens, and after a lost or unreadable answer one
bounded look-up may turn *unknown* into *saved*. Absence proves nothing. All of it within one deadline.
"""

from __future__ import annotations

from collections.abc import Iterator

from powercontext_deerflow import exchanges, wire
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import AnswerError, PowerContextError, ServerError, TransportError
from powercontext_deerflow.outcomes import (
    AlreadySaved,
    Saved,
    SaveNotSent,
    SaveOutcome,
    SaveRejected,
    SaveUnknown,
)
from powercontext_deerflow.transport import Engine

_LOOK_UP_SHARE = 0.3  # of the deadline; a look-up that hangs must leave time to save
_SEND_SHARE = 0.8  # of what is left then; the rest is for one look-up after a lost answer
_LOOK_UP_LIMIT = 20  # hits; equal texts rank first, and there are few kinds

Found = wire.SearchAnswer | wire.LegacySearchAnswer | None


def save(
    engine: Engine,
    request: wire.RememberRequest,
    check_duplicates: bool,
    read_back: bool,
    deadline: Deadline,
) -> SaveOutcome:
    """``request.text`` must be normalised already (``text.memory_text``)."""
    before = None
    if check_duplicates:
        before = _look_up(engine, request, deadline.sooner(_LOOK_UP_SHARE))
    for citation in _exact(before, request):
        return AlreadySaved(citation)
    try:
        answer, request_id = exchanges.remember(engine, request, deadline.sooner(_SEND_SHARE))
        outcome = _confirmed(answer, request, before, request_id)
        if outcome is not None:
            return outcome
        unknown = SaveUnknown("answer_mismatch", 200, request_id)
    except TransportError as error:
        if not error.sent:
            return SaveNotSent(error.code)
        unknown = SaveUnknown(error.code)
    except ServerError as error:
        # Only a refusal in PowerContext's own words proves that nothing was stored (facts: failure-classes B7 l, m).
        if error.structured and 400 <= error.status < 500:
            return SaveRejected(error.code, error.status, error.request_id)
        unknown = SaveUnknown(error.code, error.status, error.request_id)
    except AnswerError as error:
        unknown = SaveUnknown(error.code, error.status, error.request_id)
    return (read_back and _read_back(engine, request, before, deadline)) or unknown


def _look_up(engine: Engine, request: wire.RememberRequest, deadline: Deadline) -> Found:
    """Whatever is stored with words like these; None if the look-up failed, which never blocks a save."""
    search = wire.SearchRequest(request.scope_id, request.text, _LOOK_UP_LIMIT)
    try:
        return exchanges.search(engine, search, deadline)
    except PowerContextError:
        return None


def _exact(found: Found, request: wire.RememberRequest) -> Iterator[wire.ArtifactCitation]:
    """Citations of active memories with this very text and kind. A legacy hit names no kind, so it is never one."""
    for hit in found.hits if isinstance(found, wire.SearchAnswer) else ():
        if _is_this(hit.memory, request):
            yield hit.memory.artifact


def _same_text(found: Found, request: wire.RememberRequest) -> list[wire.EntryCitation]:
    hits = found.hits if isinstance(found, wire.LegacySearchAnswer) else []
    return [hit.citation for hit in hits if hit.text == request.text]


def _is_this(stored: wire.MemoryRecord | wire.LegacyEntry, request: wire.RememberRequest) -> bool:
    return (stored.text, stored.kind, stored.state) == (request.text, request.kind, "active")


def _confirmed(
    decoded: tuple[wire.Remembered | wire.LegacyRemembered, bool],
    request: wire.RememberRequest,
    before: Found,
    request_id: str | None,
) -> SaveOutcome | None:
    """What a 200 confirms about this very text and kind; None if it confirms nothing about them."""
    answer, unfamiliar_keys = decoded
    if isinstance(answer, wire.LegacyRemembered):
        if answer.entry is None:
            # The server found this text and kind itself. With one entry of that text, it is that one.
            entries = _same_text(before, request)
            return AlreadySaved(
                entries[0] if len(entries) == 1 else None, request_id, answer.memory
            )
        if _is_this(answer.entry, request):
            return Saved(answer.entry.citation, request_id, unfamiliar_keys)
        return None
    for record in answer.records:
        if _is_this(record, request):
            if answer.changed:
                return Saved(record.artifact, request_id, unfamiliar_keys)
            return AlreadySaved(record.artifact, request_id)
    if not answer.changed and not answer.records:
        return AlreadySaved(None, request_id)
    return None


def _read_back(
    engine: Engine, request: wire.RememberRequest, before: Found, deadline: Deadline
) -> Saved | None:
    after = _look_up(engine, request, deadline)
    for citation in _exact(after, request):
        return Saved(citation, confirmed_by="read_back")
    # A legacy hit names no kind: it is this save only if no entry of this text was there before.
    if isinstance(before, wire.LegacySearchAnswer) and not _same_text(before, request):
        for entry in _same_text(after, request):
            return Saved(entry, confirmed_by="read_back")
    return None
