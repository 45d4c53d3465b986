# SPDX-License-Identifier: Apache-2.0
"""The owner's own hand on real servers: corrected, forgotten, taken back, and who may not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from powercontext_deerflow import (
    ArtifactCitation,
    ChangeRejected,
    Citation,
    Conflict,
    EntryCitation,
    Forgotten,
    MemoryState,
    NothingRecalled,
    NotSupportedByServer,
    PowerContext,
    Recalled,
    Restored,
    Revised,
    Saved,
    Secret,
    ServerError,
    Settings,
)
from tests.support.servers.plain_client import PlainClient
from tests.support.servers.principals import ServerOfSeveral
from tests.support.servers.real import PowerContextServer

pytestmark = pytest.mark.usefixtures("no_leaks")

OLD = "The editor of the order service indents with tabs."
NEW = "The editor of the order service indents with spaces."
QUERY = "how does the editor of the order service indent"


def connect(server: PlainClient, scope_id: str, base_url: str = "") -> PowerContext:
    return PowerContext(
        Settings(
            base_url=base_url or server.base_url,
            scope_id=scope_id,
            token=Secret(server.token),
            recall_timeout_seconds=20,
            remember_timeout_seconds=20,
        )
    )


@pytest.fixture
def client(powercontext_141: PowerContextServer, scope: str) -> Iterator[PowerContext]:
    with connect(powercontext_141, scope) as client:
        yield client


@pytest.fixture
def older(
    powercontext_120: PowerContextServer, request: pytest.FixtureRequest
) -> Iterator[PowerContext]:
    """Of a server that has entries."""
    with connect(powercontext_120, powercontext_120.create_scope(request.node.name)) as client:
        yield client


def saved(client: PowerContext, text: str = OLD) -> Citation:
    outcome = client.remember(text)
    assert isinstance(outcome, Saved)
    return outcome.citation


def at(citation: Citation, revision: int) -> ArtifactCitation:
    assert isinstance(citation, ArtifactCitation)
    return ArtifactCitation(citation.family, citation.artifact_id, revision)


def recalled(client: PowerContext) -> str:
    recall = client.recall(QUERY)
    assert isinstance(recall, Recalled | NothingRecalled)
    return recall.content if isinstance(recall, Recalled) else ""


# --- servers from 1.3.0 -------------------------------------------------------------------------------------------


def test_a_correction_is_recalled_and_only_it(client: PowerContext) -> None:
    citation = saved(client)
    outcome = client.revise(citation, f"  {NEW}\n")
    assert isinstance(outcome, Revised)
    memory = outcome.memory
    assert (memory.citation, memory.text, memory.kind) == (at(citation, 2), NEW, "fact")
    assert (memory.state, outcome.confirmed_by) == ("active", "answer")
    assert memory.created_at is not None
    assert abs(datetime.now(UTC) - memory.created_at) < timedelta(minutes=5)
    assert outcome.request_id
    assert NEW in recalled(client)
    assert OLD not in recalled(client)
    assert client.get(citation).text == OLD  # an earlier revision says what it said
    assert client.head(citation) == memory


def test_a_correction_of_what_has_changed_meanwhile_changes_nothing(client: PowerContext) -> None:
    citation = saved(client)
    assert isinstance(client.revise(citation, NEW), Revised)
    outcome = client.revise(citation, "Something else.")
    assert isinstance(outcome, Conflict)
    assert outcome.code == "revision_conflict"
    assert outcome.request_id
    assert [one.text for one in client.list_memories()] == [NEW]


def test_a_correction_may_change_the_kind_only(client: PowerContext) -> None:
    citation = saved(client)
    outcome = client.revise(citation, OLD, "preference")
    assert isinstance(outcome, Revised)
    assert (outcome.memory.text, outcome.memory.kind) == (OLD, "preference")
    (listed,) = client.list_memories("preference")
    assert listed.citation == outcome.memory.citation


def test_a_correction_to_the_same_text_is_a_revision_of_its_own(client: PowerContext) -> None:
    citation = saved(client)
    outcome = client.revise(citation, OLD)
    assert isinstance(outcome, Revised)
    assert outcome.memory.citation == at(citation, 2)


def test_what_is_forgotten_is_not_recalled_until_it_is_brought_back(client: PowerContext) -> None:
    citation = saved(client)
    forgotten = client.forget(citation)
    assert isinstance(forgotten, Forgotten)
    assert recalled(client) == ""
    assert list(client.list_memories()) == []
    assert client.head(citation).state == "forgotten"
    restored = client.restore(forgotten.memory.citation)
    assert isinstance(restored, Restored)
    assert (restored.memory.text, restored.memory.state) == (OLD, "active")
    assert restored.memory.citation == at(citation, 2)
    assert OLD in recalled(client)
    again = client.restore(restored.memory.citation)  # there is nothing to take back
    assert isinstance(again, Restored)
    assert again.memory.citation == restored.memory.citation
    assert isinstance(client.restore(citation), Conflict)


def test_a_forgotten_memory_that_is_corrected_stays_forgotten(client: PowerContext) -> None:
    citation = saved(client)
    assert isinstance(client.forget(citation), Forgotten)
    outcome = client.revise(citation, NEW)
    assert isinstance(outcome, Revised)
    assert (outcome.memory.text, outcome.memory.state) == (NEW, "forgotten")
    assert recalled(client) == ""


def test_an_edit_is_undone(client: PowerContext) -> None:
    citation = saved(client)
    revised = client.revise(citation, NEW, "decision")
    assert isinstance(revised, Revised)
    undone = client.restore(revised.memory.citation, 1)
    assert isinstance(undone, Restored)
    assert (undone.memory.text, undone.memory.kind) == (OLD, "fact")
    assert undone.memory.citation == at(citation, 3)
    assert OLD in recalled(client)
    assert NEW not in recalled(client)
    assert isinstance(client.restore(revised.memory.citation, 1), Conflict)
    assert client.head(citation) == undone.memory


def test_an_earlier_text_of_a_forgotten_memory_is_brought_back(client: PowerContext) -> None:
    citation = saved(client)
    revised = client.revise(citation, NEW)
    assert isinstance(revised, Revised)
    assert isinstance(client.forget(revised.memory.citation), Forgotten)
    outcome = client.restore(revised.memory.citation, 1)
    assert isinstance(outcome, Restored)
    assert (outcome.memory.text, outcome.memory.state) == (OLD, "active")
    assert OLD in recalled(client)


def test_a_history_is_told_newest_first(client: PowerContext) -> None:
    citation = saved(client)
    for number in range(1, 4):
        assert isinstance(client.revise(at(citation, number), f"{NEW} {number}"), Revised)
    history = client.history(citation)
    assert [one.citation for one in history] == [at(citation, number) for number in (4, 3, 2, 1)]
    times = [one.created_at for one in history if one.created_at is not None]
    assert len(times) == 4
    assert times == sorted(times, reverse=True)
    assert client.history(citation, 2) == history[:2]
    assert [client.get(one.citation).text for one in history][-1] == OLD


def test_memories_are_listed_by_their_states(client: PowerContext) -> None:
    kept, gone = saved(client), saved(client, NEW)
    assert isinstance(client.forget(gone), Forgotten)
    cases: list[tuple[list[MemoryState], set[Citation]]] = [
        (["active"], {kept}),
        (["forgotten"], {gone}),
        (["active", "forgotten"], {kept, gone}),
        (["inactive"], {gone}),
        (["merged", "retired"], set()),
    ]
    for states, expected in cases:
        assert {memory.citation for memory in client.list_memories(states=states)} == expected
    assert list(client.list_memories("decision", states=("forgotten",))) == []


def test_a_memory_that_is_not_there_is_no_outage(client: PowerContext) -> None:
    nobody = ArtifactCitation("atomic-memory", "art_" + "0" * 32, 1)
    for call in (
        lambda: client.revise(nobody, NEW),
        lambda: client.forget(nobody),
        lambda: client.restore(nobody),
        lambda: client.restore(nobody, 1),
        lambda: client.head(nobody),
        lambda: client.history(nobody),
    ):
        with pytest.raises(ServerError) as refused:
            call()
        assert refused.value.code in ("artifact_not_found", "not_found")
    citation = saved(client)
    with pytest.raises(ServerError, match="artifact_not_found"):
        client.restore(citation, 9)


def test_all_of_it_without_blocking(client: PowerContext) -> None:
    async def everything() -> None:
        citation = saved(client)
        revised = await client.arevise(citation, NEW)
        assert isinstance(revised, Revised)
        now = revised.memory.citation
        assert await client.ahead(citation) == revised.memory
        assert isinstance(await client.aforget(now), Forgotten)
        states = [one.state async for one in client.alist_memories(states=["forgotten"])]
        assert states == ["forgotten"]
        restored = await client.arestore(now)
        assert isinstance(restored, Restored)
        undone = await client.arestore(restored.memory.citation, 1)
        assert isinstance(undone, Restored)
        assert undone.memory.text == OLD
        assert len(await client.ahistory(citation)) == 4

    asyncio.run(everything())


# --- servers up to 1.2.0 ------------------------------------------------------------------------------------------


def test_an_entry_is_corrected_whatever_was_saved_since(older: PowerContext) -> None:
    citation = saved(older)
    saved(older, "Another memory moves the head of all of them on.")
    outcome = older.revise(citation, NEW)
    assert isinstance(outcome, Revised)
    assert (outcome.memory.text, outcome.memory.kind, outcome.memory.state) == (
        NEW,
        "fact",
        "active",
    )
    assert isinstance(outcome.memory.citation, EntryCitation)
    assert isinstance(citation, EntryCitation)
    assert outcome.memory.citation.entry_id == citation.entry_id
    assert NEW in recalled(older)
    assert OLD not in recalled(older)
    assert older.head(citation) == outcome.memory
    assert isinstance(older.revise(citation, "Something else."), Conflict)
    same = older.revise(outcome.memory.citation, NEW)  # such a server makes no new version of it
    assert isinstance(same, Revised)
    assert same.memory == outcome.memory


def test_an_entry_is_forgotten_for_good(older: PowerContext) -> None:
    citation = saved(older)
    forgotten = older.forget(citation)
    assert isinstance(forgotten, Forgotten)
    (listed,) = older.list_memories(states=("inactive",))
    assert (listed.text, listed.state) == (OLD, "inactive")
    assert [one.text for one in older.list_memories(states=("forgotten",))] == [OLD]
    assert list(older.list_memories()) == []
    for call in (
        lambda: older.restore(forgotten.memory.citation),
        lambda: older.restore(forgotten.memory.citation, 1),
        lambda: older.history(forgotten.memory.citation),
    ):
        with pytest.raises(NotSupportedByServer):
            call()
    assert isinstance(older.revise(forgotten.memory.citation, NEW), Conflict)
    assert recalled(older) == ""


def test_an_entry_that_is_not_there_is_no_outage(older: PowerContext) -> None:
    citation = saved(older)
    assert isinstance(citation, EntryCitation)
    nobody = EntryCitation(citation.memory_ref, "mem_ent_" + "0" * 32, citation.entry_version_id)
    for call in (
        lambda: older.revise(nobody, NEW),
        lambda: older.forget(nobody),
        lambda: older.restore(nobody),
        lambda: older.head(nobody),
    ):
        with pytest.raises(ServerError) as refused:
            call()
        assert refused.value.code in ("memory_not_found", "artifact_not_found", "not_found")


# --- somebody else's ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def several() -> Iterator[ServerOfSeveral]:
    with ServerOfSeveral() as server:
        yield server


def test_what_another_has_saved_is_seen_and_not_changed(several: ServerOfSeveral) -> None:
    scope_id = several.create_scope("shared")
    alice, bob = several.admit("alice", scope_id), several.admit("bob", scope_id)
    with connect(alice, scope_id) as hers, connect(bob, scope_id) as his:
        citation = saved(hers)
        administrator = connect(several, scope_id)
        with administrator:
            for stranger in (his, administrator):
                assert OLD in recalled(stranger)
                assert stranger.head(citation).text == OLD
                assert len(stranger.history(citation)) == 1
                outcomes = [stranger.revise(citation, NEW), stranger.forget(citation)]
                for outcome in outcomes:
                    assert isinstance(outcome, ChangeRejected)
                    assert (outcome.code, outcome.status) == ("not_yours", 403)
                    assert outcome.request_id
        revised = hers.revise(citation, NEW)
        assert isinstance(revised, Revised)
        back = his.restore(revised.memory.citation, 1)
        assert isinstance(back, ChangeRejected)
        assert back.code == "not_yours"
        assert isinstance(hers.forget(revised.memory.citation), Forgotten)
        back = his.restore(revised.memory.citation)
        assert isinstance(back, ChangeRejected)
        assert back.code == "not_yours"
        assert hers.head(citation).state == "forgotten"
        assert isinstance(hers.restore(revised.memory.citation), Restored)


def test_a_scope_that_one_may_not_read_is_refused_as_that(several: ServerOfSeveral) -> None:
    scope_id = several.create_scope("hers")
    with connect(several.admit("alice", scope_id), scope_id) as hers:
        citation = saved(hers)
    stranger = several.admit("carol", several.create_scope("elsewhere"))
    with connect(stranger, scope_id) as hers:
        for call in (
            lambda: hers.revise(citation, NEW),
            lambda: hers.forget(citation),
            lambda: hers.restore(citation),
            lambda: hers.head(citation),
        ):
            with pytest.raises(ServerError) as refused:
                call()
            assert (refused.value.code, refused.value.status) == ("forbidden", 403)
