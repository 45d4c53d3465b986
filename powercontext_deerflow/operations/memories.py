# SPDX-License-Identifier: Apache-2.0
"""The memories of a Scope: found, listed and read, of either server generation.

Which generation a server is shows in what it answers: an unknown route, or a refused legacy operation, is
NotSupportedByServer.
"""

from __future__ import annotations

from typing import NoReturn
from urllib.parse import quote

from msgspec import UNSET

from powercontext_deerflow.api import calls, wire
from powercontext_deerflow.api.calls import ask
from powercontext_deerflow.api.wire import records
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import AnswerError, NotSupportedByServer, ServerError
from powercontext_deerflow.limits import recall_query
from powercontext_deerflow.operations import arguments
from powercontext_deerflow.outcomes import Conflict, Memory, MemoryState, Revision
from powercontext_deerflow.transport import IO

_REVISIONS = 100
"""Of a memory's history; the most that a server gives at once."""


async def search(
    io: IO, scope_id: str, query: object, limit: object, deadline: Deadline
) -> list[Memory]:
    """The best of what was found, and no more than was asked for."""
    most, bounded = arguments.limit(limit), recall_query(query)
    if bounded is None:
        return []
    found = await calls.search(io, wire.SearchRequest(scope_id, bounded, most), deadline)
    if isinstance(found, wire.SearchAnswer):
        return [memory_of(hit.memory) for hit in found.hits]
    return [Memory(hit.citation, hit.text, None, "active") for hit in found.hits]


class Pages:
    """Every memory in one of the ``states``, page by page.

    As many as 50 surely fit under the cap of an answer; 100 do unless a fifth of their letters is escaped.
    """

    def __init__(
        self,
        io: IO,
        scope_id: str,
        kind: object,
        states: object = ("active",),
        at_a_time: int = 50,
    ) -> None:
        self._io = io
        self._scope_id = scope_id
        self._kind = arguments.kind_to_list(kind)
        self._states = _both_names(arguments.states(states))
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
        states = tuple(state for state in self._states if state != "inactive")
        request = records.ListRequest(
            self._scope_id, self._kind, self._cursor, self._at_a_time, states
        )
        path = "/v1/atomic-memory/list"
        page, self._request_id = await ask(self._io, path, request, records.ListAnswer, deadline)
        if len(page.items) > self._at_a_time:
            raise AnswerError("over_limit", self._request_id, 200)
        self._cursor = page.next_cursor
        self._is_last = self._cursor is None
        return [memory_of(record) for record in page.items]

    async def _all_at_once(self, deadline: Deadline) -> list[Memory]:
        """As servers up to 1.2.0 do."""
        inactive = "inactive" in self._states
        listed = await entries(self._io, self._scope_id, deadline, inactive=inactive)
        self._is_last = True
        return [
            memory_of(entry)
            for entry in listed.entries
            if self._kind in (None, entry.kind) and entry.state in self._states
        ]


def _both_names(states: tuple[MemoryState, ...]) -> frozenset[MemoryState]:
    """What servers up to 1.2.0 call ``inactive`` is one of three states on the others."""
    others: frozenset[MemoryState] = frozenset(("forgotten", "merged", "retired"))
    found = frozenset(states)
    if "inactive" in found:
        return found | others
    return found | {"inactive"} if found & others else found


async def entries(
    io: IO, scope_id: str, deadline: Deadline, *, inactive: bool
) -> records.EntriesAnswer:
    """All entries of a server up to 1.2.0, and the head that they are cited by now."""
    request = records.EntriesRequest(scope_id, include_inactive=True if inactive else UNSET)
    path = "/v1/memory/entries/list"
    return (await ask(io, path, request, records.EntriesAnswer, deadline))[0]


async def get(io: IO, scope_id: str, given: object, deadline: Deadline) -> Memory:
    citation = arguments.citation(given)
    if isinstance(citation, wire.EntryCitation):
        request, path = records.EntryRequest(scope_id, citation), "/v1/memory/entries/get"
        try:
            entry, request_id = await ask(io, path, request, wire.LegacyEntry, deadline)
        except ServerError as error:
            raise_if_pending(error)
            raise
        memory = memory_of(entry)
        if memory.citation != citation:
            raise AnswerError("answer_mismatch", request_id, 200)
        return memory
    current = await state(io, scope_id, citation, deadline)
    return as_memory(await revision(io, scope_id, citation, deadline), current.state)


