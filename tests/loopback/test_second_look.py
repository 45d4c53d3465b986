# SPDX-License-Identifier: Apache-2.0
"""When a recall looks a second time, with what, and what it does if that finds nothing or fails."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from powercontext_deerflow import NothingRecalled, Recalled, RecallFailed
from powercontext_deerflow.transport import threads
from tests.support.answers import (
    FROM_1_4,
    NO_HITS,
    NOT_FOUND,
    PREPARE,
    SEARCH,
    found,
    prepared,
    prepared_text,
    refused,
    wide,
)
from tests.support.bound import connected
from tests.support.cases import each_case
from tests.support.servers.hostile import answer, by_path, in_turn, silent
from tests.support.servers.loopback import Behaviour, Connection, Request

LONG = (
    "Hello! I am looking at the refund calculation of the order service again, and while doing so I noticed that"
    " several rounding helpers disagree about half cents; which representation did everybody agree on?"
)
SHORT = "refund rounding?"
MEMORY = "Order service: money amounts are integer cents; refund rounding is half up."
ANOTHER = "Beehives are inspected twice a year by the same craftsman."
WIDE = "POST /v1/scopes/scp_1/artifacts/atomic-memory/search"


def prepares(headers: list[tuple[str, str]], literal: str | None = None) -> Behaviour:
    """``literal``, or empty, to the first query; ready, echoing the query, to any other."""
    asked: list[str] = []

    def behaviour(connection: Connection, request: Request) -> None:
        asked.append(request.json["query"])
        content = literal if len(asked) == 1 else f"found by: {asked[-1]}"
        answer(200, prepared(content), headers)(connection, request)

    return behaviour


def serving(search: Behaviour, literal: str | None = None) -> Behaviour:
    """A server from 1.4.0."""
    return by_path({PREPARE: prepares(FROM_1_4, literal), WIDE: search})


def older(search: Behaviour) -> Behaviour:
    return by_path({PREPARE: prepares([]), SEARCH: search})


def limit(request: Request) -> int:
    body: dict[str, Any] = request.json
    section = body["assembly"]["sections"][0]
    assert section.keys() == {"family", "limit"}
    return int(section["limit"])


@each_case("query", [LONG, SHORT])
def test_a_query_that_found_nothing_gets_one_wide_search_and_asks_for_what_is_meant(
    query: str,
) -> None:
    with connected(serving(answer(200, wide(MEMORY, ANOTHER)))) as (client, server):
        recalled = client.recall(query)
    assert isinstance(recalled, Recalled)
    assert recalled.focused
    first, search, last = server.requests
    assert set(first.json) == set(last.json) == {"scope_id", "query", "max_bytes", "assembly"}
    assert (first.json["query"], limit(first), limit(last)) == (query, 6, 1)
    words = last.json["query"].split()
    assert recalled.content == f"found by: {last.json['query']}"
    assert len(words) == 3
    assert all(word in MEMORY for word in words)
    assert search.is_for(WIDE)
    assert search.json.keys() == {"query", "limit", "mode", "admission"}
    assert {"refund", "rounding"} <= set(search.json["query"].split())


def test_a_server_that_says_nothing_of_a_wide_search_gets_short_pieces() -> None:
    with connected(older(answer(200, found(MEMORY)))) as (client, server):
        recalled = client.recall(LONG)
    assert isinstance(recalled, Recalled)
    assert recalled.focused
    assert 1 <= server.count(SEARCH) <= 10
    assert server.count(PREPARE) == 2
    assert len(server.requests) == server.count(SEARCH) + 2
    assert all(
        set(request.json) == {"scope_id", "query", "limit", "mode"}
        for request in server.requests
        if request.is_for(SEARCH)
    )


@each_case(
    "search",
    [
        answer(200, wide()),
        answer(200, wide(ANOTHER)),
        answer(200, {"results": None}),
        answer(200, {"results": [{}]}),
        refused(500, "internal_error"),
        answer(404, NOT_FOUND),
        refused(422, "invalid_access_request"),
        answer(200, b"{" * 2**19),
        answer(200, wide(*(f"{MEMORY} {at}" for at in range(4000)))),
    ],
    ids=["nothing", "another", "null", "halves", "500", "404", "422", "malformed", "thousands"],
)
def test_a_wide_search_that_finds_or_understands_nothing_leaves_the_literal_answer(
    search: Behaviour,
) -> None:
    with connected(serving(search)) as (client, server):
        outcome = client.recall(SHORT)
        assert isinstance(outcome, Recalled if server.count(PREPARE) == 2 else NothingRecalled)
        assert server.count(WIDE) == 1
        assert len(server.requests) <= 3


@each_case(
    "search",
    [
        answer(200, NO_HITS),
        answer(200, found(MEMORY, state="forgotten")),
        answer(200, found(ANOTHER)),
        answer(200, {"mode": "text"}),
        answer(200, {"memory": {}, "mode": "fts", "hits": []}),
        refused(500, "internal_error"),
        answer(404, NOT_FOUND),
    ],
    ids=["nothing", "forgotten", "another", "malformed", "halves", "500", "404"],
)
def test_pieces_that_find_or_understand_nothing_leave_the_literal_answer(search: Behaviour) -> None:
    with connected(older(search)) as (client, server):
        assert client.recall(LONG) == NothingRecalled()
        assert server.count(PREPARE) == 1


@each_case(("server", "path"), [(serving(silent()), WIDE), (older(silent()), SEARCH)])
def test_a_hanging_search_stays_within_the_recall_deadline(server: Behaviour, path: str) -> None:
    with connected(server, recall_timeout_seconds=0.4) as (client, asked):
        assert client.recall(LONG) == NothingRecalled()
        assert asked.count(path) == 1


def test_a_second_look_that_gets_no_thread_leaves_the_literal_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuses(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    behaviour = in_turn(answer(200, prepared("here")), answer(200, prepared(None), FROM_1_4))
    with connected(behaviour) as (client, _):
        client.recall("so that a connection is open")
        monkeypatch.setattr(threads, "start_new_thread", refuses)
        assert asyncio.run(client.arecall(LONG)) == NothingRecalled()


def test_the_rfc_to_the_letter_costs_one_request() -> None:
    for literal in (None, prepared_text(ANOTHER)):
        server = by_path({PREPARE: answer(200, prepared(literal), FROM_1_4)})
        with connected(server, recall_focus=False) as (client, asked):
            recalled = client.recall(SHORT)
            assert len(asked.requests) == 1
            assert isinstance(recalled, Recalled) is (literal is not None)


@each_case(
    ("literal", "headers"),
    [
        (prepared_text(MEMORY), FROM_1_4),
        (prepared_text(ANOTHER), []),  # an older server's choice stands
        ("of an unknown form", FROM_1_4),
    ],
)
def test_a_literal_answer_that_is_meant_never_pays(
    literal: str, headers: list[tuple[str, str]]
) -> None:
    with connected(answer(200, prepared(literal), headers)) as (client, server):
        recalled = client.recall(SHORT)
        assert isinstance(recalled, Recalled)
        assert (recalled.content, recalled.focused) == (literal, False)
        assert len(server.requests) == 1


def test_a_literal_answer_that_is_not_meant_is_nothing_or_another() -> None:
    query = "which craftsman sings that wedding song?"
    literal = prepared_text(ANOTHER)
    with connected(serving(answer(200, wide(ANOTHER)), literal)) as (client, server):
        assert client.recall(query) == NothingRecalled()
        assert server.count(PREPARE) == 1
    with connected(serving(answer(200, wide(MEMORY)), literal)) as (client, _):
        recalled = client.recall(SHORT)
        assert isinstance(recalled, Recalled)
        assert recalled.focused


def test_a_literal_answer_to_half_of_a_query_is_completed() -> None:
    query = "refund rounding, and how many dpi do kiosk printers have?"
    kiosk = "Kiosk printers print at 203 dpi only."
    behaviour = serving(answer(200, wide(MEMORY, kiosk)), prepared_text(MEMORY))
    with connected(behaviour) as (client, server):
        recalled = client.recall(query)
        assert isinstance(recalled, Recalled)
        assert recalled.focused
        assert limit(server.requests[-1]) == 2
        assert len(server.requests) == 3
    behaviour = serving(answer(200, wide(MEMORY)), prepared_text(MEMORY))
    with connected(behaviour) as (client, server):
        recalled = client.recall(query)
        assert isinstance(recalled, Recalled)
        assert recalled.content == prepared_text(MEMORY)
        assert len(server.requests) == 2


def test_a_failure_is_no_reason_to_look_again() -> None:
    with connected(answer(503, b"", FROM_1_4)) as (client, server):
        assert isinstance(client.recall(LONG), RecallFailed)
        assert len(server.requests) == 1
