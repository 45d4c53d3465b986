# SPDX-License-Identifier: Apache-2.0
"""Changes of one entry, as servers up to 1.2.0 keep memories: all of them under one head, which every save moves."""

from __future__ import annotations

from typing import Final

from powercontext_deerflow.api import wire
from powercontext_deerflow.api.calls import ask
from powercontext_deerflow.api.wire import records
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import AnswerError, ServerError
from powercontext_deerflow.operations import memories
from powercontext_deerflow.operations.deciding import Moved, decided, is_stale
from powercontext_deerflow.outcomes import (
    ChangeRejected,
    ForgetOutcome,
    Forgotten,
    Memory,
    Revised,
    ReviseOutcome,
)
from powercontext_deerflow.transport import IO

_HEADS: Final = 5
"""Times that a change is sent with the head of the moment, before there are too many other saves."""


async def revise(
    io: IO,
    scope_id: str,
    citation: wire.EntryCitation,
    text: str,
    kind: str | None,
    deadline: Deadline,
) -> ReviseOutcome:
    """Servers up to 1.2.0 take a change for the head of all memories only, which every save moves."""
    before = await memories.get(io, scope_id, citation, deadline)
    said = (citation.entry_id, kind or before.kind or "", text)

    async def listed(by: Deadline) -> wire.LegacyEntry | None:
        answer = await memories.entries(io, scope_id, by, inactive=True)
        same = (one for one in answer.entries if one.citation.entry_id == citation.entry_id)
        return next(same, None)

    async def made(by: Deadline) -> Revised:
        for last in (False,) * (_HEADS - 1) + (True,):
            entry = await listed(by)
            if entry is None or entry.state != "active":
                raise Moved  # a retired one cannot be revised there
            current = entry.citation
            if current.entry_version_id != citation.entry_version_id:
                raise Moved
            try:
                request = records.EntryRevision(scope_id, current, *said[1:])
                path = "/v1/memory/entries/revise"
                answer, request_id = await ask(io, path, request, wire.LegacyRemembered, by)
            except ServerError as error:
                if last or not is_stale(error):
                    raise
                continue
            stored = answer.entry
            if stored is None or (stored.citation.entry_id, stored.kind, stored.text) != said:
                raise AnswerError("answer_mismatch", request_id, 200)
            return Revised(memories.memory_of(stored), request_id)
        raise Moved

    async def seen(by: Deadline) -> Revised | None:
        entry = await listed(by)
        if entry is None or (entry.citation.entry_id, entry.kind, entry.text) != said:
            return None
        return Revised(memories.memory_of(entry), confirmed_by="read_back")

    return await decided(io, made, seen, deadline)


async def retire(
    io: IO, scope_id: str, citation: wire.EntryCitation, deadline: Deadline
) -> ForgetOutcome:
    async def made(by: Deadline) -> Forgotten:
        request, path = records.EntryRequest(scope_id, citation), "/v1/memory/entries/retire"
        answer, request_id = await ask(io, path, request, wire.LegacyRemembered, by)
        memory = None if answer.entry is None else memories.memory_of(answer.entry)
        if memory is None or not _is_this_inactive(memory):
            raise AnswerError("answer_mismatch", request_id, 200)
        return Forgotten(memory, request_id)

    async def seen(by: Deadline) -> Forgotten | None:
        answer = await memories.entries(io, scope_id, by, inactive=True)
        found = (one for one in map(memories.memory_of, answer.entries) if _is_this_inactive(one))
        return next((Forgotten(one, confirmed_by="read_back") for one in found), None)

    def _is_this_inactive(memory: Memory) -> bool:
        named = memory.citation
        return (
            isinstance(named, wire.EntryCitation)
            and named.entry_id == citation.entry_id
            and named.entry_version_id == citation.entry_version_id
            and memory.state == "inactive"
        )

    outcome = await decided(io, made, seen, deadline)
    if isinstance(outcome, ChangeRejected) and outcome.code == "not_yours":
        # Said of an entry that is not there, too: reading it raises then.
        await memories.get(io, scope_id, citation, deadline)
    return outcome
