# SPDX-License-Identifier: Apache-2.0
"""Search, list, get and capture against answers of both server generations, with and without blocking."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from powercontext_deerflow import (
    AnswerError,
    ArtifactCitation,
    Captured,
    Conflict,
    Deadline,
    EntryCitation,
    InputError,
    Memory,
    MemoryRef,
    NotSupportedByServer,
    PowerContext,
    PowerContextError,
    ServerError,
    TransportError,
)
from tests.support import answers
from tests.support.answers import (
    ACCEPTED,
    ARTIFACT,
    ENTRY_GET,
    ENTRY_LIST,
    ENTRY_RETIRE,
    LIST,
    NAMED,
    NOT_FOUND,
    REQUEST_ID,
    SEARCH,
    SOURCE,
    entry,
    record,
    refusal,
)
from tests.support.bound import settings
from tests.support.cases import each_case
from tests.support.servers import hostile
from tests.support.servers.hostile import HostileServer, answer, by_path, in_turn
from tests.support.servers.loopback import Behaviour, Connection, Request

pytestmark = pytest.mark.usefixtures("no_leaks")

CANARY = "zQ7canary"
SCOPE = "scp_unit/1"
PATH = "/v1/scopes/scp_unit%2F1/artifacts/atomic-memory/art_1"
ART = {**ARTIFACT, "revision": 2}
RECORD = record(CANARY, artifact=ART, state_version=4)
STATE = {"artifact": ART, "state": "active", "state_version": 4, "merged_into_id": None}
REVISION = {
    "scope_id": SCOPE,
    **ART,
    "sources": [],
    "artifacts": [],
    "content_digest": "sha256:00",
    "content": {"schema": "powercontext.atomic-memory.v1", "kind": "fact", "text": CANARY},
}
FORGOTTEN = {**RECORD, "state": "forgotten", "state_version": 5}
MEMORY_3, HEAD = {**answers.MEMORY, "revision": 3}, {**answers.MEMORY, "revision": 4}
CITED = {**answers.CITED, "memory_ref": MEMORY_3}
OLD = entry(CANARY, citation=CITED)
RETIRED = entry(CANARY, state="inactive", citation={**CITED, "memory_ref": HEAD})

ATOMIC = ArtifactCitation("atomic-memory", "art_1", 2)
LEGACY = EntryCitation(MemoryRef("memory", "memory", 3), "mem_ent_1", "mem_ver_1")
AFTER = EntryCitation(MemoryRef("memory", "memory", 4), "mem_ent_1", "mem_ver_1")

Ask = Callable[..., Any]


def envelope(code: str) -> dict[str, object]:
    return refusal(code, CANARY, {CANARY: CANARY})


def changed(body: dict[str, Any], **fields: object) -> Any:
    return {**copy.deepcopy(body), **fields}


@pytest.fixture(params=["blocking", "async"])
def ask(request: pytest.FixtureRequest) -> Ask:
    """``ask(routes, operation, *arguments)``: the result, and the server that was asked in ``ask.server``."""

    def call(
        routes: Mapping[str, Behaviour] | Behaviour, name: str, *args: Any, **kwargs: Any
    ) -> Any:
        served = by_path(routes) if isinstance(routes, Mapping) else routes
        server = HostileServer(served)
        call.server = server  # type: ignore[attr-defined]
        with (
            server,
            PowerContext(settings(server.base_url, scope_id=SCOPE)) as client,
        ):
            if request.param == "blocking":
                result = getattr(client, name)(*args, **kwargs)
                return list(result) if name == "list_memories" else result
            return asyncio.run(waited(getattr(client, "a" + name)(*args, **kwargs)))

    return call


async def waited(result: Any) -> Any:
    return [each async for each in result] if hasattr(result, "__aiter__") else await result


def sent(ask: Ask, index: int = -1) -> Any:
    return ask.server.requests[index].json  # type: ignore[attr-defined]


def paths(ask: Ask) -> list[str]:
    return [f"{r.method} {r.path}" for r in ask.server.requests]  # type: ignore[attr-defined]


# --- search and list ----------------------------------------------------------------------------------------------


def test_a_search_finds_memories_of_either_generation(ask: Ask) -> None:
    hit = {"score": 0.5, "matched_by": ["text"]}
    new = {"mode": "text", "hits": [{**hit, "memory": RECORD}]}
    assert ask({SEARCH: answer(200, new)}, "search", "q", 5) == [
        Memory(ATOMIC, CANARY, "fact", "active")
    ]
    assert sent(ask) == {"scope_id": SCOPE, "query": "q", "limit": 5, "mode": "fts"}
    old = {"memory": HEAD, "mode": "fts", "hits": [{**hit, "citation": CITED, "text": CANARY}]}
    found = ask({SEARCH: answer(200, old)}, "search", "q")
    assert found == [Memory(LEGACY, CANARY, None, "active")]
    assert CANARY not in repr(found)


def test_a_blank_search_asks_nothing(ask: Ask) -> None:
    assert ask({}, "search", " \n") == []
    assert paths(ask) == []


def test_a_list_follows_the_cursors(ask: Ask) -> None:
    pages = [([RECORD, FORGOTTEN], "c1"), ([], "c2"), ([RECORD], None)]
    turns = [answer(200, {"items": items, "next_cursor": cursor}) for items, cursor in pages]
    listed = ask({LIST: in_turn(*turns)}, "list_memories", "fact")
    assert [memory.state for memory in listed] == ["active", "forgotten", "active"]
    assert [sent(ask, at)["cursor"] for at in range(3)] == [None, "c1", "c2"]
    assert sent(ask) == {
        "scope_id": SCOPE,
        "kind": "fact",
        "cursor": "c2",
        "limit": 50,
        "states": ["active"],
    }


def test_an_old_server_lists_all_at_once(ask: Ask) -> None:
    entries = [OLD, changed(OLD, kind="decision")]
    old = {ENTRY_LIST: answer(200, {"memory": HEAD, "entries": entries})}
    assert [memory.kind for memory in ask(old, "list_memories")] == ["fact", "decision"]
    assert ask(old, "list_memories", "decision") == [Memory(LEGACY, CANARY, "decision", "active")]
    assert sent(ask) == {"scope_id": SCOPE}


def test_pages_without_end_and_without_memories_end_with_the_deadline(ask: Ask) -> None:
    with pytest.raises(TransportError) as failed:
        ask({LIST: endless_pages([])}, "list_memories", deadline=Deadline.after(0.2))
    assert failed.value.code in ("answer_timeout", "connect_timeout")


def endless_pages(items: list[object]) -> Behaviour:
    """A page after each, with a cursor that was not there before."""

    def page(connection: Connection, request: Request) -> None:
        after = int(request.json["cursor"] or 0) + 1
        answer(200, {"items": items, "next_cursor": str(after)})(connection, request)

    return page


@pytest.mark.parametrize("items", [[], [RECORD]])
@pytest.mark.parametrize("cursors", [["c1"] * 9, ["c1", "c2"] * 9, ["c1", "c2", "c3", "c2"] * 9])
def test_a_list_that_goes_in_a_circle_is_an_error(
    ask: Ask, items: list[object], cursors: list[str]
) -> None:
    turns = [answer(200, {"items": items, "next_cursor": each}, NAMED) for each in cursors]
    with pytest.raises(AnswerError) as refused:
        ask({LIST: in_turn(*turns)}, "list_memories")
    assert (refused.value.code, refused.value.request_id) == ("cursor_repeated", REQUEST_ID)
    assert len(paths(ask)) == len(set(cursors)) + 1


@each_case("cursor", ["", "c" * 4097, 7])
def test_a_cursor_that_cannot_be_sent_back_is_an_error(ask: Ask, cursor: object) -> None:
    with pytest.raises(AnswerError) as refused:
        ask({LIST: answer(200, {"items": [], "next_cursor": cursor})}, "list_memories")
    assert refused.value.code == "malformed"
    assert len(paths(ask)) == 1


def test_no_more_comes_than_was_asked_for(ask: Ask) -> None:
    """A page that is too large is an error: cut, it would lose memories. The best of a search are the first."""
    for count, code in ((50, None), (51, "over_limit"), (500, "over_limit")):
        page = {LIST: answer(200, {"items": [RECORD] * count, "next_cursor": None})}
        if code is None:
            assert len(ask(page, "list_memories")) == count
            continue
        with pytest.raises(AnswerError) as refused:
            ask(page, "list_memories")
        assert refused.value.code == code
    hit = {"score": 0.5, "matched_by": ["text"]}
    new = {"mode": "text", "hits": [{**hit, "memory": RECORD}] * 60}
    cited = [{**hit, "citation": CITED, "text": str(at)} for at in range(60)]
    old = {"memory": HEAD, "mode": "fts", "hits": cited}
    for found in (new, old):
        assert len(ask({SEARCH: answer(200, found)}, "search", "q", 3)) == 3
        assert len(ask({SEARCH: answer(200, found)}, "search", "q", 50)) == 50
    texts = [memory.text for memory in ask({SEARCH: answer(200, old)}, "search", "q", 3)]
    assert texts == ["0", "1", "2"]


def test_a_list_asks_as_it_goes() -> None:
    with (
        HostileServer(by_path({LIST: endless_pages([RECORD])})) as server,
        PowerContext(settings(server.base_url, scope_id=SCOPE)) as client,
    ):
        listed = client.list_memories()
        assert server.requests == []
        next(listed)
        next(listed)
        assert len(server.requests) == 2


# --- get ----------------------------------------------------------------------------------------------------------


def test_get_gives_the_very_revision_and_where_the_memory_is(ask: Ask) -> None:
    state = changed(STATE, state="forgotten", artifact={**ART, "revision": 9})
    routes = {
        f"GET {PATH}/state": answer(200, state),
        f"GET {PATH}/revisions/2": answer(200, REVISION),
    }
    assert ask(routes, "get", ATOMIC) == Memory(ATOMIC, CANARY, "fact", "forgotten")


def test_get_gives_a_legacy_entry(ask: Ask) -> None:
    assert ask({ENTRY_GET: answer(200, OLD)}, "get", LEGACY) == Memory(
        LEGACY, CANARY, "fact", "active"
    )
    assert sent(ask) == {"scope_id": SCOPE, "citation": CITED}


@each_case(
    ("state", "revision"),
    [
        (changed(STATE, artifact={**ART, "artifact_id": "art_2"}), REVISION),
        (STATE, changed(REVISION, artifact_id="art_2")),
        (STATE, changed(REVISION, revision=3)),
    ],
)
def test_an_answer_about_another_memory_is_discarded(
    ask: Ask, state: object, revision: object
) -> None:
    routes = {
        f"GET {PATH}/state": answer(200, state),
        f"GET {PATH}/revisions/2": answer(200, revision),
    }
    with pytest.raises(AnswerError) as refused:
        ask(routes, "get", ATOMIC)
    assert refused.value.code == "answer_mismatch"


# --- capture ------------------------------------------------------------------------------------------------------


def test_a_source_is_captured(ask: Ask) -> None:
    assert ask(
        {SOURCE: answer(202, ACCEPTED)}, "capture_source", "s", CANARY, {"turn": [1, None]}
    ) == Captured(7)
    assert sent(ask) == {
        "scope_id": SCOPE,
        "source_id": "s",
        "content": CANARY,
        "metadata": {"turn": [1, None]},
    }


def test_another_source_of_that_name_is_a_conflict(ask: Ask) -> None:
    refused = answer(409, envelope("source_conflict"))
    assert ask({SOURCE: refused}, "capture_source", "s", CANARY) == Conflict("source_conflict")


@each_case(
    ("status", "body", "code"),
    [
        (200, ACCEPTED, "unexpected_status"),
        (202, changed(ACCEPTED, source={"name": "content", "source_id": "t"}), "answer_mismatch"),
        (202, changed(ACCEPTED, status="queued"), "malformed"),
        (202, changed(ACCEPTED, position="7"), "malformed"),
        (202, {}, "malformed"),
    ],
)
def test_a_capture_that_is_not_confirmed_is_an_error(
    ask: Ask, status: int, body: object, code: str
) -> None:
    with pytest.raises(AnswerError) as refused:
        ask({SOURCE: answer(status, body)}, "capture_source", "s", CANARY)
    assert refused.value.code == code


@each_case("metadata", [{"a": object()}, {"a": "\ud800"}, {object(): 1}])
def test_what_json_cannot_carry_is_refused_before_anything_is_sent(
    ask: Ask, metadata: dict[Any, Any]
) -> None:
    with pytest.raises(InputError) as refused:
        ask({}, "capture_source", "s", CANARY, metadata)
    assert refused.value.code in ("metadata_not_json", "metadata_not_unicode")
    assert refused.value.__context__ is None
    assert paths(ask) == []


# --- errors, of every operation -----------------------------------------------------------------------------------

OPERATIONS: dict[str, tuple[Any, ...]] = {
    "search": ("q",),
    "list_memories": (),
    "get": (ATOMIC,),
    "head": (ATOMIC,),
    "history": (ATOMIC,),
    "revise": (ATOMIC, "t"),
    "forget": (ATOMIC,),
    "restore": (ATOMIC,),
    "capture_source": ("s", CANARY),
    "server_info": (),
    "check_scope": (),
}


@each_case("name", OPERATIONS)
@each_case(("status", "body"), [(404, NOT_FOUND), (405, {"detail": "Method Not Allowed"})])
def test_an_operation_that_the_server_does_not_have(
    ask: Ask, name: str, status: int, body: object
) -> None:
    with pytest.raises(NotSupportedByServer) as refused:
        ask(answer(status, body), name, *OPERATIONS[name])
    assert (refused.value.code, refused.value.status) == (f"http_{status}", status)
    assert pickle.loads(pickle.dumps(refused.value)).status == status


@each_case("name", ["get", "forget"])
def test_a_citation_that_the_server_has_no_use_for_any_more(ask: Ask, name: str) -> None:
    refusal = answer(422, envelope("legacy_memory_operation_unsupported"))
    with pytest.raises(NotSupportedByServer) as refused:
        ask({ENTRY_GET: refusal, ENTRY_RETIRE: refusal}, name, LEGACY)
    assert refused.value.code == "legacy_memory_operation_unsupported"


@each_case("name", OPERATIONS)
@each_case(
    ("status", "body", "code"),
    [
        (404, envelope("scope_not_found"), "scope_not_found"),
        (404, envelope(CANARY), "http_404"),
        (403, envelope("forbidden"), "forbidden"),
        (404, CANARY, "http_404"),
        (422, {"detail": CANARY}, "http_422"),
        (503, b"", "http_503"),
    ],
)
def test_an_error_status_says_what_is_known_and_nothing_more(
    ask: Ask, name: str, status: int, body: object, code: str
) -> None:
    with pytest.raises(ServerError) as refused:
        ask(answer(status, body, NAMED), name, *OPERATIONS[name])
    assert type(refused.value) is ServerError
    told = (refused.value.code, refused.value.status, refused.value.request_id)
    assert told == (code, status, REQUEST_ID)
    assert CANARY not in repr(refused.value) + repr(vars(refused.value))


@each_case("name", OPERATIONS)
def test_an_answer_that_is_refused_can_be_found_in_the_servers_log(ask: Ask, name: str) -> None:
    status = 202 if name == "capture_source" else 200
    with pytest.raises(AnswerError) as refused:
        ask(answer(status, b"{", NAMED), name, *OPERATIONS[name])
    assert (refused.value.code, refused.value.request_id) == ("malformed", REQUEST_ID)


@each_case("name", OPERATIONS)
@each_case(
    ("behaviour", "error"),
    [(answer(200, "<html>"), AnswerError), (hostile.close_without_answer(), TransportError)],
)
def test_every_failure_is_of_one_tree(
    ask: Ask, name: str, behaviour: Behaviour, error: type[PowerContextError]
) -> None:
    with pytest.raises(error) as failed:
        ask(behaviour, name, *OPERATIONS[name])
    assert isinstance(failed.value, PowerContextError)
    assert failed.value.code
    assert failed.value.status == (200 if error is AnswerError else None)
    assert failed.value.request_id is None


@each_case("name", OPERATIONS)
def test_the_deadline_holds(ask: Ask, name: str) -> None:
    with pytest.raises(TransportError) as failed:
        ask(hostile.silent(), name, *OPERATIONS[name], deadline=Deadline.after(0.1))
    assert failed.value.code == "answer_timeout"
