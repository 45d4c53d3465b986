# SPDX-License-Identifier: Apache-2.0
"""A server that does not exist yet: 1.4.1 behind a proxy that changes what it says. Each change has one result.

Added keys: a recall is discarded (its contract is closed), all else goes on, a save with a diagnostic. Another schema,
or a field less: discarded, unknown, or AnswerError. Another code: the status tells, as ``http_<status>``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from powercontext_deerflow import (
    AlreadySaved,
    AnswerError,
    Captured,
    Conflict,
    Forgotten,
    NotSupportedByServer,
    PowerContext,
    Recalled,
    RecallFailed,
    Saved,
    SaveUnknown,
    Secret,
    ServerError,
    Settings,
)
from powercontext_deerflow.host.events import Event
from powercontext_deerflow.host.runtime import Runtime
from tests.support.servers import leaks
from tests.support.servers.loopback import http_answer
from tests.support.servers.proxy import Exchange, Fault, RecordingProxy, on
from tests.support.servers.real import PowerContextServer

TEXT = "Order service: money amounts are integer cents."
QUERY = "money amounts of the order service"
PREPARE, REMEMBER = "POST /v1/context/prepare", "POST /v1/memory/remember"
SEARCH, LIST = "POST /v1/memory/search", "POST /v1/atomic-memory/list"
LIFECYCLE, SOURCE = "POST /v1/atomic-memory/lifecycle", "POST /v1/sources/content"

Change = Callable[[dict[str, Any]], object]


def said_otherwise(change: Change) -> Fault:
    """The real server does its work; its JSON arrives changed, with status and request id as they were."""

    def fault(exchange: Exchange) -> None:
        head, _, body = exchange.forward().partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        said = json.loads(body)
        change(said)
        headers = [(name, value) for name, _, value in (line.partition(": ") for line in lines)]
        kept = [header for header in headers if header[0].lower() == "x-powercontext-request-id"]
        exchange.connection.send(http_answer(int(first.split()[1]), said, kept))

    return fault


def more(said: dict[str, Any]) -> None:
    """A key more in every object of the answer."""
    for value in list(said.values()):
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                more(each)
    said["added_in_2"] = {"anything": [1, None]}


def without(*path: str | int) -> Change:
    def change(said: Any) -> None:
        for step in path[:-1]:
            said = said[step]
        del said[path[-1]]

    return change


def recoded(said: dict[str, Any]) -> None:
    said["error"]["code"] = "renamed_in_2"


def no_such_route(said: dict[str, Any]) -> None:
    said.clear()
    said["detail"] = "Not Found"


@pytest.fixture
def proxy(powercontext_141: PowerContextServer) -> Iterator[RecordingProxy]:
    with leaks.no_leaks(), RecordingProxy(powercontext_141.base_url) as proxy:
        yield proxy


@pytest.fixture
def settings(proxy: RecordingProxy, powercontext_141: PowerContextServer, scope: str) -> Settings:
    return Settings(
        base_url=proxy.base_url,
        scope_id=scope,
        token=Secret(powercontext_141.token),
        owner_user_id="alice",
        recall_timeout_seconds=4.5,
        remember_timeout_seconds=20,
    )


@pytest.fixture
def client(settings: Settings, proxy: RecordingProxy) -> Iterator[PowerContext]:
    with PowerContext(settings) as client:
        yield client


# --- added keys ---------------------------------------------------------------------------------------------------


def test_added_keys_discard_a_recall_with_a_diagnostic(
    settings: Settings, proxy: RecordingProxy, caplog: pytest.LogCaptureFixture
) -> None:
    host = Runtime(settings)
    with host.client:
        host.client.remember(TEXT)
        assert TEXT in host.recall("alice", QUERY)
        proxy.fault = on(PREPARE, said_otherwise(more))
        assert host.recall("alice", QUERY) == ""
        assert host.events.counts["recall", "malformed"] == 1
    (event,) = (
        record.powercontext_event
        for record in caplog.records
        if hasattr(record, "powercontext_event")
    )
    assert isinstance(event, Event)
    assert (event.name, event.code, event.status) == ("recall", "malformed", 200)


def test_added_keys_do_not_unsave_a_memory_but_are_told(
    settings: Settings, proxy: RecordingProxy
) -> None:
    host = Runtime(settings)
    proxy.fault = on(REMEMBER, said_otherwise(more))
    with host.client:
        outcome = asyncio.run(host.remember("alice", TEXT, "fact"))
        assert isinstance(outcome, Saved)
        assert outcome.unfamiliar_keys
        assert outcome.confirmed_by == "answer"
        assert host.events.counts == {("remember", "saved"): 1, ("remember", "unfamiliar_keys"): 1}


def test_added_keys_are_no_matter_to_the_other_operations(
    client: PowerContext, proxy: RecordingProxy
) -> None:
    saved = client.remember(TEXT)
    assert isinstance(saved, Saved)
    proxy.fault = lambda _: said_otherwise(more)
    assert [memory.text for memory in client.search(QUERY)] == [TEXT]
    assert [memory.text for memory in client.list_memories()] == [TEXT]
    assert client.get(saved.citation).text == TEXT
    assert client.remember(TEXT) == AlreadySaved(saved.citation)
    assert isinstance(client.capture_source("turn:1", "hello"), Captured)
    assert client.server_info().package_version == "1.4.1"
    assert client.check_scope()
    assert isinstance(client.forget(saved.citation), Forgotten)


# --- another schema, a field less ---------------------------------------------------------------------------------


def refused(outcome: object) -> tuple[str, int | None]:
    """What is told of an answer that could not be used; it can be found in the server's log."""
    assert isinstance(outcome, RecallFailed | SaveUnknown)
    assert outcome.request_id is not None
    return outcome.code, outcome.status


