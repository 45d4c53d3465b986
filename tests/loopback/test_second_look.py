# SPDX-License-Identifier: Apache-2.0
"""When a recall looks a second time, with what, and what it does if that finds nothing or fails."""

from __future__ import annotations

import asyncio

import pytest

from powercontext_deerflow import NothingRecalled, Recalled, RecallFailed
from powercontext_deerflow.operations import second_look
from powercontext_deerflow.transport import threads
from tests.support.answers import NO_HITS, NOT_FOUND, PREPARE, SEARCH, found, prepared, refused
from tests.support.bound import connected
from tests.support.cases import each_case
from tests.support.servers.hostile import answer, by_path, in_turn, silent
from tests.support.servers.loopback import Behaviour, Connection, Request

LONG = (
    "Hello! I am looking at the refund calculation of the order service again, and while doing so I noticed that"
    " several rounding helpers disagree about half cents; which representation did everybody agree on?"
)
MEMORY = "Order service: money amounts are integer cents; refund rounding is half up."


def prepares(connection: Connection, request: Request) -> None:
    """Empty to the literal query; ready, echoing the query, to any other."""
    query = request.json["query"]
    answer(200, prepared(None if query == LONG else f"found by: {query}"))(connection, request)


def serving(search: Behaviour) -> Behaviour:
    return by_path({PREPARE: prepares, SEARCH: search})


def test_a_long_query_that_found_nothing_gets_a_second_look() -> None:
    with connected(serving(answer(200, found(MEMORY)))) as (client, server):
        recalled = client.recall(LONG)
    assert isinstance(recalled, Recalled)
    assert recalled.focused
    words = recalled.content.removeprefix("found by: ").split()
    assert len(words) == 3
    assert set(words) <= {*second_look.terms(MEMORY)} & {*second_look.terms(LONG)}
    first, *searches, last = [request.json for request in server.requests]
    assert set(first) == set(last) == {"scope_id", "query", "max_bytes", "assembly"}
    assert first["query"] == LONG
    assert all(
        search["mode"] == "fts" and set(search) == {"scope_id", "query", "limit", "mode"}
        for search in searches
    )
    assert 1 <= len(searches) <= 10


@each_case(
    "search",
    [
        answer(200, NO_HITS),
        answer(200, found(MEMORY, state="forgotten")),
        answer(200, found("Nothing alike at all.")),
        answer(200, {"mode": "text"}),
        answer(200, {"memory": {}, "mode": "fts", "hits": []}),
        refused(500, "internal_error"),
        answer(404, NOT_FOUND),
    ],
    ids=["nothing", "forgotten", "another", "malformed", "halves", "500", "404"],
)
def test_a_second_look_that_finds_or_understands_nothing_leaves_the_literal_answer(
    search: Behaviour,
) -> None:
    with connected(serving(search)) as (client, server):
        assert client.recall(LONG) == NothingRecalled()
        assert server.count(PREPARE) == 1


def test_a_hanging_search_stays_within_the_recall_deadline() -> None:
    with connected(serving(silent()), recall_timeout_seconds=0.4) as (client, server):
        assert client.recall(LONG) == NothingRecalled()
        assert server.count(SEARCH) == 1


def test_a_second_look_that_gets_no_thread_leaves_the_literal_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuses(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    behaviour = in_turn(answer(200, prepared("here")), answer(200, prepared(None)))
    with connected(behaviour) as (client, _):
        client.recall("so that a connection is open")
        monkeypatch.setattr(threads, "start_new_thread", refuses)
        assert asyncio.run(client.arecall(LONG)) == NothingRecalled()


@each_case(("query", "given"), [("order service", {}), (LONG, {"recall_focus": False})])
def test_short_queries_and_the_rfc_to_the_letter_cost_one_request(
    query: str, given: dict[str, object]
) -> None:
    with connected(answer(200, prepared(None)), **given) as (client, server):
        client.recall(query)
        assert len(server.requests) == 1


def test_a_server_that_answers_at_once_never_pays() -> None:
    with connected(answer(200, prepared("here"))) as (client, server):
        recalled = client.recall(LONG)
        assert isinstance(recalled, Recalled)
        assert not recalled.focused
        assert len(server.requests) == 1


def test_a_failure_is_no_reason_to_look_again() -> None:
    with connected(answer(503)) as (client, server):
        assert isinstance(client.recall(LONG), RecallFailed)
        assert len(server.requests) == 1
