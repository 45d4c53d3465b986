# SPDX-License-Identifier: Apache-2.0
"""What is remembered, to be looked at: by words, the best first, or all there is, the newest first.

Whatever a server cannot tell, or not in time, is left out and said to be: the date, how many there are, the rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote

from powercontext_deerflow.api import calls
from powercontext_deerflow.api.wire import ArtifactCitation, records
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import (
    AnswerError,
    InputError,
    PowerContextError,
    ServerError,
    TransportError,
)
from powercontext_deerflow.limits import recall_query
from powercontext_deerflow.operations import memories, words
from powercontext_deerflow.outcomes import Found, Memory
from powercontext_deerflow.transport import IO

MOST: Final = 20
"""Memories that are shown at once."""
_AT_A_TIME, _PAGES = 100, 10
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_COUNTING_SHARE = 0.6
"""Of the deadline; the rest is for the dates, which are looked for last and may stay unknown."""


async def find(io: IO, scope_id: str, query: object, limit: object, deadline: Deadline) -> Found:
    """Raises InputError for a query or limit that is refused; and TransportError, ServerError, AnswerError."""
    if type(limit) is not int or not 1 <= limit <= MOST:
        raise InputError("limit_out_of_range", "limit", f"pass a whole number from 1 to {MOST}")
    asked = recall_query(query)
    if asked is None:
        return await _newest(io, scope_id, limit, deadline)
    seen = await _by_words(io, scope_id, words.as_it_is_asked(asked), limit + 1, deadline)
    shown = await _dated(io, scope_id, seen[:limit], deadline)
    return Found(tuple(shown), more=len(seen) > limit)


async def _by_words(
    io: IO, scope_id: str, query: str, limit: int, deadline: Deadline
) -> list[Memory]:
    request = records.WideRequest(query, limit)
    try:
        found = await calls.wide_search(io, scope_id, request, deadline)
    except ServerError as error:
        if error.status not in (404, 405, 422) or error.code == "scope_not_found":
            raise
        return await memories.search(io, scope_id, query, limit, deadline)
    return [Memory(it.citation, it.content.text, it.content.kind, "active") for it in found]


async def _newest(io: IO, scope_id: str, limit: int, deadline: Deadline) -> Found:
    pages = memories.Pages(io, scope_id, None, at_a_time=_AT_A_TIME)
    counting = deadline.sooner(_COUNTING_SHARE)
    seen: list[Memory] = []
    whole = False
    for _ in range(_PAGES):
        try:
            page = await pages.next(counting)
        except (TransportError, ServerError, AnswerError):
            if not seen:
                raise
            break
        if page is None:
            whole = True
            break
        seen += page
    dated = await _dated(io, scope_id, seen, deadline)
    dated.sort(key=lambda memory: memory.created_at or _LONG_AGO, reverse=True)
    more = not whole or len(seen) > limit
    return Found(tuple(dated[:limit]), len(seen) if whole else None, more)


async def _dated(
    io: IO, scope_id: str, found: Iterable[Memory], deadline: Deadline
) -> list[Memory]:
    """``found``, each with its date if the server tells it in time."""
    wanted = {one.citation: one for one in found}
    undated = {citation for citation in wanted if isinstance(citation, ArtifactCitation)}
    folder = f"/v1/scopes/{quote(scope_id, safe='')}/artifacts/atomic-memory?limit={_AT_A_TIME}"
    after = ""
    for _ in range(_PAGES if undated else 0):
        with suppress(PowerContextError, MemoryError):
            heads, _id = await calls.ask(io, folder + after, None, records.HeadsAnswer, deadline)
            for head in heads.items:
                if head.citation in undated and head.created_at:
                    undated.discard(head.citation)
                    wanted[head.citation] = replace(
                        wanted[head.citation], created_at=head.created_at
                    )
            after = f"&cursor={quote(heads.next_cursor or '', safe='')}"
            if undated and heads.next_cursor and any(head.created_at for head in heads.items):
                continue
        break
    return [*wanted.values()]
