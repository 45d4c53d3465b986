# SPDX-License-Identifier: Apache-2.0
"""What only more than a few memories, two Scopes or two writers show, on a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from powercontext_deerflow import (
    ArtifactCitation,
    Captured,
    Forgotten,
    InputError,
    PowerContext,
    Recalled,
    Saved,
    Secret,
    ServerError,
    Settings,
)
from tests.support.servers.proxy import Exchange, RecordingProxy, on
from tests.support.servers.real import PowerContextServer

pytestmark = pytest.mark.usefixtures("no_leaks")

TEXT = "Order service: money amounts are integer cents."
QUERY = "money amounts of the order service"


def connect(server: PowerContextServer, scope_id: str, base_url: str = "") -> PowerContext:
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


def test_more_memories_than_one_page(
    client: PowerContext, powercontext_141: PowerContextServer, scope: str
) -> None:
    texts = {f"Memory number {number}." for number in range(53)}
    for text in texts:
        powercontext_141.remember(scope, text)
    listed = [memory.text for memory in client.list_memories()]
    assert sorted(listed) == sorted(texts)

    async def again() -> list[str]:
        return [memory.text async for memory in client.alist_memories("fact")]

    assert asyncio.run(again()) == listed


def test_a_memory_of_a_scope_that_is_referred_to_is_cited_with_its_own_scope(
    powercontext_141: PowerContextServer, scope: str
) -> None:
    powercontext_141.remember(scope, TEXT)
    body = {
        "title": "refers",
        "summary": "refers",
        "context_references": [scope],
        "idempotency_key": "refers-to-" + scope,
    }
    referring = powercontext_141.call("POST", "/v1/scopes", body)["scope_id"]
    with connect(powercontext_141, referring) as client:
        recalled = client.recall(QUERY)
        assert isinstance(recalled, Recalled)
        (cited,) = recalled.citations
        assert cited.scope_id == scope
        with pytest.raises(ServerError, match="artifact_not_found"):
            client.get(cited.citation)
    with connect(powercontext_141, cited.scope_id) as its_own:
        assert its_own.get(cited.citation).text == TEXT


def test_what_is_accepted_here_is_accepted_there_and_can_be_repeated(
    client: PowerContext, powercontext_141: PowerContextServer, scope: str
) -> None:
    """A server answers some metadata once, and the equal capture that follows with 500 for ever."""
    deep: object = 1
    for _ in range(64):
        deep = [deep]
    right: list[dict[str, object]] = [
        {"a": 2**53 - 1, "b": -(2**53) + 1, "c": -0.0, "d": 5e-324, "e": float(2**53 - 1)},
        {"a": "x" * (2**18 - 3)},
        {"a": deep},
        {"": "", "\x00": "\x00", "\U0001f600": [None, True, {}, []]},
    ]
    for at, metadata in enumerate(right):
        name = f"s{at}".ljust(256, "x")
        first = client.capture_source(name, "界" * 200_000, metadata)
        assert isinstance(first, Captured)
        again = client.capture_source(name, "界" * 200_000, metadata)
        assert isinstance(again, Captured)
        assert again.position == first.position
    for wrong in ({"a": 2**53}, {"a": 2.0**53}):
        with pytest.raises(InputError):
            client.capture_source("s", "c", wrong)
        body = {"scope_id": scope, "source_id": f"w{wrong['a']}", "content": "c", "metadata": wrong}
        with pytest.raises(RuntimeError, match="500"):  # noqa: PT012 - the second time at the latest
            powercontext_141.call("POST", "/v1/sources/content", body)
            powercontext_141.call("POST", "/v1/sources/content", body)


def test_two_who_forget_the_same_memory(
    powercontext_141: PowerContextServer, client: PowerContext, scope: str
) -> None:
    """The other one forgets it between our look and our write: it is forgotten, whoever was first."""
    saved = client.remember(TEXT)
    assert isinstance(saved, Saved)
    assert isinstance(saved.citation, ArtifactCitation)

    def other_first(exchange: Exchange) -> None:
        assert isinstance(client.forget(saved.citation), Forgotten)
        exchange.connection.send(exchange.forward())

    with RecordingProxy(powercontext_141.base_url) as proxy:
        proxy.fault = on("POST /v1/atomic-memory/lifecycle", other_first)
        with connect(powercontext_141, scope, proxy.base_url) as late:
            outcome = late.forget(saved.citation)
    assert isinstance(outcome, Forgotten)
    assert outcome.confirmed_by == "read_back"
