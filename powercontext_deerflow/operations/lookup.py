# SPDX-License-Identifier: Apache-2.0
"""Where an equal memory is stored already: looked for where it can be found, with as few requests as make it sure.

A search that gives fewer hits than it may has found every memory that shares enough words. When it is full, one for
every word at once is asked next; what no word can find, and what that one leaves open, is looked for page by page.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from powercontext_deerflow.api import calls, wire
from powercontext_deerflow.api.wire import records
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import AnswerError, PowerContextError, ServerError
from powercontext_deerflow.operations import words
from powercontext_deerflow.operations.memories import Pages
from powercontext_deerflow.transport import IO

_LIMIT = 50  # hits; the most that a server gives
_LIMIT_OF_EVERY_WORD = 100  # as above, of the other search
_ALL_BUT_FEW = records.Admission(0.9)  # of the words; all, if they are fewer than ten
_AT_A_TIME = 100  # memories of a page; as above


@dataclass(frozen=True, slots=True)
class Found:
    """What is stored of a text and kind, as far as it could be looked for."""

    citation: wire.Citation | None = None
    """An active memory of this very text and kind."""
    entries: tuple[wire.EntryCitation, ...] | None = None
    """Entries of this text whose kind a server up to 1.2.0 does not say; None from other servers."""


async def find(io: IO, request: wire.RememberRequest, deadline: Deadline) -> Found:
    """Never raises: a look-up that fails or runs out of time has found nothing, and blocks no save."""
    with suppress(PowerContextError, MemoryError):
        if words.has_words(request.text):
            return await _by_words(io, request, deadline)
        return Found(await _page_by_page(io, request, deadline))
    return Found()


async def can_be_found(io: IO, request: wire.RememberRequest, deadline: Deadline) -> bool:
    """Whether the text, which is stored, is found by a query of its own words; True if nobody can tell."""
    if not words.has_words(request.text) or words.is_searchable(request.text):
        return words.has_words(request.text)
    query = words.as_it_is_asked(request.text)
    try:
        answer = await calls.search(io, _search(request, query), deadline)
    except (PowerContextError, MemoryError):
        return True
    return len(answer.hits) == _LIMIT or request.text in _texts(answer)


async def _by_words(io: IO, request: wire.RememberRequest, deadline: Deadline) -> Found:
    ask = words.as_it_is_asked if words.is_searchable(request.text) else words.every_word
    answer = await calls.search(io, _search(request, ask(request.text)), deadline)
    if isinstance(answer, wire.LegacySearchAnswer):
        return Found(entries=tuple(h.citation for h in answer.hits if h.text == request.text))
    stored = (hit.memory for hit in answer.hits if hit.memory.state == "active")
    found = _this(((memory.artifact, memory.text, memory.kind) for memory in stored), request)
    if found is None and len(answer.hits) == _LIMIT:
        found = await _by_every_word(io, request, deadline)
    return Found(found)


async def _by_every_word(
    io: IO, request: wire.RememberRequest, deadline: Deadline
) -> wire.Citation | None:
    search = records.WideRequest(
        words.every_word(request.text),
        _LIMIT_OF_EVERY_WORD,
        admission=_ALL_BUT_FEW,
        filters=records.KindFilter(request.kind),
    )
    with suppress(ServerError, AnswerError):  # servers up to 1.3.0 have no such search
        answer = await calls.wide_search(io, request.scope_id, search, deadline)
        stored = ((one.citation, one.content.text, one.content.kind) for one in answer)
        found = _this(stored, request)
        if found is not None or len(answer) < _LIMIT_OF_EVERY_WORD:
            return found
    return await _page_by_page(io, request, deadline)


async def _page_by_page(
    io: IO, request: wire.RememberRequest, deadline: Deadline
) -> wire.Citation | None:
    pages = Pages(io, request.scope_id, request.kind, _AT_A_TIME)
    while (page := await pages.next(deadline)) is not None:
        stored = (one for one in page if one.state == "active")
        found = _this(((one.citation, one.text, one.kind) for one in stored), request)
        if found is not None:
            return found
    return None


def _this(
    stored: Iterable[tuple[wire.Citation, str, str | None]], request: wire.RememberRequest
) -> wire.Citation | None:
    wanted = request.text, request.kind
    return next((citation for citation, *it in stored if tuple(it) == wanted), None)


def _search(request: wire.RememberRequest, query: str) -> wire.SearchRequest:
    return wire.SearchRequest(request.scope_id, query, _LIMIT)


def _texts(answer: wire.SearchAnswer | wire.LegacySearchAnswer) -> list[str]:
    if isinstance(answer, wire.SearchAnswer):
        return [hit.memory.text for hit in answer.hits]
    return [hit.text for hit in answer.hits]
