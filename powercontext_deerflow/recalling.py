# SPDX-License-Identifier: Apache-2.0
"""One recall: the literal query first, and for a long one that found nothing a second look, within one deadline.

What is returned is always the server's own prepared text, validated and unchanged; the second look only finds better
words to ask with. Any failure of it leaves the literal answer standing: nothing.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial

from powercontext_deerflow import exchanges, focus, wire
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import PowerContextError, TransportError
from powercontext_deerflow.outcomes import NothingRecalled, Recall, Recalled, RecallFailed
from powercontext_deerflow.settings import Settings
from powercontext_deerflow.transport import Engine

_SEARCH_SHARE = (
    0.6  # of what the literal query left of the deadline; the rest is kept for the last request
)
_HITS = 10  # of each piece


def recall(engine: Engine, settings: Settings, query: str, deadline: Deadline) -> Recall:
    """``query`` must be bounded already (``text.recall_query``)."""
    literal = _prepared(engine, settings, query, deadline)
    if _deserves_a_second_look(settings, query, literal):
        return _second_look(engine, settings, query, deadline) or literal
    return literal


async def arecall(engine: Engine, settings: Settings, query: str, deadline: Deadline) -> Recall:
    """As ``recall``, without blocking the event loop."""
    request = wire.PrepareRequest(settings.scope_id, query, settings.max_bytes)
    try:
        literal = _outcome(*await exchanges.aprepare(engine, request, deadline))
    except PowerContextError as error:
        return RecallFailed(error.code, error.status, error.request_id, error.retry_after)
    except MemoryError:
        return RecallFailed("out_of_memory")
    if _deserves_a_second_look(settings, query, literal):
        with suppress(TransportError):  # no thread for it
            look = partial(_second_look, engine, settings, query, deadline)
            return await engine.workers.run(look, deadline) or literal
    return literal


def _prepared(engine: Engine, settings: Settings, query: str, deadline: Deadline) -> Recall:
    request = wire.PrepareRequest(settings.scope_id, query, settings.max_bytes)
    try:
        return _outcome(*exchanges.prepare(engine, request, deadline))
    except PowerContextError as error:
        return RecallFailed(error.code, error.status, error.request_id, error.retry_after)
    except MemoryError:
        return RecallFailed("out_of_memory")


def _outcome(prepared: tuple[str, int] | None, request_id: str | None) -> Recall:
    if prepared is None:
        return NothingRecalled(request_id=request_id)
    return Recalled(*prepared, request_id)


def _deserves_a_second_look(settings: Settings, query: str, literal: Recall) -> bool:
    return settings.recall_focus and isinstance(literal, NothingRecalled) and focus.is_long(query)


def _second_look(
    engine: Engine, settings: Settings, query: str, deadline: Deadline
) -> Recalled | None:
    hits = _look_around(engine, settings, query, deadline.sooner(_SEARCH_SHARE))
    refined = None if deadline.expired else focus.refined(query, hits)
    if refined is None:
        return None
    focused = _prepared(engine, settings, refined, deadline)
    return replace(focused, focused=True) if isinstance(focused, Recalled) else None


def _look_around(engine: Engine, settings: Settings, query: str, deadline: Deadline) -> list[str]:
    """The distinct active memories that short pieces of ``query`` find; what was found when time or server gave out."""
    found: dict[str, None] = {}
    for piece in focus.pieces(query):
        try:
            answer = exchanges.search(
                engine, wire.SearchRequest(settings.scope_id, piece, _HITS), deadline
            )
        except PowerContextError:
            break
        if not isinstance(answer, wire.SearchAnswer):
            break  # a legacy hit does not say whether its memory is active
        asked_for = answer.hits[:_HITS]
        found.update((hit.memory.text, None) for hit in asked_for if hit.memory.state == "active")
    return list(found)
