# SPDX-License-Identifier: Apache-2.0
"""One save: look whether it is there, send it once, and say exactly what is known afterwards.

Servers from 1.3.0 do not de-duplicate, a lost answer does not mean a lost write, and there is no idempotency key. So a
bounded look-up comes first, the mutation is sent once whatever happens, and after a lost or unreadable answer one
bounded look-up may turn *unknown* into *saved*. Absence proves nothing. All of it within one deadline.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from powercontext_deerflow.api import calls, wire
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import AnswerError, ServerError, TransportError
from powercontext_deerflow.operations import lookup
from powercontext_deerflow.operations.lookup import Found
from powercontext_deerflow.outcomes import (
    AlreadySaved,
    Saved,
    SaveNotSent,
    SaveOutcome,
    SaveRejected,
    SaveUnknown,
)
from powercontext_deerflow.transport import IO

_USEFUL_SHARE = 0.05
_LOOK_UP_SHARE = 0.3  # of the deadline; a look-up that hangs must leave time to save
_SEND_SHARE = 0.8  # of what is left then; the rest is for one look-up after a lost answer

NOT_EXECUTED: Final = {
    # Before the request is read: the first layer of the server admits no more requests, or none of this size.
    "server_overloaded": 503,
    "request_too_large": 413,
    # Before the operation is chosen: the credential is looked at first, by a provider that may be down.
    "unauthorized": 401,
    "authentication_unavailable": 503,
    # Before the operation begins: access and the request itself are checked first.
    "forbidden": 403,
    "invalid_access_request": 422,
    "invalid_request": 422,
    "legacy_memory_operation_unsupported": 422,
    # Before the server writes: it embeds the text first. With its embedding endpoint down and with it silent, neither
    # the memory nor a Source was there afterwards (1.3.0 to 1.4.1; older servers save without the embedding).
    "inference_unavailable": 503,
    "inference_timeout": 503,
    # There is no Scope to store it in.
    "scope_not_found": 404,
    # The Scope's memories are not those that the save was compared with, so it was not set.
    "revision_conflict": 409,
    # The losers of a race for the first memory of a Scope: after such races the list of all memories, on each server
    # that has them (1.0.0 to 1.4.0), held the winners only.
    "binding-version": 409,
    "idempotency-key": 409,
}
"""PowerContext's codes, with the status that each comes with, that prove that nothing was stored. Of every other answer
nothing is known: ``access_unavailable`` also comes of a locked database, and what a proxy, a gateway or a framework
says may come after the server has stored the memory."""


def useful_rest(deadline: Deadline) -> float:
    """Seconds that must be left of ``deadline`` when a save's turn comes; sent later, it might end unknown."""
    return deadline.remaining() * _USEFUL_SHARE


async def in_turn(
    io: IO,
    request: wire.RememberRequest,
    check_duplicates: bool,
    read_back: bool,
    useful: float,
    deadline: Deadline,
) -> SaveOutcome:
    """The save, now that those before it have ended. ``request.text`` must be normalised already."""
    if deadline.remaining() < useful:
        return SaveNotSent("saves_ahead")
    try:
        return await _saved(io, request, check_duplicates, read_back, deadline)
    except MemoryError:
        return SaveUnknown("out_of_memory")


async def _saved(
    io: IO,
    request: wire.RememberRequest,
    check_duplicates: bool,
    read_back: bool,
    deadline: Deadline,
) -> SaveOutcome:
    before = Found()
    if check_duplicates:
        before = await lookup.find(io, request, deadline.sooner(_LOOK_UP_SHARE))
    outcome: SaveOutcome | None = None
    if before.citation is not None:
        outcome = AlreadySaved(before.citation)
    else:
        outcome = await _sent(io, request, before, deadline.sooner(_SEND_SHARE))
        if read_back and isinstance(outcome, SaveUnknown):
            outcome = await _read_back(io, request, before, deadline) or outcome
    if isinstance(outcome, Saved | AlreadySaved):
        by = deadline.sooner(_LOOK_UP_SHARE)
        searchable = await lookup.can_be_found(io, request, by)
        return replace(outcome, searchable=searchable, similar=before.similar)
    return outcome


async def _sent(
    io: IO, request: wire.RememberRequest, before: Found, deadline: Deadline
) -> SaveOutcome:
    try:
        answer, request_id = await calls.remember(io, request, deadline)
    except TransportError as error:
        return SaveUnknown(error.code) if error.sent else SaveNotSent(error.code)
    except ServerError as error:
        if nothing_was_stored(error):
            return SaveRejected(error.code, error.status, error.request_id, error.retry_after)
        return SaveUnknown(error.code, error.status, error.request_id)
    except AnswerError as error:
        return SaveUnknown(error.code, error.status, error.request_id)
    outcome = _confirmed(answer, request, before, request_id)
    return outcome or SaveUnknown("answer_mismatch", 200, request_id)


def nothing_was_stored(error: ServerError) -> bool:
    """In PowerContext's own words: its shape, and its code with the status that comes with it."""
    return error.structured and NOT_EXECUTED.get(error.code) == error.status


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
            entries = before.entries or ()
            cited = entries[0] if len(entries) == 1 else None
            return AlreadySaved(cited, request_id, answer.memory)
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


def _is_this(stored: wire.MemoryRecord | wire.LegacyEntry, request: wire.RememberRequest) -> bool:
    return (stored.text, stored.kind, stored.state) == (request.text, request.kind, "active")


async def _read_back(
    io: IO, request: wire.RememberRequest, before: Found, deadline: Deadline
) -> Saved | None:
    after = await lookup.find(io, request, deadline)
    citation = after.citation
    # A legacy hit names no kind: it is this save only if no entry of this text was there before.
    if citation is None and before.entries == () and after.entries:
        citation = after.entries[0]
    return None if citation is None else Saved(citation, confirmed_by="read_back")
