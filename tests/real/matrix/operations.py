# SPDX-License-Identifier: Apache-2.0
"""Every operation of the SDK on a real server of any release: what it does there, in a word or two.

Each check asserts all that must hold and gives the cell of the table; where the generations differ, the cell
says how.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from powercontext_openapi.api.scopes import get_scope
from powercontext_openapi.models import ScopeDescriptor

from powercontext_deerflow import (
    AlreadySaved,
    ArtifactCitation,
    Captured,
    Citation,
    Conflict,
    EntryCitation,
    Forgotten,
    MemoryRef,
    NothingRecalled,
    NotSupportedByServer,
    PowerContext,
    Recalled,
    Restored,
    Revised,
    Saved,
    SaveRejected,
    Secret,
    ServerError,
    Settings,
)
from tests.support.servers.plain_client import PlainClient

VERSIONS = ("1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0", "1.4.1")
TEXT = "Order service: money amounts are integer cents."
REVISED = "Order service: money amounts are decimals with two digits."
QUERY = "money amounts of the order service"
_SLOW = 30.0  # seconds; what is measured here is what is answered, not when


@dataclass(frozen=True)
class Visit:
    """One new Scope of one server, and a client bound to it."""

    client: PowerContext
    server: PlainClient
    scope_id: str

    @property
    def legacy(self) -> bool:
        return tuple(map(int, self.server.version.split("."))) < (1, 3)

    def saved(self, text: str = TEXT) -> Citation:
        outcome = self.client.remember(text)
        assert isinstance(outcome, Saved), outcome
        return outcome.citation


def visited(server: PlainClient, operation: str) -> str:
    """The cell of ``operation`` on ``server``."""
    scope_id = server.create_scope(operation)
    with PowerContext(settings(server, scope_id)) as client:
        return OPERATIONS[operation](Visit(client, server, scope_id))


def settings(server: PlainClient, scope_id: str) -> Settings:
    return Settings(
        base_url=server.base_url,
        scope_id=scope_id,
        token=Secret(server.token),
        recall_timeout_seconds=_SLOW,
        remember_timeout_seconds=_SLOW,
    )


def recall(visit: Visit) -> str:
    assert isinstance(visit.client.recall(QUERY), NothingRecalled)
    citation = visit.saved()
    recalled = visit.client.recall(QUERY)
    assert isinstance(recalled, Recalled)
    assert TEXT in recalled.content
    (cited,) = recalled.citations
    assert (cited.scope_id, cited.citation) == (visit.scope_id, citation)
    return "yes"


def remember(visit: Visit) -> str:
    citation = visit.saved()
    assert isinstance(citation, EntryCitation if visit.legacy else ArtifactCitation)
    assert isinstance(visit.client.remember(TEXT, "decision"), Saved)
    return "yes"


def remember_again(visit: Visit) -> str:
    citation = visit.saved()
    again = visit.client.remember(f"  {TEXT}\n")
    assert isinstance(again, AlreadySaved)
    assert again.citation == citation
    assert len(visit.server.memories(visit.scope_id)) == 1
    return "yes"


def remember_unchecked(visit: Visit) -> str:
    visit.saved()
    again = visit.client.remember(TEXT, check_duplicates=False, read_back=False)
    count = len(visit.server.memories(visit.scope_id))
    if visit.legacy:
        assert isinstance(again, AlreadySaved)
        assert count == 1
        return "the server finds it"
    assert isinstance(again, Saved)
    assert count == 2
    return "saved twice"


def search(visit: Visit) -> str:
    citation = visit.saved()
    (found,) = visit.client.search(QUERY, 5)
    assert (found.citation, found.text, found.state) == (citation, TEXT, "active")
    assert visit.client.search("kubernetes ingress certificate") == []
    assert found.kind == (None if visit.legacy else "fact")
    return "without kinds" if visit.legacy else "yes"


def list_memories(visit: Visit) -> str:
    assert list(visit.client.list_memories()) == []
    visit.saved()
    visit.client.remember(TEXT, "decision")
    listed = list(visit.client.list_memories())
    assert {(memory.text, memory.kind) for memory in listed} == {(TEXT, "fact"), (TEXT, "decision")}
    (decision,) = visit.client.list_memories("decision")
    assert decision.kind == "decision"
    return "at once" if visit.legacy else "in pages"


def get(visit: Visit) -> str:
    citation = visit.saved()
    memory = visit.client.get(citation)
    assert (memory.citation, memory.text, memory.kind, memory.state) == (
        citation,
        TEXT,
        "fact",
        "active",
    )
    other: Citation = EntryCitation(MemoryRef("memory", "memory", 1), "mem_ent_1", "mem_ver_1")
    if visit.legacy:
        other = ArtifactCitation("atomic-memory", "art_" + "0" * 32, 1)
    for ask in (
        lambda: visit.client.get(other),
        lambda: visit.client.head(other),
        lambda: visit.client.history(other),
        lambda: visit.client.revise(other, TEXT),
        lambda: visit.client.forget(other),
        lambda: visit.client.restore(other),
    ):
        assert isinstance(_refused(ask), NotSupportedByServer)
    return "yes"


def list_by_states(visit: Visit) -> str:
    citation = visit.saved()
    kept = visit.saved("Another memory, which is kept.")
    fresh = next(memory for memory in visit.client.list_memories() if memory.text == TEXT)
    forgotten = visit.client.forget(fresh.citation)
    assert isinstance(forgotten, Forgotten)
    (listed,) = visit.client.list_memories(states=["forgotten"])
    assert (listed.text, listed.state) == (TEXT, "inactive" if visit.legacy else "forgotten")
    assert len(list(visit.client.list_memories(states=["active", "forgotten"]))) == 2
    if not visit.legacy:
        assert listed.citation == citation
        assert [memory.citation for memory in visit.client.list_memories()] == [kept]
    return "`inactive`" if visit.legacy else "yes"


def revise(visit: Visit) -> str:
    citation = visit.saved()
    visit.saved("Another memory, which is kept.")
    outcome = visit.client.revise(citation, REVISED)
    assert isinstance(outcome, Revised), outcome
    memory = outcome.memory
    assert (memory.text, memory.kind, memory.state) == (REVISED, "fact", "active")
    recalled = visit.client.recall(QUERY)
    assert isinstance(recalled, Recalled)
    assert REVISED in recalled.content
    assert TEXT not in recalled.content
    assert memory.citation in [cited.citation for cited in recalled.citations]
    assert visit.client.head(citation) == memory
    assert isinstance(visit.client.revise(citation, "Something else."), Conflict)
    again = visit.client.revise(citation, REVISED)
    assert isinstance(again, Revised)
    assert (again.memory, again.confirmed_by) == (memory, "read_back")
    return "yes" if memory.created_at else "without time"


def revise_forgotten(visit: Visit) -> str:
    forgotten = visit.client.forget(visit.saved())
    assert isinstance(forgotten, Forgotten)
    outcome = visit.client.revise(forgotten.memory.citation, REVISED)
    assert isinstance(visit.client.recall(QUERY), NothingRecalled)
    if visit.legacy:
        assert isinstance(outcome, Conflict)
        return "conflict"
    assert isinstance(outcome, Revised)
    assert outcome.memory.state == "forgotten"
    return "it stays forgotten"


def history(visit: Visit) -> str:
    citation = visit.saved()
    revised = visit.client.revise(citation, REVISED)
    assert isinstance(revised, Revised)
    if visit.legacy:
        refused = _refused(lambda: visit.client.history(revised.memory.citation))
        assert isinstance(refused, NotSupportedByServer)
        return "`NotSupportedByServer`"
    told = visit.client.history(citation)
    assert [one.citation for one in told] == [revised.memory.citation, citation]
    return "yes" if told[0].created_at else "without times"


def restore(visit: Visit) -> str:
    forgotten = visit.client.forget(visit.saved())
    assert isinstance(forgotten, Forgotten)
    cited = forgotten.memory.citation
    if visit.legacy:
        assert isinstance(_refused(lambda: visit.client.restore(cited)), NotSupportedByServer)
        return "`NotSupportedByServer`"
    outcome = visit.client.restore(cited)
    assert isinstance(outcome, Restored), outcome
    assert (outcome.memory.text, outcome.memory.state) == (TEXT, "active")
    assert isinstance(visit.client.recall(QUERY), Recalled)
    return "yes"


def undo(visit: Visit) -> str:
    revised = visit.client.revise(visit.saved(), REVISED, "decision")
    assert isinstance(revised, Revised)
    cited = revised.memory.citation
    if visit.legacy:
        assert isinstance(_refused(lambda: visit.client.restore(cited, 1)), NotSupportedByServer)
        return "`NotSupportedByServer`"
    outcome = visit.client.restore(cited, 1)
    assert isinstance(outcome, Restored), outcome
    assert (outcome.memory.text, outcome.memory.kind) == (TEXT, "fact")
    recalled = visit.client.recall(QUERY)
    assert isinstance(recalled, Recalled)
    assert TEXT in recalled.content
    return "yes"


def not_there(visit: Visit) -> str:
    """Some servers speak of access, or of an outage, where there is only no such memory."""
    nobody: Citation = ArtifactCitation("atomic-memory", "art_" + "0" * 32, 1)
    if visit.legacy:
        there = visit.saved()
        assert isinstance(there, EntryCitation)
        nobody = EntryCitation(there.memory_ref, "mem_ent_" + "0" * 32, there.entry_version_id)
    for ask in (
        lambda: visit.client.get(nobody),
        lambda: visit.client.head(nobody),
        lambda: visit.client.revise(nobody, TEXT),
        lambda: visit.client.forget(nobody),
        lambda: visit.client.restore(nobody),
    ):
        assert _refused(ask).code in ("artifact_not_found", "memory_not_found", "not_found")
    return "yes"


def forget(visit: Visit) -> str:
    citation = visit.saved()
    outcome = visit.client.forget(citation)
    assert isinstance(outcome, Forgotten), outcome
    assert outcome.memory.state == ("inactive" if visit.legacy else "forgotten")
    assert isinstance(visit.client.recall(QUERY), NothingRecalled)
    assert list(visit.client.list_memories()) == []
    assert visit.client.get(outcome.memory.citation).state == outcome.memory.state
    return "yes"


def forget_again(visit: Visit) -> str:
    citation = visit.saved()
    first = visit.client.forget(citation)
    assert isinstance(first, Forgotten)
    again = visit.client.forget(first.memory.citation)
    assert isinstance(again, Forgotten), again
    return "yes"


def forget_stale(visit: Visit) -> str:
    citation = visit.saved()
    if visit.legacy:
        visit.saved("Another memory moves the head of all of them on.")
        _conflicts(visit, citation)
        fresh = next(memory for memory in visit.client.list_memories() if memory.text == TEXT)
        assert isinstance(visit.client.forget(fresh.citation), Forgotten)
        return "conflict after any save"
    assert isinstance(citation, ArtifactCitation)
    path = f"/v1/scopes/{visit.scope_id}/artifacts/atomic-memory/{citation.artifact_id}"
    revised = visit.client.generated.get_httpx_client().put(
        path,
        json={"content": {"kind": "fact", "text": f"{TEXT} Revised."}},
        headers={"If-Match": '"revision:1"'},
    )
    assert revised.status_code == 200
    _conflicts(visit, citation)
    assert visit.client.get(citation).text == TEXT
    return "conflict after a revision"


def _conflicts(visit: Visit, citation: Citation) -> None:
    outcome = visit.client.forget(citation)
    assert isinstance(outcome, Conflict)
    assert outcome.code == "revision_conflict"


def capture_source(visit: Visit) -> str:
    first = visit.client.capture_source("turn:1", "user: hello", {"role": "user"})
    assert isinstance(first, Captured)
    replay = visit.client.capture_source("turn:1", "user: hello", {"role": "user"})
    assert isinstance(replay, Captured)
    assert replay.position == first.position
    for content, metadata in (("user: bye", {"role": "user"}), ("user: hello", {"role": "bot"})):
        other = visit.client.capture_source("turn:1", content, metadata)
        assert isinstance(other, Conflict)
        assert other.code == "source_conflict"
    return "yes"


def server_info(visit: Visit) -> str:
    if visit.legacy:
        assert isinstance(_refused(visit.client.server_info), NotSupportedByServer)
        return "`NotSupportedByServer`"
    info = visit.client.server_info()
    assert (info.product, info.package_version) == ("powercontext", visit.server.version)
    return "yes"


def check_scope(visit: Visit) -> str:
    assert visit.client.check_scope()
    with PowerContext(settings(visit.server, "scp_" + "0" * 26)) as stranger:
        error = _refused(stranger.check_scope)
        assert (error.code, error.status) == ("scope_not_found", 404)
        assert error.request_id
        rejected = stranger.remember(TEXT)
        assert isinstance(rejected, SaveRejected)
        assert rejected.code == "scope_not_found"
    return "yes"


def asynchronous(visit: Visit) -> str:
    async def everything() -> None:
        client = visit.client
        saved = await client.aremember(TEXT)
        assert isinstance(saved, Saved)
        assert isinstance(await client.arecall(QUERY), Recalled)
        assert len(await client.asearch(QUERY)) == 1
        assert [memory.text async for memory in client.alist_memories()] == [TEXT]
        assert (await client.aget(saved.citation)).text == TEXT
        assert isinstance(await client.acapture_source("turn:1", "user: hello"), Captured)
        assert await client.acheck_scope()
        revised = await client.arevise(saved.citation, REVISED)
        assert isinstance(revised, Revised)
        assert await client.ahead(saved.citation) == revised.memory
        assert isinstance(await client.aforget(revised.memory.citation), Forgotten)

    asyncio.run(everything())
    return "yes"


def generated(visit: Visit) -> str:
    found = get_scope.sync(visit.scope_id, client=visit.client.generated)
    assert isinstance(found, ScopeDescriptor)
    assert found.scope_id == visit.scope_id

    async def ask() -> object:
        return await get_scope.asyncio(visit.scope_id, client=visit.client.generated)

    assert asyncio.run(ask()) == found
    return "yes"


def _refused(call: Callable[[], object]) -> ServerError:
    try:
        call()
    except ServerError as error:
        return error
    raise AssertionError("it was not refused")


OPERATIONS: dict[str, Callable[[Visit], str]] = {
    "`recall`, with citations": recall,
    "`remember`": remember,
    "`remember` of what is there": remember_again,
    "the same, `check_duplicates=False`": remember_unchecked,
    "`search`": search,
    "`list_memories`": list_memories,
    "`get`": get,
    "`get` and the like of what is not there": not_there,
    "`list_memories` by states": list_by_states,
    "`revise`, `head`": revise,
    "`revise` of what is forgotten": revise_forgotten,
    "`history`": history,
    "`forget`": forget,
    "`forget` again": forget_again,
    "`forget` by a stale citation": forget_stale,
    "`restore`": restore,
    "`restore` of an earlier revision": undo,
    "`capture_source`, replay, conflict": capture_source,
    "`server_info`": server_info,
    "`check_scope`": check_scope,
    "asynchronous": asynchronous,
    "`generated`": generated,
}
