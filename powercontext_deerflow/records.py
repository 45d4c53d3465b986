# SPDX-License-Identifier: Apache-2.0
"""The records of a Scope: memories found, listed, read and forgotten, of either server generation; Sources captured.

Which generation a server is shows in what it answers: an unknown route, or a refused legacy operation, is
NotSupportedByServer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import quote

from powercontext_deerflow import wire
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import AnswerError, NotSupportedByServer, ServerError
from powercontext_deerflow.exchanges import ask
from powercontext_deerflow.exchanges import search as exchange_search
from powercontext_deerflow.outcomes import (
    Captured,
    CaptureOutcome,
    Conflict,
    ForgetOutcome,
    Forgotten,
    Memory,
)
from powercontext_deerflow.transport import Engine
from powercontext_deerflow.wire import records as sent


def search(engine: Engine, request: wire.SearchRequest, deadline: Deadline) -> list[Memory]:
    """The best of what was found, and no more than was asked for."""
    found = exchange_search(engine, request, deadline)
    if isinstance(found, wire.SearchAnswer):
        return [_memory(hit.memory) for hit in found.hits[: request.limit]]
    hits = found.hits[: request.limit]
    return [Memory(hit.citation, hit.text, None, "active") for hit in hits]


def pages(
    engine: Engine,
    scope_id: str,
    kind: str | None,
    deadline: Callable[[], Deadline],
    at_a_time: int = 50,
) -> Iterator[list[Memory]]:
    """Every active memory, page by page; each page has a deadline of its own, an empty one the one before's.

    As many as 50 surely fit under the cap of an answer; 100 do unless a fifth of their letters is escaped.
    Raises AnswerError ``cursor_repeated`` where the list goes in a circle, and ``over_limit`` for too large a page.
    """
    cursor, by = None, deadline()
    cursors: set[str | None] = set()
    while True:
        cursors.add(cursor)
        request = sent.ListRequest(scope_id, kind, cursor, at_a_time)
        try:
            page, request_id = ask(engine, "/v1/atomic-memory/list", request, sent.ListAnswer, by)
        except NotSupportedByServer:
            every = sent.EntriesRequest(scope_id)
            listed, _ = ask(engine, "/v1/memory/entries/list", every, sent.EntriesAnswer, by)
            yield [_memory(entry) for entry in listed.entries if kind in (None, entry.kind)]
            return
        if len(page.items) > request.limit:
            raise AnswerError("over_limit", request_id, 200)
        yield [_memory(record) for record in page.items]
        cursor = page.next_cursor
        if cursor is None:
            return
        if cursor in cursors:
            raise AnswerError("cursor_repeated", request_id, 200)
        by = deadline() if page.items else by


def get(engine: Engine, scope_id: str, citation: wire.Citation, deadline: Deadline) -> Memory:
    if isinstance(citation, wire.EntryCitation):
        request = sent.EntryRequest(scope_id, citation)
        entry, request_id = ask(
            engine, "/v1/memory/entries/get", request, wire.LegacyEntry, deadline
        )
        memory = _memory(entry)
    else:
        state = _state(engine, scope_id, citation, deadline)
        path = f"{_artifact(scope_id, citation)}/revisions/{citation.revision}"
        it, request_id = ask(engine, path, None, sent.RevisionAnswer, deadline)
        cited = wire.ArtifactCitation(it.family, it.artifact_id, it.revision)
        memory = Memory(cited, it.content.text, it.content.kind, state.state)
    if memory.citation != citation:
        raise AnswerError("answer_mismatch", request_id, 200)
    return memory


def forget(
    engine: Engine, scope_id: str, citation: wire.Citation, deadline: Deadline
) -> ForgetOutcome:
    stored: list[wire.MemoryRecord] | list[wire.LegacyEntry]
    try:
        if isinstance(citation, wire.EntryCitation):
            entry = sent.EntryRequest(scope_id, citation)
            retired, request_id = ask(
                engine, "/v1/memory/entries/retire", entry, wire.LegacyRemembered, deadline
            )
            stored = [retired.entry] if retired.entry else []
        else:
            state = _state(engine, scope_id, citation, deadline)
            record = wire.RetireRequest(scope_id, wire.RetireTarget(citation, state.state_version))
            done, request_id = ask(
                engine, "/v1/atomic-memory/lifecycle", record, wire.Remembered, deadline
            )
            stored = done.records
    except ServerError as error:
        return _conflict(error)
    for memory in map(_memory, stored):
        if _name(memory.citation) == _name(citation) and memory.state in ("forgotten", "inactive"):
            return Forgotten(memory, request_id)
    raise AnswerError("answer_mismatch", request_id, 200)


def capture(engine: Engine, source: sent.SourceRequest, deadline: Deadline) -> CaptureOutcome:
    path = "/v1/sources/content"
    try:
        answer, request_id = ask(engine, path, source, sent.SourceAnswer, deadline, success=202)
    except ServerError as error:
        return _conflict(error)
    if answer.source.source_id != source.source_id:
        raise AnswerError("answer_mismatch", request_id, 202)
    return Captured(answer.position, request_id)


def _conflict(error: ServerError) -> Conflict:
    if error.status != 409:
        raise error
    return Conflict(error.code, error.request_id)


def _state(
    engine: Engine, scope_id: str, citation: wire.ArtifactCitation, deadline: Deadline
) -> sent.StateAnswer:
    path = f"{_artifact(scope_id, citation)}/state"
    state, request_id = ask(engine, path, None, sent.StateAnswer, deadline)
    if state.artifact.artifact_id != citation.artifact_id:
        raise AnswerError("answer_mismatch", request_id, 200)
    return state


def _artifact(scope_id: str, citation: wire.ArtifactCitation) -> str:
    names = (scope_id, "artifacts", citation.family, citation.artifact_id)
    return "/v1/scopes/" + "/".join(quote(name, safe="") for name in names)


def _name(citation: wire.Citation) -> tuple[str, object]:
    """Which revision of which memory; the head that an entry is cited by moves on when it is retired."""
    if isinstance(citation, wire.ArtifactCitation):
        return citation.artifact_id, citation.revision
    return citation.entry_id, citation.entry_version_id


def _memory(stored: wire.MemoryRecord | wire.LegacyEntry) -> Memory:
    citation = stored.artifact if isinstance(stored, wire.MemoryRecord) else stored.citation
    return Memory(citation, stored.text, stored.kind, stored.state)
