# SPDX-License-Identifier: Apache-2.0
"""The client around the operations: the switches of a save, threads and deadlines, the generated client, its making."""

from __future__ import annotations

import asyncio
import threading

import httpx
import pytest
from powercontext_openapi.api.artifacts import get_artifact
from powercontext_openapi.api.scopes import get_scope
from powercontext_openapi.models import ScopeDescriptor

from powercontext_deerflow import (
    AlreadySaved,
    ConfigurationError,
    Deadline,
    NothingRecalled,
    PowerContext,
    RecallFailed,
    Saved,
    SaveNotSent,
    SaveUnknown,
    TransportError,
)
from powercontext_deerflow.codes import AnswerCode
from tests.support import bound
from tests.support.answers import (
    ATOMIC,
    NAMED,
    NO_HITS,
    REMEMBER,
    REQUEST_ID,
    SCOPE,
    SEARCH,
    TEXT,
    confirmed,
    found,
    prepared,
)
from tests.support.bound import SCOPE_ID, TOKEN, asked, connected
from tests.support.servers import hostile
from tests.support.servers.hostile import HostileServer, answer, by_path, in_turn
from tests.support.servers.loopback import Behaviour

pytestmark = pytest.mark.usefixtures("no_leaks")

FOUND, NOTHING = answer(200, found(TEXT)), answer(200, NO_HITS)
EMPTY = answer(200, prepared(None))
SAVED = answer(200, confirmed(TEXT))


async def arrived(server: HostileServer, requests: int) -> None:
    while len(server.requests) < requests:  # noqa: ASYNC110 - the server is a thread
        await asyncio.sleep(0.01)


# --- the switches of a save ---------------------------------------------------------------------------------------


def test_an_answer_that_is_refused_can_be_found_in_the_servers_log() -> None:
    refused: tuple[tuple[int, AnswerCode], ...]
    refused = ((200, "malformed"), (202, "unexpected_status"))
    for status, code in refused:
        broken = answer(status, b"{", NAMED)
        with connected(by_path({SEARCH: NOTHING}, broken)) as (client, _):
            assert client.recall("text") == RecallFailed(code, status, REQUEST_ID)
            assert asyncio.run(client.arecall("text")) == RecallFailed(code, status, REQUEST_ID)
            assert client.remember(TEXT) == SaveUnknown(code, status, REQUEST_ID)


@pytest.mark.parametrize("blocking", [True, False])
def test_the_look_up_before_a_save_can_be_left_out(blocking: bool) -> None:
    def save(client: PowerContext, check_duplicates: bool) -> object:
        if blocking:
            return client.remember(TEXT, check_duplicates=check_duplicates)
        return asyncio.run(client.aremember(TEXT, check_duplicates=check_duplicates))

    with connected(by_path({SEARCH: FOUND, REMEMBER: SAVED})) as (client, server):
        assert save(client, True) == AlreadySaved(ATOMIC)
        assert asked(server) == [SEARCH]
        server.clear()
        assert save(client, False) == Saved(ATOMIC)
        assert asked(server) == [REMEMBER]


@pytest.mark.parametrize("blocking", [True, False])
def test_the_look_up_after_a_lost_answer_can_be_left_out(blocking: bool) -> None:
    def save(client: PowerContext, read_back: bool) -> object:
        if blocking:
            return client.remember(TEXT, read_back=read_back)
        return asyncio.run(client.aremember(TEXT, read_back=read_back))

    for read_back, outcome in (
        (True, Saved(ATOMIC, confirmed_by="read_back")),
        (False, SaveUnknown("connection_lost")),
    ):
        lost = by_path({SEARCH: in_turn(NOTHING, FOUND), REMEMBER: hostile.close_without_answer()})
        with connected(lost) as (client, server):
            assert save(client, read_back) == outcome
            assert asked(server) == [SEARCH, REMEMBER, SEARCH][: 3 if read_back else 2]


