# SPDX-License-Identifier: Apache-2.0
"""One recall: the literal query first, and for a long one that found nothing a second look, within one deadline.

What is returned is always the server's own prepared text, validated and unchanged; the second look only finds better
words to ask with (DESIGN 2.16). Any failure of it leaves the literal answer standing: nothing.
"""

from __future__ import annotations

from powercontext_deerflow import exchanges, focus, wire
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import AnswerError, PowerContextError, ServerError
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
    if not (
        settings.recall_focus and isinstance(literal, NothingRecalled) and focus.is_long(query)
    ):
        return literal
    hits = _look_around(engine, settings, query, deadline.sooner(_SEARCH_SHARE))
    refined = focus.refined(query, hits)
    if refined is None:
        return literal
    focused = _prepared(engine, settings, refined, deadline)
    if isinstance(focused, Recalled):
        return Recalled(focused.content, focused.content_bytes, focused.request_id, focused=True)
    return literal


def _prepared(engine: Engine, settings: Settings, query: str, deadline: Deadline) -> Recall:
    request = wire.PrepareRequest(settings.scope_id, query, settings.max_bytes)
    try:
        prepared, request_id = exchanges.prepare(engine, request, deadline)
    except ServerError as error:
        return RecallFailed(error.code, error.status, error.request_id)
    except AnswerError as error:
        return RecallFailed(error.code, 200, error.request_id)
    except PowerContextError as error:
        return RecallFailed(error.code)
    if prepared is None:
        return NothingRecalled(request_id=request_id)
    return Recalled(*prepared, request_id)


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
        found.update((hit.memory.text, None) for hit in answer.hits if hit.memory.state == "active")
    return list(found)
