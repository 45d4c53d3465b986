# SPDX-License-Identifier: Apache-2.0
"""Where an equal memory is looked for, step by step, over a server that says just what each step needs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from powercontext_deerflow import AlreadySaved, PowerContext, Saved
from tests.loopback.hostile.world import healthy, settings
from tests.support.answers import (
    LIST,
    NOT_FOUND,
    REMEMBER,
    SEARCH,
    TEXT,
    confirmed,
    record,
    refusal,
)
from tests.support.bound import asked
from tests.support.servers.hostile import HostileServer, answer, by_path, silent
from tests.support.servers.loopback import Behaviour, Connection, Request, http_answer

EVERY_WORD = "POST /v1/scopes/scp_hostile/artifacts/atomic-memory/search"
CITED = {"family": "atomic-memory", "artifact_id": "art_9", "revision": 1}
Serve = Callable[[dict[str, Behaviour]], tuple[PowerContext, HostileServer]]


@pytest.fixture
def serve(no_leaks: None) -> Iterator[Serve]:
    with ExitStack() as stack:

        def begin(routes: dict[str, Behaviour]) -> tuple[PowerContext, HostileServer]:
            server = stack.enter_context(HostileServer(by_path(routes, healthy)))
            # A wide deadline: what a look-up does with its share of it is the subject of other tests.
            bound = settings(server.base_url, remember_timeout_seconds=20)
            return stack.enter_context(PowerContext(bound)), server

        yield begin


def hits(count: int, *texts: str) -> dict[str, Any]:
    stored = [*(record(f"Another fact, number {number}.") for number in range(count))]
    stored += [record(text, artifact=CITED) for text in texts]
    return {"mode": "text", "hits": [{"memory": m, "score": 0.1, "matched_by": []} for m in stored]}


def results(count: int, *texts: str) -> dict[str, Any]:
    def one(text: str, artifact_id: str) -> dict[str, Any]:
        content = {"schema": "powercontext.atomic-memory.v1", "kind": "fact", "text": text}
        return {**CITED, "artifact_id": artifact_id, "content": content, "lineage": {}}

    others = [one(f"Another fact, number {number}.", f"art_a{number}") for number in range(count)]
    return {"results": [*others, *(one(text, "art_9") for text in texts)]}


def pages(*of: list[dict[str, Any]]) -> Behaviour:
    def behave(connection: Connection, request: Request) -> None:
        number = int(request.json["cursor"] or 0)
        following = str(number + 1) if number + 1 < len(of) else None
        connection.send(http_answer(200, {"items": of[number], "next_cursor": following}))

    return behave


def test_a_search_that_is_not_full_has_found_everything(serve: Serve) -> None:
    for found in (hits(0), hits(49)):
        client, server = serve({SEARCH: answer(200, found)})
        assert isinstance(client.remember(TEXT), Saved)
        assert asked(server) == [SEARCH, REMEMBER]


def test_a_full_search_is_followed_by_one_for_every_word(serve: Serve) -> None:
    full = answer(200, hits(50))
    client, server = serve({SEARCH: full, EVERY_WORD: answer(200, results(3, TEXT))})
    outcome = client.remember(TEXT)
    assert isinstance(outcome, AlreadySaved)
    assert outcome.citation is not None
    assert asked(server) == [SEARCH, EVERY_WORD]
    assert server.requests[1].json["query"] == f"`{TEXT}`"
    client, server = serve({SEARCH: full, EVERY_WORD: answer(200, results(99))})
    assert isinstance(client.remember(TEXT), Saved)
    assert asked(server) == [SEARCH, EVERY_WORD, REMEMBER]


@pytest.mark.parametrize(
    "every_word",
    [
        answer(200, results(100)),
        answer(200, {"results": "none"}),
        answer(404, NOT_FOUND),
        answer(422, refusal("invalid_request")),
    ],
    ids=["full too", "another shape", "an older server", "a server that has it otherwise"],
)
def test_what_is_still_open_is_looked_for_page_by_page(every_word: Behaviour, serve: Serve) -> None:
    listed = pages([record("One.")], [], [record(TEXT, kind="decision"), record(TEXT)])
    client, server = serve({SEARCH: answer(200, hits(50)), EVERY_WORD: every_word, LIST: listed})
    assert isinstance(client.remember(TEXT), AlreadySaved)
    assert asked(server) == [SEARCH, EVERY_WORD, LIST, LIST, LIST]
    assert {request.json["kind"] for request in server.requests[2:]} == {"fact"}


def test_more_hits_than_were_asked_for_count_as_a_full_search(serve: Serve) -> None:
    """And what is beyond them is not looked at."""
    client, server = serve(
        {SEARCH: answer(200, hits(50, TEXT)), EVERY_WORD: answer(200, results(0))}
    )
    assert isinstance(client.remember(TEXT), Saved)
    assert asked(server) == [SEARCH, EVERY_WORD, REMEMBER]
    assert len(client.search("fact", 7)) == 7


def test_what_holds_no_word_is_only_listed(serve: Serve) -> None:
    client, server = serve({LIST: pages([record("👍", kind="decision"), record("🎉")])})
    outcome = client.remember("🎉")
    assert isinstance(outcome, AlreadySaved)
    assert not outcome.searchable
    assert asked(server) == [LIST]
    server.clear()
    fresh = client.remember("🚀")
    assert isinstance(fresh, Saved)
    assert not fresh.searchable
    assert asked(server) == [LIST, REMEMBER]


@pytest.mark.parametrize("endless", [False, True], ids=["silent", "a page after a page"])
def test_a_list_never_takes_more_than_its_share(endless: bool, serve: Serve) -> None:
    def turning(connection: Connection, request: Request) -> None:
        cursor = str(len(server.requests))
        connection.send(http_answer(200, {"items": [record("One.")], "next_cursor": cursor}))

    client, server = serve({LIST: turning if endless else silent()})
    started = time.monotonic()
    assert isinstance(client.remember("🚀"), Saved)
    assert time.monotonic() - started < client.settings.remember_timeout_seconds
    assert server.count(REMEMBER) == 1


@pytest.mark.parametrize(
    ("after", "searchable"),
    [
        (answer(200, hits(0)), False),
        (answer(200, hits(49)), False),
        (answer(200, hits(3, "the of and")), True),
        (answer(200, hits(50)), True),
        (answer(500, "words"), True),
        (silent(), True),
    ],
    ids=["nothing", "others", "itself", "full", "refused", "silent"],
)
def test_what_may_hold_function_words_only_is_searched_for_once_it_is_saved(
    after: Behaviour, searchable: bool, serve: Serve
) -> None:
    saved = False

    def search(connection: Connection, request: Request) -> None:
        (after if saved else answer(200, hits(0)))(connection, request)

    def save(connection: Connection, request: Request) -> None:
        nonlocal saved
        saved = True
        connection.send(http_answer(200, confirmed(request.json["text"])))

    client, server = serve({SEARCH: search, REMEMBER: save})
    started = time.monotonic()
    outcome = client.remember("the of and")
    assert time.monotonic() - started < client.settings.remember_timeout_seconds + 0.25
    assert isinstance(outcome, Saved)
    assert outcome.searchable is searchable
    assert asked(server) == [SEARCH, REMEMBER, SEARCH]
    queries = [
        request.json["query"] for request in server.requests if request.path.endswith("search")
    ]
    assert queries == ["`the of and`", "the of and"]