def test_without_both_look_ups_a_save_is_one_request() -> None:
    with connected(by_path({REMEMBER: answer(503, "")})) as (client, server):
        outcome = client.remember(TEXT, check_duplicates=False, read_back=False)
        assert outcome == SaveUnknown("http_503", 503)
        assert asked(server) == [REMEMBER]


def test_equal_saves_with_other_switches_are_not_one_save() -> None:
    """Each gets what it asked for; they still go one after the other."""
    release = threading.Event()
    with connected(by_path({SEARCH: NOTHING, REMEMBER: _held(release)})) as (client, server):

        async def all_at_once() -> list[object]:
            saves = [
                client.aremember(TEXT, check_duplicates=check) for check in (False, False, True)
            ]
            tasks = [asyncio.ensure_future(save) for save in saves]
            await arrived(server, 1)
            release.set()
            return list(await asyncio.gather(*tasks))

        assert asyncio.run(all_at_once()) == [Saved(ATOMIC)] * 3
        assert asked(server) == [REMEMBER, SEARCH, REMEMBER]


def _held(release: threading.Event) -> Behaviour:
    def behave(connection: object, request: object) -> None:
        assert release.wait(10)
        SAVED(connection, request)  # type: ignore[arg-type]

    return behave


# --- threads and deadlines ----------------------------------------------------------------------------------------


def test_the_wait_for_a_thread_counts_against_the_deadline() -> None:
    """All threads are taken; whoever waits for one gives up at its deadline, and nothing of it is ever sent."""
    with connected(hostile.silent(), recall_timeout_seconds=5.0) as (client, server):

        async def crowd() -> None:
            first = [asyncio.ensure_future(client.acheck_scope()) for _ in range(32)]
            await arrived(server, 32)
            late = (
                client.aserver_info,
                client.acheck_scope,
                lambda **by: client.aget(ATOMIC, **by),
            )
            for call in late:
                with pytest.raises(TransportError, match="no_connection_free") as failed:
                    await call(deadline=Deadline.after(0.05))
                assert not failed.value.sent
            recalled = await client.arecall("q", deadline=Deadline.after(0.05))
            assert recalled == RecallFailed("no_connection_free")
            with pytest.raises(TransportError, match="no_connection_free"):
                async for _ in client.alist_memories(deadline=Deadline.after(0.05)):
                    pass
            assert not any(call.done() for call in first)
            await client.aclose(0.0)
            await asyncio.gather(*first, return_exceptions=True)

        asyncio.run(crowd())
        assert len(server.requests) == 32


@pytest.mark.parametrize("blocking", [True, False])
def test_a_save_that_waits_for_another_one_ends_by_its_own_deadline(blocking: bool) -> None:
    release = threading.Event()
    with connected(by_path({SEARCH: NOTHING, REMEMBER: _held(release)})) as (client, server):
        first = threading.Thread(target=client.remember, args=("the first one",))
        first.start()
        server.wait_for_request(REMEMBER)
        given_up = SaveNotSent("saves_ahead")
        if blocking:
            assert client.remember(TEXT, deadline=Deadline.after(0.05)) == given_up
        else:
            assert asyncio.run(client.aremember(TEXT, deadline=Deadline.after(0.05))) == given_up
        assert first.is_alive()
        release.set()
        first.join()
        # The next equal save does not join the one that was given up.
        assert client.remember(TEXT) == Saved(ATOMIC)
        assert server.count(REMEMBER) == 2


@pytest.mark.parametrize("seconds", [3e6, 1e10, 1e300, float("inf")])
def test_a_deadline_may_be_further_away_than_a_clock_can_count(seconds: float) -> None:
    by = Deadline.after(seconds)
    with connected(by_path({SEARCH: NOTHING, REMEMBER: SAVED}, EMPTY)) as (client, _):
        assert client.recall("q", deadline=by) == NothingRecalled()
        assert asyncio.run(client.arecall("q", deadline=by)) == NothingRecalled()
        assert client.remember(TEXT, deadline=by) == Saved(ATOMIC)
        assert asyncio.run(client.aremember(TEXT, deadline=by)) == Saved(ATOMIC)