def test_another_schema_is_discarded(client: PowerContext, proxy: RecordingProxy) -> None:
    saved = client.remember(TEXT)
    assert isinstance(saved, Saved)

    def bump(said: dict[str, Any]) -> None:
        where = said if "schema" in said else said.get("content", {})
        if "schema" in where:
            where["schema"] = where["schema"].replace(".v1", ".v2")

    proxy.fault = lambda _: said_otherwise(bump)
    assert refused(client.recall(QUERY)) == ("malformed", 200)
    with pytest.raises(AnswerError, match="malformed"):
        client.get(saved.citation)
    proxy.fault = lambda _: None
    assert isinstance(client.recall(QUERY), Recalled)


@pytest.mark.parametrize("field", ["schema", "status", "content", "content_bytes"])
def test_a_recall_with_a_field_less_is_discarded(
    client: PowerContext, proxy: RecordingProxy, field: str
) -> None:
    client.remember(TEXT)
    proxy.fault = on(PREPARE, said_otherwise(without(field)))
    assert refused(client.recall(QUERY)) == ("malformed", 200)


@pytest.mark.parametrize(
    "path",
    [
        ("changed",),
        ("records",),
        *(
            ("records", 0, name)
            for name in ("artifact", "kind", "text", "state", "state_version", "merged_into_id")
        ),
        *(("records", 0, "artifact", name) for name in ("family", "artifact_id", "revision")),
    ],
)
def test_a_save_with_a_field_less_is_unknown_until_it_is_found(
    client: PowerContext,
    proxy: RecordingProxy,
    powercontext_141: PowerContextServer,
    scope: str,
    path: Any,
) -> None:
    proxy.fault = on(REMEMBER, said_otherwise(without(*path)))
    outcome = client.remember(TEXT, read_back=False)
    assert refused(outcome) == ("malformed", 200)
    (stored,) = powercontext_141.memories(scope)
    found = client.remember(TEXT, "decision")
    assert isinstance(found, Saved)
    assert found.confirmed_by == "read_back"
    assert found.citation.artifact_id != stored["id"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("route", "path", "ask"),
    [
        (SEARCH, ("hits", 0, "memory", "state"), lambda client, _: client.search(QUERY)),
        (LIST, ("next_cursor",), lambda client, _: list(client.list_memories())),
        (LIST, ("items", 0, "text"), lambda client, _: list(client.list_memories())),
        (SOURCE, ("position",), lambda client, _: client.capture_source("turn:1", "hello")),
    ],
)
def test_any_other_answer_with_a_field_less_is_an_error(
    client: PowerContext,
    proxy: RecordingProxy,
    route: str,
    path: Any,
    ask: Callable[[PowerContext, Any], object],
) -> None:
    saved = client.remember(TEXT)
    assert isinstance(saved, Saved)
    proxy.fault = on(route, said_otherwise(without(*path)))
    with pytest.raises(AnswerError, match="malformed"):
        ask(client, saved.citation)


def test_a_change_whose_answer_has_a_field_less_is_found(
    client: PowerContext, proxy: RecordingProxy
) -> None:
    saved = client.remember(TEXT)
    assert isinstance(saved, Saved)
    left = iter([said_otherwise(without("records"))])
    proxy.fault = lambda request: next(left, None) if request.is_for(LIFECYCLE) else None
    outcome = client.forget(saved.citation)
    assert isinstance(outcome, Forgotten)
    assert outcome.confirmed_by == "read_back"


# --- another code, another route ----------------------------------------------------------------------------------


def test_a_renamed_code_is_told_by_its_status(
    settings: Settings, proxy: RecordingProxy, client: PowerContext
) -> None:
    assert isinstance(client.capture_source("turn:1", "hello"), Captured)
    proxy.fault = lambda _: said_otherwise(recoded)
    conflict = client.capture_source("turn:1", "bye")
    assert isinstance(conflict, Conflict)
    assert conflict.code == "http_409"
    elsewhere = Settings(
        base_url=settings.base_url, scope_id="scp_" + "0" * 26, token=settings.token
    )
    with PowerContext(elsewhere) as stranger:
        with pytest.raises(ServerError) as refused:
            stranger.check_scope()
        assert type(refused.value) is ServerError
        told = (refused.value.code, refused.value.status, refused.value.structured)
        assert told == ("http_404", 404, True)
        assert refused.value.request_id
        # Whether a code that is not known here is given before anything is stored, nobody knows.
        unknown, failed = stranger.remember(TEXT), stranger.recall(QUERY)
        assert isinstance(unknown, SaveUnknown)
        assert isinstance(failed, RecallFailed)
        assert (unknown.code, failed.code) == ("http_404", "http_404")


def test_an_operation_that_is_gone(client: PowerContext, proxy: RecordingProxy) -> None:
    def gone(exchange: Exchange) -> None:
        exchange.connection.send(http_answer(404, {"detail": "Not Found"}))

    proxy.fault = lambda _: gone
    for ask in (
        client.server_info,
        client.check_scope,
        lambda: client.search(QUERY),
        lambda: list(client.list_memories()),
    ):
        with pytest.raises(NotSupportedByServer):
            ask()
    unknown, failed = client.remember(TEXT), client.recall(QUERY)
    assert isinstance(unknown, SaveUnknown)
    assert isinstance(failed, RecallFailed)
    assert (unknown.code, failed.code) == ("http_404", "http_404")
