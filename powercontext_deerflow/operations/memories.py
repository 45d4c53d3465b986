# SPDX-License-Identifier: Apache-2.0
"""The memories of a Scope: found, listed, read and forgotten, of either server generation.

Which generation a server is shows in what it answers: an unknown route, or a refused legacy operation, is
NotSupportedByServer.
"""

from __future__ import annotations

from urllib.parse import quote

from powercontext_deerflow.api import calls, wire
from powercontext_deerflow.api.calls import ask
from powercontext_deerflow.api.wire import records
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import AnswerError, NotSupportedByServer, ServerError
from powercontext_deerflow.limits import recall_query
from powercontext_deerflow.operations import arguments
from powercontext_deerflow.outcomes import Conflict, ForgetOutcome, Forgotten, Memory
from powercontext_deerflow.transport import IO


async def search(
    io: IO, scope_id: str, query: object, limit: object, deadline: Deadline
) -> list[Memory]:
    """The best of what was found, and no more than was asked for."""
    most, bounded = arguments.limit(limit), recall_query(query)
    if bounded is None:
        return []
    found = await calls.search(io, wire.SearchRequest(scope_id, bounded, most), deadline)
    if isinstance(found, wire.SearchAnswer):
        return [_memory(hit.memory) for hit in found.hits]
    return [Memory(hit.citation, hit.text, None, "active") for hit in found.hits]


class Pages:
    """Every active memory, page by page.

    As many as 50 surely fit under the cap of an answer; 100 do unless a fifth of their letters is escaped.
    """

    def __init__(self, io: IO, scope_id: str, kind: object, at_a_time: int = 50) -> None:
        self._io = io
        self._scope_id = scope_id
        self._kind = arguments.kind_to_list(kind)
        self._at_a_time = at_a_time
        self._cursor: str | None = None
        self._asked: set[str | None] = set()
        self._request_id: str | None = None
        self._is_last = False

    async def next(self, deadline: Deadline) -> list[Memory] | None:
        """The next page that is not empty, or None after the last one.

        Raises AnswerError ``cursor_repeated`` where the list goes in a circle, and ``over_limit`` for too large a page.
        """
        while not self._is_last:
            try:
                memories = await self._page(deadline)
            except NotSupportedByServer:
                memories = await self._all_at_once(deadline)
            if memories:
                return memories
        return None

    async def _page(self, deadline: Deadline) -> list[Memory]:
        if self._cursor in self._asked:
            raise AnswerError("cursor_repeated", self._request_id, 200)
        self._asked.add(self._cursor)
        request = records.ListRequest(self._scope_id, self._kind, self._cursor, self._at_a_time)
        path = "/v1/atomic-memory/list"
        page, self._request_id = await ask(self._io, path, request, records.ListAnswer, deadline)
        if len(page.items) > self._at_a_time:
            raise AnswerError("over_limit", self._request_id, 200)
        self._cursor = page.next_cursor
        self._is_last = self._cursor is None
        return [_memory(record) for record in page.items]

    async def _all_at_once(self, deadline: Deadline) -> list[Memory]:
        """As servers up to 1.2.0 do."""
        request, path = records.EntriesRequest(self._scope_id), "/v1/memory/entries/list"
        listed, _ = await ask(self._io, path, request, records.EntriesAnswer, deadline)
        self._is_last = True
        return [_memory(entry) for entry in listed.entries if self._kind in (None, entry.kind)]


async def get(io: IO, scope_id: str, given: object, deadline: Deadline) -> Memory:
    citation = arguments.citation(given)
    if isinstance(citation, wire.EntryCitation):
        request, path = records.EntryRequest(scope_id, citation), "/v1/memory/entries/get"
        entry, request_id = await ask(io, path, request, wire.LegacyEntry, deadline)
        memory = _memory(entry)
    else:
        state = await _state(io, scope_id, citation, deadline)
        path = f"{_artifact(scope_id, citation)}/revisions/{citation.revision}"
        it, request_id = await ask(io, path, None, records.RevisionAnswer, deadline)
        memory = Memory(it.citation, it.content.text, it.content.kind, state.state)
    if memory.citation != citation:
        raise AnswerError("answer_mismatch", request_id, 200)
    return memory


async def forget(io: IO, scope_id: str, given: object, deadline: Deadline) -> ForgetOutcome:
    citation = arguments.citation(given)
    stored: list[wire.MemoryRecord] | list[wire.LegacyEntry]
    try:
        if isinstance(citation, wire.EntryCitation):
            entry, path = records.EntryRequest(scope_id, citation), "/v1/memory/entries/retire"
            retired, request_id = await ask(io, path, entry, wire.LegacyRemembered, deadline)
            stored = [retired.entry] if retired.entry else []
        else:
            state = await _state(io, scope_id, citation, deadline)
            record = wire.RetireRequest(scope_id, wire.RetireTarget(citation, state.state_version))
            path = "/v1/atomic-memory/lifecycle"
            done, request_id = await ask(io, path, record, wire.Remembered, deadline)
            stored = done.records
    except ServerError as error:
        return conflict(error)
    for memory in map(_memory, stored):
        if _name(memory.citation) == _name(citation) and memory.state in ("forgotten", "inactive"):
            return Forgotten(memory, request_id)
    raise AnswerError("answer_mismatch", request_id, 200)


def conflict(error: ServerError) -> Conflict:
    """What ``error`` says if it is one, else raises it."""
    if error.status != 409:
        raise error
    return Conflict(error.code, error.request_id)


async def _state(
    io: IO, scope_id: str, citation: wire.ArtifactCitation, deadline: Deadline
) -> records.StateAnswer:
    path = f"{_artifact(scope_id, citation)}/state"
    state, request_id = await ask(io, path, None, records.StateAnswer, deadline)
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
