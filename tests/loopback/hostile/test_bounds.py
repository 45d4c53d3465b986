# SPDX-License-Identifier: Apache-2.0
"""The bound comes before the work: a second look ends by its deadline, and the event loop runs on."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Callable

import pytest

from powercontext_deerflow import InputError, NothingRecalled, PowerContext, Recall, Recalled
from tests.loopback.hostile.conftest import Connect, Serve
from tests.loopback.hostile.world import SLACK, open_connection
from tests.support.answers import ARTIFACT, FROM_1_4, PREPARE, SEARCH, hit, prepared, wide
from tests.support.servers.hostile import answer, by_path
from tests.support.servers.loopback import Behaviour, Connection, Request

WORDS = [f"{a}{b}{c}" for a, b, c in itertools.product("bdfgklmnprstvz", "aeiou", "bdfgklmnpr")]
QUERIES = {
    "words": " ".join(WORDS * 4)[:8192],
    "Chinese": "订单服务的退款计算与库存校验规则" * 512,
    "marks": "checkout service orders " + ("refund" + "\u0301\u0327" * 2030 + " ") * 2,
    "names": " ".join(f"Name{at}Space" for at in range(900))[:8192],
}
RECALL_SECONDS = 1.0


def texts(query: str, hits: int, length: int) -> list[str]:
    """As many texts of the query's own words."""
    return [f"{at} {query[at:]}{query[:at]}"[:length] for at in range(hits)]


def pieces_found(said: list[str]) -> object:
    found = [
        hit(text, artifact={**ARTIFACT, "artifact_id": f"art_{at}"}) for at, text in enumerate(said)
    ]
    return {"mode": "text", "hits": found}


ANSWERS = {
    "ten hits of 8 KB": (10, 8192),
    "a hundred hits of 8 KB": (100, 8192),
    "four thousand short hits": (4000, 30),
    "one hit of a mebibyte": (1, 2**20),
}


def searches(found: Callable[[list[str]], object], query: str, hits: int, length: int) -> Behaviour:
    """As much as fits into a mebibyte."""
    while (
        len(body := json.dumps(found(texts(query, hits, length)), ensure_ascii=False).encode())
        > 2**20
    ):
        hits, length = (hits * 9 // 10, length) if hits > 1 else (1, length // 2)
    return answer(200, body)


WIDE = "POST /v1/scopes/scp_hostile/artifacts/atomic-memory/search"
SERVERS: dict[str, tuple[str, Callable[[list[str]], object], list[tuple[str, str]]]] = {
    "1.4": (WIDE, lambda said: wide(*said), FROM_1_4),
    "older": (SEARCH, pieces_found, []),
}


@pytest.mark.parametrize("generation", SERVERS)
@pytest.mark.parametrize("way", ["recall", "arecall", "arecall over an open connection"])
@pytest.mark.parametrize("found", ANSWERS)
@pytest.mark.parametrize("query", QUERIES)
def test_a_second_look_ends_by_its_deadline(
    query: str, found: str, way: str, generation: str, serve: Serve, connect: Connect
) -> None:
    text = QUERIES[query]
    path, said, headers = SERVERS[generation]
    routes = {
        PREPARE: answer(200, prepared(None), headers),
        path: searches(said, text, *ANSWERS[found]),
    }
    server = serve(by_path(routes))
    client = connect(server.base_url, recall_timeout_seconds=RECALL_SECONDS)
    if way.endswith("connection"):
        open_connection(client)
    started = time.monotonic()
    outcome, standing = timed_recall(client, text, blocking=way == "recall")
    assert time.monotonic() - started <= RECALL_SECONDS + SLACK
    assert isinstance(outcome, NothingRecalled)
    assert server.count(path) >= 1
    assert standing <= 0.5


def timed_recall(client: PowerContext, text: str, *, blocking: bool) -> tuple[Recall, float]:
    """The outcome, and how long the event loop stood at most."""
    if blocking:
        return client.recall(text), 0.0

    async def both() -> tuple[Recall, float]:
        recall = asyncio.ensure_future(client.arecall(text))
        longest, before = 0.0, time.monotonic()
        while not recall.done():
            await asyncio.sleep(0.005)
            now = time.monotonic()
            longest, before = max(longest, now - before), now
        return await recall, longest

    return asyncio.run(both())


def test_of_more_hits_than_were_asked_for_the_first_are_taken(
    serve: Serve, connect: Connect
) -> None:
    """A memory that comes after ten others was not asked for, and takes no part in the second query."""
    asked = (
        "Which representation of money amounts did everybody agree on for refund rounding, please?"
    )
    others = [f"Nothing alike at all {at}." for at in range(10)]
    meant = (
        "Representation of money amounts: integer cents, by refund rounding half up, as all agreed."
    )

    def prepares(connection: Connection, request: Request) -> None:
        content = None if request.json["query"] == asked else "found"
        answer(200, prepared(content))(connection, request)

    for said, kind in (([*others, meant], NothingRecalled), ([*others[:9], meant], Recalled)):
        server = serve(by_path({PREPARE: prepares, SEARCH: answer(200, pieces_found(said))}))
        assert isinstance(connect(server.base_url).recall(asked), kind)


@pytest.mark.parametrize("size", [8193, 65_536, 262_144, 4_000_000])
def test_the_event_loop_runs_on_whatever_is_to_be_saved(
    size: int, serve: Serve, connect: Connect
) -> None:
    """At 262,144 of these, sorting the marks by insertion takes half a minute with the interpreter's lock held."""
    server = serve(answer(500))
    client = connect(server.base_url)

    async def longest(save: Callable[[], object]) -> float:
        before = time.monotonic()
        with pytest.raises(InputError):
            save()
        await asyncio.sleep(0)
        return time.monotonic() - before

    async def saves() -> None:
        for unit in ("\u0301\u0327", "\u0f73\u0f71", "\u3000", "界", "<"):
            text = "a" + unit * (size // len(unit)) + "b"
            coroutine = client.aremember(text * (3 if size < 10_000 else 1))
            assert await longest(lambda: coroutine.send(None)) < 0.1  # noqa: B023 - called at once

    asyncio.run(saves())
    assert server.requests == []
