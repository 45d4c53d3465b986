# SPDX-License-Identifier: Apache-2.0
"""One recall: the literal query first, then, if that found nothing that is meant, a second look, within one deadline.

What is returned is always the server's own prepared text, validated and unchanged; the second look only finds better
words to ask with. Any failure of it leaves the literal answer standing.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from powercontext_deerflow.api import calls, citations, wire
from powercontext_deerflow.api.wire import records
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import AnswerError, PowerContextError, ServerError, TransportError
from powercontext_deerflow.limits import recall_query
from powercontext_deerflow.operations import choice, forms, second_look
from powercontext_deerflow.outcomes import NothingRecalled, Recall, Recalled, RecallFailed
from powercontext_deerflow.settings import Settings
from powercontext_deerflow.transport import IO

_SEARCH_SHARE = 0.6
"""Of what the literal query left of the deadline; the rest is kept for the last request."""
_HITS = 50
"""Of the wide search; as many of the longest memories as surely fit under the cap of an answer."""
_HITS_OF_A_PIECE = 10
_MEMORIES = 6
"""Of the literal query, as the RFC asks for them."""


async def recall(io: IO, settings: Settings, query: object, deadline: Deadline) -> Recall:
    """Raises InputError for a ``query`` that is not text; every failure after that is a RecallFailed."""
    bounded = recall_query(query)
    if bounded is None:
        return NothingRecalled("no_query")
    literal, wide = await _prepared(io, settings, bounded, _MEMORIES, deadline)
    if settings.recall_focus and not isinstance(literal, RecallFailed):
        with suppress(PowerContextError, MemoryError):
            return await _looked_at(io, settings, bounded, literal, wide, deadline)
    return literal


async def _looked_at(
    io: IO,
    settings: Settings,
    query: str,
    literal: Recalled | NothingRecalled,
    wide: bool,
    deadline: Deadline,
) -> Recall:
    """``literal`` if the query means its memories and no others; else what a second look finds, or nothing."""
    told: list[str] = []
    if isinstance(literal, Recalled):
        shown = citations.texts(literal.content)
        if not wide or not shown:
            return literal
        told = await io.compute(lambda: choice.meant(query, shown), deadline)
        if told and not await io.compute(lambda: choice.leaves(query, told), deadline):
            return literal
    look = _wide_search if wide else _pieces
    found = await look(io, settings, query, deadline.sooner(_SEARCH_SHARE))
    chosen = (
        await io.compute(lambda: choice.choose(query, found, told), deadline) if found else None
    )
    if chosen is None:
        return literal if told else NothingRecalled(request_id=literal.request_id)
    focused, _ = await _prepared(io, settings, chosen.query, chosen.number, deadline)
    return replace(focused, focused=True) if isinstance(focused, Recalled) else literal


async def _prepared(
    io: IO, settings: Settings, query: str, number: int, deadline: Deadline
) -> tuple[Recall, bool]:
    """What the server prepares of at most so many memories, and whether it takes a wide search."""
    request = wire.PrepareRequest(
        settings.scope_id, query, settings.max_bytes, wire.assembly(number)
    )
    try:
        prepared = await calls.prepare(io, request, deadline)
    except (TransportError, ServerError, AnswerError) as error:
        return RecallFailed(error.code, error.status, error.request_id, error.retry_after), False
    except MemoryError:
        return RecallFailed("out_of_memory"), False
    if prepared.text is None:
        return NothingRecalled(request_id=prepared.request_id), prepared.wide
    return Recalled(*prepared.text, prepared.request_id), prepared.wide


async def _wide_search(io: IO, settings: Settings, query: str, deadline: Deadline) -> list[str]:
    """The memories that share a word with ``query`` in any of its forms, the best first."""
    widened = await io.compute(lambda: forms.widened(query), deadline)
    if not widened:
        return []
    request = records.WideRequest(widened, _HITS)
    found = await calls.wide_search(io, settings.scope_id, request, deadline)
    return [one.content.text for one in found]


async def _pieces(io: IO, settings: Settings, query: str, deadline: Deadline) -> list[str]:
    """The memories that short pieces of ``query`` find, those found more often first; what there is when time or server
    gave out."""
    found: dict[str, float] = {}
    for piece in await io.compute(lambda: second_look.pieces(query), deadline):
        request = wire.SearchRequest(settings.scope_id, piece, _HITS_OF_A_PIECE)
        try:
            answer = await calls.search(io, request, deadline)
        except PowerContextError:
            break
        if not isinstance(answer, wire.SearchAnswer):
            break  # a legacy hit does not say whether its memory is active
        for rank, hit in enumerate(answer.hits):
            if hit.memory.state == "active":
                text = hit.memory.text
                found[text] = found.get(text, 0) + 1 / (1 + rank)
    return sorted(found, key=found.__getitem__, reverse=True)[:_HITS]