def test_a_cancelled_call_leaves_the_client_usable() -> None:
    scope = f"GET /v1/scopes/{SCOPE['scope_id']}"
    with connected(by_path({scope: answer(200, SCOPE), SEARCH: hostile.silent()})) as (
        client,
        server,
    ):

        async def cancel_then_ask() -> bool:
            search = asyncio.ensure_future(client.asearch("q"))
            await arrived(server, 1)
            search.cancel()
            return await client.acheck_scope()

        assert asyncio.run(cancel_then_ask())


def test_a_closed_client_says_so() -> None:
    with connected(hostile.silent()) as (client, server):
        client.close()
        assert asyncio.run(client.arecall("q")) == RecallFailed("closed")
        for call in (client.asearch("q"), client.aget(ATOMIC), client.acheck_scope()):
            with pytest.raises(TransportError, match="closed"):
                asyncio.run(call)
        assert server.requests == []


# --- the generated client -----------------------------------------------------------------------------------------


def test_the_generated_client_runs_over_our_bounds_with_and_without_blocking() -> None:
    with connected(answer(200, SCOPE, [("Set-Cookie", "a=b")])) as (client, server):

        async def ask() -> object:
            return await get_scope.asyncio(SCOPE_ID, client=client.generated)

        for found in (get_scope.sync(SCOPE_ID, client=client.generated), asyncio.run(ask())):
            assert isinstance(found, ScopeDescriptor)
            assert found.scope_id == SCOPE_ID
        for request in server.requests:
            assert request.header("authorization") == f"Bearer {TOKEN}"
            assert request.header("cookie") is None
        assert len(server.requests) == 2


def test_the_generated_client_sends_conditions() -> None:
    with connected(answer(304, b"")) as (client, server):
        answered = get_artifact.sync_detailed(
            SCOPE_ID,
            "atomic-memory",
            "art_1",
            client=client.generated,
            if_none_match='"revision:1"',
        )
        assert answered.status_code == 304
        assert server.requests[0].header("if-none-match") == '"revision:1"'


@pytest.mark.parametrize(
    ("url", "timeout", "refusal"),
    [
        ("http://127.0.0.1:1/v1/x", 1.0, "bound to one PowerContext server"),
        ("/v1/x", None, "no endless request"),
    ],
)
def test_other_origins_and_endless_requests_are_refused(
    url: str, timeout: float | None, refusal: str
) -> None:
    with connected(hostile.silent()) as (client, server):
        with pytest.raises(httpx.UnsupportedProtocol, match=refusal):
            client.generated.get_httpx_client().get(url, timeout=timeout)

        async def ask() -> None:
            await client.generated.get_async_httpx_client().get(url, timeout=timeout)

        with pytest.raises(httpx.UnsupportedProtocol, match=refusal):
            asyncio.run(ask())
        assert server.requests == []


def test_failures_of_the_generated_client_are_httpx_errors() -> None:
    with connected(hostile.close_without_answer()) as (client, _):

        async def ask() -> object:
            return await get_scope.asyncio(SCOPE_ID, client=client.generated)

        with pytest.raises(httpx.ReadError, match="connection_lost"):
            get_scope.sync(SCOPE_ID, client=client.generated)
        with pytest.raises(httpx.ReadError, match="connection_lost"):
            asyncio.run(ask())
        client.close()
        with pytest.raises(httpx.ConnectError, match="closed"):
            asyncio.run(ask())


# --- its making ---------------------------------------------------------------------------------------------------


def test_a_client_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError):
        PowerContext.from_environment()
    with HostileServer(answer(200, SCOPE)) as server:
        bound.bind(monkeypatch, server.base_url)
        with PowerContext.from_environment() as client:
            assert client.check_scope()