def raise_if_pending(error: ServerError) -> None:
    """Servers before 1.4.1 wait for the owner of a memory that is not there: no outage, but ``artifact_not_found``."""
    if error.structured and error.code == "artifact_owner_pending":
        raise ServerError("artifact_not_found", 404, error.request_id, structured=True) from None


async def head(io: IO, scope_id: str, given: object, deadline: Deadline) -> Memory:
    citation = arguments.citation(given)
    if isinstance(citation, wire.EntryCitation):
        cited = await get(io, scope_id, citation, deadline)
        listed = await entries(io, scope_id, deadline, inactive=True)
        same = (one for one in listed.entries if one.citation.entry_id == citation.entry_id)
        return next(map(memory_of, same), cited)
    current = await state(io, scope_id, citation, deadline)
    return as_memory(await revision(io, scope_id, current.artifact, deadline), current.state)


async def history(
    io: IO, scope_id: str, given: object, limit: object, deadline: Deadline
) -> list[Revision]:
    citation, most = arguments.citation(given), arguments.limit(limit, _REVISIONS)
    if isinstance(citation, wire.EntryCitation):
        await refuse_entry(io, scope_id, citation, deadline)
    await state(io, scope_id, citation, deadline)  # by which a server up to 1.2.0 is told
    path = f"{artifact(scope_id, citation)}/revisions?limit={most}"
    answer, request_id = await ask(io, path, None, records.RevisionsAnswer, deadline)
    if any(item.artifact_id != citation.artifact_id for item in answer.items):
        raise AnswerError("answer_mismatch", request_id, 200)
    return [
        Revision(wire.ArtifactCitation(it.family, it.artifact_id, it.revision), it.created_at)
        for it in answer.items[:most]
    ]


def conflict(error: ServerError) -> Conflict:
    """What ``error`` says if it is one, else raises it."""
    if error.status != 409:
        raise error
    return Conflict(error.code, error.request_id)


async def refuse_entry(
    io: IO, scope_id: str, citation: wire.EntryCitation, deadline: Deadline
) -> NoReturn:
    """Raises NotSupportedByServer, or what the server says of the entry: servers that have entries can do no more."""
    await get(io, scope_id, citation, deadline)
    raise NotSupportedByServer("http_404", 404, None, structured=False)


async def state(
    io: IO, scope_id: str, citation: wire.ArtifactCitation, deadline: Deadline
) -> records.StateAnswer:
    """The current revision of the memory that ``citation`` names, and where it is in its life."""
    path = f"{artifact(scope_id, citation)}/state"
    answer, request_id = await ask(io, path, None, records.StateAnswer, deadline)
    if answer.artifact.artifact_id != citation.artifact_id:
        raise AnswerError("answer_mismatch", request_id, 200)
    return answer


async def revision(
    io: IO, scope_id: str, citation: wire.ArtifactCitation, deadline: Deadline
) -> records.RevisionAnswer:
    """What the very revision that ``citation`` names says."""
    path = f"{artifact(scope_id, citation)}/revisions/{citation.revision}"
    answer, request_id = await ask(io, path, None, records.RevisionAnswer, deadline)
    if answer.citation != citation:
        raise AnswerError("answer_mismatch", request_id, 200)
    return answer


def artifact(scope_id: str, citation: wire.ArtifactCitation) -> str:
    """The path of a memory."""
    names = (scope_id, "artifacts", citation.family, citation.artifact_id)
    return "/v1/scopes/" + "/".join(quote(name, safe="") for name in names)


def as_memory(answer: records.RevisionAnswer, state: MemoryState) -> Memory:
    return Memory(
        answer.citation, answer.content.text, answer.content.kind, state, answer.created_at
    )


def memory_of(stored: wire.MemoryRecord | wire.LegacyEntry) -> Memory:
    citation = stored.artifact if isinstance(stored, wire.MemoryRecord) else stored.citation
    return Memory(citation, stored.text, stored.kind, stored.state)
