# SPDX-License-Identifier: Apache-2.0
"""Corrections, forgetting and bringing back against answers of both server generations, with and without blocking."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime
from typing import Any

import pytest

from powercontext_deerflow import (
    AnswerError,
    ArtifactCitation,
    ChangeRejected,
    ChangeUnknown,
    Conflict,
    Deadline,
    EntryCitation,
    Forgotten,
    InputError,
    Memory,
    NotSupportedByServer,
    PowerContext,
    Restored,
    Revised,
    Revision,
    ServerError,
    TransportError,
)
from tests.loopback.test_sdk_records import (
    AFTER,
    ART,
    ATOMIC,
    CANARY,
    CITED,
    FORGOTTEN,
    HEAD,
    LEGACY,
    OLD,
    PATH,
    RECORD,
    RETIRED,
    REVISION,
    SCOPE,
    STATE,
    Ask,
    ask,
    changed,
    envelope,
    paths,
    sent,
)
from tests.support.answers import (
    ENTRY_GET,
    ENTRY_LIST,
    ENTRY_RETIRE,
    ENTRY_REVISE,
    LIFECYCLE,
    LIST,
    NAMED,
    NOT_FOUND,
    REQUEST_ID,
    RESTORE,
    entry,
    refused,
)
from tests.support.bound import settings
from tests.support.cases import each_case
from tests.support.servers import hostile
from tests.support.servers.hostile import HostileServer, answer, by_path, in_turn
from tests.support.servers.loopback import Behaviour, Connection, Request

__all__ = ["ask"]  # the fixture

pytestmark = pytest.mark.usefixtures("no_leaks")

NEW = "zQ7canary, corrected"
PUT, AT = f"PUT {PATH}", "2026-12-01T01:42:54.383637Z"
TIME = datetime(2026, 12, 1, 1, 42, 54, 383637, UTC)
NEXT = ArtifactCitation("atomic-memory", "art_1", 3)


def content(text: str, kind: str = "fact") -> dict[str, object]:
    return {"schema": "powercontext.atomic-memory.v1", "kind": kind, "text": text}


REVISED = changed(REVISION, revision=3, content=content(NEW), created_at=AT)
AFTERWARDS = changed(STATE, artifact={**ART, "revision": 3})
LEGACY_AFTER = {**CITED, "memory_ref": HEAD, "entry_version_id": "mem_ver_2"}
OTHER = {**LEGACY_AFTER, "entry_id": "mem_ent_2"}
ENTRY_REVISED = entry(NEW, citation=LEGACY_AFTER, version=2)
STALE = refused(412, "revision_conflict")
LOST = hostile.close_without_answer()


def one_memory(**more: Behaviour) -> dict[str, Behaviour]:
    """What is read before a change, of the memory at its second revision."""
    routes = {
        f"GET {PATH}/state": answer(200, STATE),
        f"GET {PATH}/revisions/2": answer(200, REVISION),
        f"GET {PATH}/revisions/3": answer(200, REVISED),
    }
    return routes | more


# --- revise -------------------------------------------------------------------------------------------------------


def test_a_correction_is_sent_with_its_revision(ask: Ask) -> None:
    routes = one_memory() | {PUT: answer(200, REVISED, NAMED)}
    outcome = ask(routes, "revise", ATOMIC, f" {NEW}\n")
    memory = Memory(NEXT, NEW, "fact", "active", TIME)
    assert outcome == Revised(memory, REQUEST_ID)
    assert CANARY not in repr(outcome)
    (request,) = [one for one in ask.server.requests if one.method == "PUT"]  # type: ignore[attr-defined]
    assert request.json == {"content": {"kind": "fact", "text": NEW}}
    assert request.header("if-match") == '"revision:2"'
    assert request.header("authorization")


def test_a_kind_that_is_given_is_not_asked_for(ask: Ask) -> None:
    revised = changed(REVISED, content=content(NEW, "decision"))
    routes = {f"GET {PATH}/state": answer(200, STATE), PUT: answer(200, revised)}
    outcome = ask(routes, "revise", ATOMIC, NEW, "decision")
    assert isinstance(outcome, Revised)
    assert outcome.memory.kind == "decision"


def test_a_memory_of_a_kind_of_another_client_keeps_it(ask: Ask) -> None:
    rare = {**content(NEW), "kind": "hermes-memory"}
    routes = one_memory() | {
        f"GET {PATH}/revisions/2": answer(200, changed(REVISION, content=rare)),
        PUT: answer(200, changed(REVISED, content=rare)),
    }
    outcome = ask(routes, "revise", ATOMIC, NEW)
    assert isinstance(outcome, Revised)
    assert outcome.memory.kind == "hermes-memory"


@each_case("state", ["forgotten", "merged", "retired"])
def test_a_correction_says_whether_it_is_recalled(ask: Ask, state: str) -> None:
    routes = one_memory() | {
        f"GET {PATH}/state": answer(200, changed(STATE, state=state)),
        PUT: answer(200, REVISED),
    }
    outcome = ask(routes, "revise", ATOMIC, NEW)
    assert isinstance(outcome, Revised)
    assert outcome.memory.state == state


def test_the_state_is_the_one_after_the_correction(ask: Ask) -> None:
    """It is forgotten between the two."""
    states = in_turn(answer(200, STATE), answer(200, changed(AFTERWARDS, state="forgotten")))
    routes = one_memory() | {f"GET {PATH}/state": states, PUT: answer(200, REVISED)}
    outcome = ask(routes, "revise", ATOMIC, NEW)
    assert isinstance(outcome, Revised)
    assert outcome.memory.state == "forgotten"


def test_an_entry_is_corrected_by_the_head_of_the_moment(ask: Ask) -> None:
    current = changed(OLD, citation={**CITED, "memory_ref": HEAD})
    routes = {
        ENTRY_GET: answer(200, OLD),
        ENTRY_LIST: answer(200, {"memory": HEAD, "entries": [current]}),
        ENTRY_REVISE: answer(200, {"memory": HEAD, "entry": ENTRY_REVISED}, NAMED),
    }
    outcome = ask(routes, "revise", LEGACY, NEW)
    after = EntryCitation(AFTER.memory_ref, "mem_ent_1", "mem_ver_2")
    assert outcome == Revised(Memory(after, NEW, "fact", "active"), REQUEST_ID)
    assert sent(ask) == {
        "scope_id": SCOPE,
        "citation": current["citation"],
        "kind": "fact",
        "text": NEW,
    }


@each_case("text", ["", " ", "x" * 8193, "a </memory> b", "\ud800", None, b"x"])
def test_a_text_is_looked_at_as_one_to_remember(ask: Ask, text: Any) -> None:
    with pytest.raises(InputError) as refused_here:
        ask({}, "revise", ATOMIC, text)
    assert refused_here.value.field == "text"
    assert paths(ask) == []


# --- forget -------------------------------------------------------------------------------------------------------


def test_forget_sends_the_current_state_version(ask: Ask) -> None:
    done = answer(200, {"changed": True, "records": [FORGOTTEN]})
    outcome = ask(one_memory() | {LIFECYCLE: done}, "forget", ATOMIC)
    assert outcome == Forgotten(Memory(ATOMIC, CANARY, "fact", "forgotten"))
    target = {"artifact": ART, "state_version": 4}
    assert sent(ask) == {"scope_id": SCOPE, "target": target, "state": "forgotten"}


def test_forget_retires_a_legacy_entry(ask: Ask) -> None:
    outcome = ask({ENTRY_RETIRE: answer(200, {"memory": HEAD, "entry": RETIRED})}, "forget", LEGACY)
    assert outcome == Forgotten(Memory(AFTER, CANARY, "fact", "inactive"))
    assert sent(ask) == {"scope_id": SCOPE, "citation": CITED}


# --- restore ------------------------------------------------------------------------------------------------------


def test_a_forgotten_memory_is_brought_back(ask: Ask) -> None:
    back = {"changed": True, "restored": [{**ART, "revision": 3}], "retired": []}
    routes = one_memory() | {
        f"GET {PATH}/state": answer(200, changed(STATE, state="forgotten")),
        f"GET {PATH}/revisions/3": answer(200, changed(REVISION, revision=3)),
        RESTORE: answer(200, {**back, "undo_merge_results": []}, NAMED),
    }
    outcome = ask(routes, "restore", ATOMIC)
    assert outcome == Restored(Memory(NEXT, CANARY, "fact", "active"), REQUEST_ID)
    (request,) = [one for one in ask.server.requests if one.is_for(RESTORE)]  # type: ignore[attr-defined]
    assert request.json == {"scope_id": SCOPE, "target": {"artifact_id": "art_1"}}


def test_an_edit_is_undone_by_its_revision(ask: Ask) -> None:
    """By the precondition that a correction has, which restoring has not."""
    earlier = changed(REVISION, revision=1, content=content("before", "decision"))
    routes = one_memory() | {
        f"GET {PATH}/revisions/1": answer(200, earlier),
        PUT: answer(200, changed(REVISED, content=content("before", "decision"))),
    }
    outcome = ask(routes, "restore", ATOMIC, 1)
    assert outcome == Restored(Memory(NEXT, "before", "decision", "active", TIME))
    assert [one for one in paths(ask) if not one.startswith("GET")] == [PUT]
    last = ask.server.requests[-1]  # type: ignore[attr-defined]
    assert last.header("if-match") == '"revision:2"'


def test_a_citation_of_an_earlier_revision_brings_nothing_back(ask: Ask) -> None:
    routes = one_memory() | {f"GET {PATH}/state": answer(200, AFTERWARDS)}
    for revision in (None, 1):
        assert ask(routes, "restore", ATOMIC, revision) == Conflict("revision_conflict")
        assert paths(ask) == [f"GET {PATH}/state"]


def test_older_servers_bring_nothing_back(ask: Ask) -> None:
    for name in ("restore", "history"):
        with pytest.raises(NotSupportedByServer):
            ask({ENTRY_GET: answer(200, OLD)}, name, LEGACY)
        assert paths(ask) == [ENTRY_GET]


# --- head, history, states ----------------------------------------------------------------------------------------


def test_the_head_is_the_current_revision(ask: Ask) -> None:
    routes = one_memory() | {f"GET {PATH}/state": answer(200, AFTERWARDS)}
    assert ask(routes, "head", ATOMIC) == Memory(NEXT, NEW, "fact", "active", TIME)
    entries = [entry("another", citation={**CITED, "entry_id": "mem_ent_2"}), RETIRED]
    older = {
        ENTRY_GET: answer(200, OLD),
        ENTRY_LIST: answer(200, {"memory": HEAD, "entries": entries}),
    }
    assert ask(older, "head", LEGACY) == Memory(AFTER, CANARY, "fact", "inactive")
    assert sent(ask) == {"scope_id": SCOPE, "include_inactive": True}


def test_a_history_has_times_where_the_server_gives_them(ask: Ask) -> None:
    items = [{**ART, "revision": 3, "created_at": AT, "title": None}, {**ART, "revision": 2}]
    listed = answer(200, {"items": items, "next_cursor": None})
    routes = one_memory() | {f"GET {PATH}/revisions": listed}
    expected = [Revision(NEXT, TIME), Revision(ATOMIC, None)]
    assert ask(routes, "history", ATOMIC) == expected
    assert ask(routes, "history", ATOMIC, 1) == expected[:1]
    assert paths(ask) == [f"GET {PATH}/state", f"GET {PATH}/revisions?limit=1"]


@each_case(
    "items",
    [
        [{**ART, "artifact_id": "art_2"}],
        [ART, {**ART, "artifact_id": "art_2"}],
        [{**ART, "revision": 0}],
        [{**ART, "created_at": CANARY}],
        [{**ART, "created_at": 7}],
        {},
        None,
    ],
)
def test_a_history_of_something_else_is_discarded(ask: Ask, items: object) -> None:
    listed = answer(200, {"items": items})
    with pytest.raises(AnswerError) as discarded:
        ask(one_memory() | {f"GET {PATH}/revisions": listed}, "history", ATOMIC)
    assert discarded.value.code in ("malformed", "answer_mismatch")


def test_states_are_asked_for_by_name(ask: Ask) -> None:
    page = {LIST: answer(200, {"items": [FORGOTTEN, RECORD], "next_cursor": None})}
    listed = ask(page, "list_memories", None, states=["forgotten", "active"])
    assert [memory.state for memory in listed] == ["forgotten", "active"]
    assert sorted(sent(ask)["states"]) == ["active", "forgotten"]
    ask(page, "list_memories", states=["inactive"])
    assert sorted(sent(ask)["states"]) == ["forgotten", "merged", "retired"]
    older = {ENTRY_LIST: answer(200, {"memory": HEAD, "entries": [OLD, RETIRED]})}
    for states, expected in (
        (("active",), ["active"]),
        (("forgotten",), ["inactive"]),
        (("inactive", "active"), ["active", "inactive"]),
    ):
        listed = ask(older, "list_memories", states=states)
        assert [memory.state for memory in listed] == expected


@each_case(
    "states",
    [
        (),
        [],
        "active",
        None,
        ("Active",),
        ("active", 1),
        ["active"] * 2,
        ["x"] * 10**6,
        7,
        {"active"},
        {"active": 1},
    ],
)
def test_other_states_are_refused(ask: Ask, states: Any) -> None:
    with pytest.raises(InputError) as refused_here:
        ask({}, "list_memories", states=states)
    assert refused_here.value.field == "states"


# --- refusals -----------------------------------------------------------------------------------------------------

Change = tuple[str, tuple[Any, ...], str]
CHANGES: dict[str, Change] = {
    "revise": ("revise", (ATOMIC, NEW), PUT),
    "forget": ("forget", (ATOMIC,), LIFECYCLE),
    "restore": ("restore", (ATOMIC,), RESTORE),
    "undo": ("restore", (ATOMIC, 1), PUT),
    "revise an entry": ("revise", (LEGACY, NEW), ENTRY_REVISE),
    "retire an entry": ("forget", (LEGACY,), ENTRY_RETIRE),
}


def before(change: str, *behaviours: Behaviour) -> tuple[dict[str, Behaviour], Any]:
    """All that is read before the change, the change answered so; and how it is asked for."""
    name, args, route = CHANGES[change]
    state = "forgotten" if change == "restore" else "active"
    routes = one_memory() | {
        f"GET {PATH}/state": answer(200, changed(STATE, state=state)),
        f"GET {PATH}/revisions/1": answer(200, changed(REVISION, revision=1, content=content("x"))),
        f"GET {PATH}/revisions/3": answer(404, envelope("artifact_not_found")),
        ENTRY_GET: answer(200, OLD),
        ENTRY_LIST: answer(200, {"memory": HEAD, "entries": [OLD]}),
        route: in_turn(*behaviours),
    }
    return routes, (name, *args)


def count(ask: Ask, change: str) -> int:
    return paths(ask).count(CHANGES[change][2])


@each_case("change", CHANGES)
@each_case(
    ("status", "code", "told"),
    [
        (403, "forbidden", "not_yours"),
        (401, "unauthorized", "unauthorized"),
        (503, "server_overloaded", "server_overloaded"),
        (413, "request_too_large", "request_too_large"),
        (422, "invalid_request", "invalid_request"),
    ],
)
def test_a_refusal_says_that_nothing_was_changed(
    ask: Ask, change: str, status: int, code: str, told: Any
) -> None:
    headers = [*NAMED, ("Retry-After", "1")]
    routes, call = before(change, answer(status, envelope(code), headers))
    assert ask(routes, *call) == ChangeRejected(told, status, REQUEST_ID, 1.0)
    assert count(ask, change) == 1


@each_case("change", [name for name in CHANGES if name != "restore"])
@each_case(
    ("status", "code"),
    [(409, "revision_conflict"), (409, "atomic_memory_changed"), (409, "renamed_later")],
)
def test_a_stale_citation_is_a_conflict(ask: Ask, change: str, status: int, code: str) -> None:
    told: Any = "http_409" if code == "renamed_later" else code
    routes, call = before(change, answer(status, envelope(code), NAMED))
    outcome = ask(routes, *call)
    assert isinstance(outcome, Conflict)
    assert outcome.code in (told, "revision_conflict")
    assert CANARY not in repr(outcome)


@each_case("change", ["revise", "forget", "restore"])
def test_a_memory_that_is_not_there_is_no_outage(ask: Ask, change: str) -> None:
    """Servers before 1.4.1 answer as if their access control were down."""
    for status, code in ((503, "artifact_owner_pending"), (404, "not_found")):
        routes, call = before(change, answer(status, envelope(code), NAMED))
        with pytest.raises(ServerError) as absent:
            ask(routes, *call)
        assert absent.value.code in ("artifact_not_found", "not_found")
        assert absent.value.request_id == REQUEST_ID
        assert count(ask, change) == 1


@each_case("change", CHANGES)
def test_a_server_without_the_operation_is_told(ask: Ask, change: str) -> None:
    routes, call = before(change, answer(404, NOT_FOUND))
    with pytest.raises(NotSupportedByServer):
        ask(routes, *call)


# --- lost answers -------------------------------------------------------------------------------------------------

LOSSES: dict[str, Behaviour] = {
    "closed": LOST,
    "half": hostile.close_mid_body(),
    "a head only": hostile.close_after_headers(),
    "malformed": answer(200, b"{"),
    "empty": answer(200, {}),
    "another status": answer(202, {}),
    "another memory": answer(
        200,
        {
            **changed(REVISED, artifact_id="art_2"),
            "changed": True,
            "records": [changed(FORGOTTEN, artifact={**ART, "artifact_id": "art_2"})],
            "restored": [{**ART, "artifact_id": "art_2"}],
            "memory": HEAD,
            "entry": changed(RETIRED, citation={**CITED, "entry_id": "mem_ent_2"}),
        },
    ),
    "another entry": answer(200, {"memory": HEAD, "entry": entry(NEW, citation=OTHER)}),
    "not changed": answer(
        200,
        {
            **REVISION,
            "changed": True,
            "records": [RECORD],
            "restored": [],
            "memory": HEAD,
            "entry": OLD,
        },
    ),
    "an outage": answer(503, envelope("access_unavailable")),
    "a gateway": answer(502, b"<html>"),
    "redirected": hostile.redirect(307, "/elsewhere"),
    "too large": hostile.huge_body(2 << 20),
    "compressed": hostile.gzip_bomb(),
}
DONE: dict[str, Behaviour] = {
    "revise": answer(200, REVISED),
    "forget": answer(200, {"changed": True, "records": [FORGOTTEN]}),
    "restore": answer(200, {"changed": False, "restored": [ART]}),
    "undo": answer(200, changed(REVISED, content=content("x"))),
    "revise an entry": answer(200, {"memory": HEAD, "entry": ENTRY_REVISED}),
    "retire an entry": answer(200, {"memory": HEAD, "entry": RETIRED}),
}


@each_case("change", CHANGES)
@each_case("loss", LOSSES)
def test_what_had_not_happened_is_done_by_the_same_request(
    ask: Ask, change: str, loss: str
) -> None:
    routes, call = before(change, LOSSES[loss], LOSSES[loss], DONE[change])
    outcome = ask(routes, *call)
    assert isinstance(outcome, Revised | Forgotten | Restored), outcome
    if not isinstance(outcome, Restored):
        assert outcome.confirmed_by == "answer"
    _, _, route = CHANGES[change]
    requests = [one for one in ask.server.requests if one.is_for(route)]  # type: ignore[attr-defined]
    assert len(requests) == 3
    assert len({(one.body, one.header("if-match")) for one in requests}) == 1


@each_case("loss", LOSSES)
def test_what_had_happened_is_found(ask: Ask, loss: str) -> None:
    routes, call = before("revise", LOSSES[loss], STALE)
    routes[f"GET {PATH}/revisions/3"] = answer(200, REVISED)
    outcome = ask(routes, *call)
    assert outcome == Revised(Memory(NEXT, NEW, "fact", "active", TIME), None, "read_back")
    routes, call = before("forget", LOSSES[loss], refused(409, "atomic_memory_changed"))
    state = in_turn(answer(200, STATE), answer(200, changed(STATE, state="forgotten")))
    routes[f"GET {PATH}/state"] = state
    outcome = ask(routes, *call)
    assert outcome == Forgotten(Memory(ATOMIC, CANARY, "fact", "forgotten"), None, "read_back")


@each_case("loss", LOSSES)
def test_what_somebody_else_did_is_a_conflict(ask: Ask, loss: str) -> None:
    routes, call = before("revise", LOSSES[loss], STALE)
    for other in (content("another"), content(NEW, "decision")):
        routes[f"GET {PATH}/revisions/3"] = answer(200, changed(REVISED, content=other))
        assert ask(routes, *call) == Conflict("revision_conflict", REQUEST_ID)
        routes[PUT] = in_turn(LOSSES[loss], STALE)
    for state in (changed(STATE, state_version=6), AFTERWARDS):
        routes, call = before("forget", LOSSES[loss], refused(409, "atomic_memory_changed"))
        routes[f"GET {PATH}/state"] = in_turn(answer(200, STATE), answer(200, state))
        assert ask(routes, *call) == Conflict("atomic_memory_changed", REQUEST_ID)


def test_what_is_asked_for_again_is_told_again(ask: Ask) -> None:
    """Whoever was cut off, and asks once more, is not told that somebody else had changed it."""
    routes, call = before("revise", STALE)
    routes[f"GET {PATH}/revisions/3"] = answer(200, REVISED)
    outcome = ask(routes, *call)
    assert outcome == Revised(Memory(NEXT, NEW, "fact", "active", TIME), None, "read_back")
    assert count(ask, "revise") == 1
    revised_since = changed(AFTERWARDS, state="forgotten")
    routes, call = before("forget", refused(409, "revision_conflict"))
    routes[f"GET {PATH}/revisions/3"] = answer(200, REVISED)
    routes[f"GET {PATH}/state"] = answer(200, revised_since)
    outcome = ask(routes, *call)
    assert outcome == Forgotten(Memory(NEXT, NEW, "fact", "forgotten", TIME), None, "read_back")
    assert count(ask, "forget") == 1


def test_an_entry_that_is_not_listed_any_more_is_a_conflict(ask: Ask) -> None:
    for behaviours in ([DONE["revise an entry"]], [refused(409, "revision_conflict")]):
        routes, call = before("revise an entry", *behaviours)
        listed = [answer(200, {"memory": HEAD, "entries": each}) for each in ([OLD], [])]
        routes[ENTRY_LIST] = in_turn(*listed[-len(behaviours) :])
        assert ask(routes, *call) == Conflict("revision_conflict")


def test_an_entry_that_is_not_there_is_nobody_elses(ask: Ask) -> None:
    """Servers up to 1.2.0 forbid to retire it, and 1.0.0 and 1.1.0 speak of an outage when it is read."""
    for absent, code in (
        (refused(404, "memory_not_found"), "memory_not_found"),
        (refused(503, "artifact_owner_pending"), "artifact_not_found"),
    ):
        routes, call = before("retire an entry", refused(403, "forbidden"))
        routes[ENTRY_GET] = absent
        for asked in (call, ("get", LEGACY), ("head", LEGACY), ("restore", LEGACY)):
            with pytest.raises(ServerError) as told:
                ask(routes, *asked)
            assert (told.value.code, told.value.status) == (code, 404)
            assert told.value.__context__ is None or told.value.__suppress_context__


def test_an_entry_that_was_changed_is_found(ask: Ask) -> None:
    stale = refused(409, "revision_conflict")
    after = EntryCitation(AFTER.memory_ref, "mem_ent_1", "mem_ver_2")
    routes, call = before("revise an entry", LOST, stale)
    lists = ({"memory": HEAD, "entries": [one]} for one in (OLD, ENTRY_REVISED))
    routes[ENTRY_LIST] = in_turn(*(answer(200, one) for one in lists))
    expected = Memory(after, NEW, "fact", "active")
    assert ask(routes, *call) == Revised(expected, None, "read_back")
    routes, call = before("retire an entry", LOST, stale)
    routes[ENTRY_LIST] = answer(200, {"memory": HEAD, "entries": [RETIRED]})
    retired = Memory(AFTER, CANARY, "fact", "inactive")
    assert ask(routes, *call) == Forgotten(retired, None, "read_back")
    routes, call = before("retire an entry", LOST, stale)
    assert ask(routes, *call) == Conflict("revision_conflict", REQUEST_ID)


@each_case("change", CHANGES)
def test_only_the_deadline_ends_it_unknown(ask: Ask, change: str) -> None:
    """It is sent again and again, ever more slowly, and never given up before."""
    routes, call = before(change, LOST)
    outcome = ask(routes, *call, deadline=Deadline.after(1.5))
    assert isinstance(outcome, ChangeUnknown)
    assert outcome.code == "connection_lost"
    assert 3 <= count(ask, change) <= 8
    routes, call = before(change, hostile.silent())
    outcome = ask(routes, *call, deadline=Deadline.after(1.0))
    assert isinstance(outcome, ChangeUnknown)
    assert outcome.code == "answer_timeout"


@each_case("change", CHANGES)
def test_a_request_that_hangs_leaves_time_to_ask_again(ask: Ask, change: str) -> None:
    routes, call = before(change, hostile.silent(), DONE[change])
    outcome = ask(routes, *call, deadline=Deadline.after(2.0))
    assert isinstance(outcome, Revised | Forgotten | Restored), outcome


@each_case("change", CHANGES)
def test_nothing_is_changed_when_no_byte_leaves(ask: Ask, change: str) -> None:
    routes, call = before(change, DONE[change])
    with pytest.raises(TransportError) as failed:
        ask(routes, *call, deadline=Deadline.after(0))
    assert not failed.value.sent
    assert paths(ask) == []


def lost_and_noted(asked: threading.Event) -> Behaviour:
    def behave(connection: Connection, request: Request) -> None:
        asked.set()
        LOST(connection, request)

    return behave


def test_a_client_that_is_closed_ends_its_changes() -> None:
    """They do not go on asking."""
    asked = threading.Event()
    routes, _ = before("revise", lost_and_noted(asked))
    came: list[object] = []
    with HostileServer(by_path(routes)) as server:
        client = PowerContext(settings(server.base_url, scope_id=SCOPE))
        by = Deadline.after(60)

        def change() -> None:
            try:
                came.append(client.revise(ATOMIC, NEW, deadline=by))
            except TransportError as error:
                came.append(error)

        thread = threading.Thread(target=change)
        thread.start()
        assert asked.wait(10)
        client.close()
        thread.join(10)
        assert not thread.is_alive()
    assert [getattr(one, "code", None) for one in came] in (["closed"], ["connection_lost"])


def test_a_cancelled_change_stops_asking() -> None:
    asked = threading.Event()
    routes, _ = before("forget", lost_and_noted(asked))

    async def cancelled() -> None:
        async with PowerContext(settings(server.base_url, scope_id=SCOPE)) as client:
            task = asyncio.create_task(client.aforget(ATOMIC, deadline=Deadline.after(60)))
            await asyncio.to_thread(asked.wait, 10)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    with HostileServer(by_path(routes)) as server:
        asyncio.run(cancelled())
