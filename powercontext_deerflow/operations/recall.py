# SPDX-License-Identifier: Apache-2.0
"""One recall: the literal query first, and for a long one that found nothing a second look, within one deadline.

What is returned is always the server's own prepared text, validated and unchanged; the second look only finds better
words to ask with. Any failure of it leaves the literal answer standing: nothing.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from powercontext_deerflow.api import calls, wire
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import AnswerError, PowerContextError, ServerError, TransportError
from powercontext_deerflow.limits import recall_query
from powercontext_deerflow.operations import second_look
from powercontext_deerflow.outcomes import NothingRecalled, Recall, Recalled, RecallFailed
from powercontext_deerflow.settings import Settings
from powercontext_deerflow.transport import IO

_SEARCH_SHARE = 0.6
"""Of what the literal query left of the deadline; the rest is kept for the last request."""
_HITS = 10
"""Of each piece."""


async def recall(io: IO, settings: Settings, query: object, deadline: Deadline) -> Recall:
    """Raises InputError for a ``query`` that is not text; every failure after that is a RecallFailed."""
    bounded = recall_query(query)
    if bounded is None:
        return NothingRecalled("no_query")
    literal = await _prepared(io, settings, bounded, deadline)
    if (
        settings.recall_focus
        and isinstance(literal, NothingRecalled)
        and second_look.is_long(bounded)
    ):
        with suppress(PowerContextError, MemoryError):
            return await _second_look(io, settings, bounded, deadline) or literal
    return literal


async def _prepared(io: IO, settings: Settings, query: str, deadline: Deadline) -> Recall:
    request = wire.PrepareRequest(settings.scope_id, query, settings.max_bytes)
    try:
        prepared = await calls.prepare(io, request, deadline)
    except (TransportError, ServerError, AnswerError) as error:
        return RecallFailed(error.code, error.status, error.request_id, error.retry_after)
    except MemoryError:
        return RecallFailed("out_of_memory")
    if prepared.text is None:
        return NothingRecalled(request_id=prepared.request_id)
    return Recalled(*prepared.text, prepared.request_id)


async def _second_look(
    io: IO, settings: Settings, query: str, deadline: Deadline
) -> Recalled | None:
    hits = await _look_around(io, settings, query, deadline.sooner(_SEARCH_SHARE))
    if not hits or deadline.expired:
        return None
    refined = await io.compute(lambda: second_look.refined(query, hits), deadline)
    if refined is None:
        return None
    focused = await _prepared(io, settings, refined, deadline)
    return replace(focused, focused=True) if isinstance(focused, Recalled) else None


async def _look_around(io: IO, settings: Settings, query: str, deadline: Deadline) -> list[str]:
    """The distinct active memories that short pieces of ``query`` find; what was found when time or server gave out."""
    found: dict[str, None] = {}
    for piece in await io.compute(lambda: second_look.pieces(query), deadline):
        request = wire.SearchRequest(settings.scope_id, piece, _HITS)
        try:
            answer = await calls.search(io, request, deadline)
        except PowerContextError:
            break
        if not isinstance(answer, wire.SearchAnswer):
            break  # a legacy hit does not say whether its memory is active
        hits = answer.hits
        found.update((hit.memory.text, None) for hit in hits if hit.memory.state == "active")
    return list(found)
