# SPDX-License-Identifier: Apache-2.0
"""Too much, compressed, or of another length than announced: refused, and never taken for the next answer."""

from __future__ import annotations

import threading
import tracemalloc

import pytest

from powercontext_deerflow import Recalled, Saved, SaveRejected
from tests.loopback.hostile.conftest import Connect, Serve
from tests.loopback.hostile.world import SCOPE, Call, echo, good_answer, healthy, only, wait_until
from tests.support.answers import (
    NO_HITS,
    PREPARE,
    REMEMBER,
    REQUEST_ID,
    SEARCH,
    TEXT,
    confirmed,
    prepared,
    refused,
)
from tests.support.servers import hostile
from tests.support.servers.hostile import answer, huge_body
from tests.support.servers.loopback import Behaviour, Connection, Request, http_answer

FIFTY_MB = 50_000_000
TOO_MUCH = {
    "50 MB": (huge_body(FIFTY_MB), "answer_too_large"),
    "401 of 50 MB": (huge_body(FIFTY_MB, 401), "answer_too_large"),
    "422 of 50 MB": (huge_body(FIFTY_MB, 422), "answer_too_large"),
    "503 of 50 MB": (huge_body(FIFTY_MB, 503), "answer_too_large"),
    "endless chunks": (hostile.endless_chunks(), "answer_too_large"),
    "compressed bomb": (hostile.gzip_bomb(), "answer_encoded"),
    "1 MB of headers": (hostile.megabyte_of_headers(), "protocol_error"),
    "body too short": (hostile.content_length_too_long(), "answer_timeout"),
    "no HTTP at all": (lambda connection, _: connection.send(b"\0" * 512 + b"\r\n\r\n"), None),
    "two lengths": (answer(200, b"{}", [("Content-Length", "2"), ("Content-Length", "3")]), None),
    "a negative length": (answer(200, b"{}", [("Content-Length", "-1")]), None),
}


@pytest.mark.parametrize(("behaviour", "code"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_an_answer_that_is_refused(
    behaviour: Behaviour, code: str | None, call: Call, serve: Serve, connect: Connect
) -> None:
    hostile.packed_bomb()  # it is packed once, and not while a client waits
    server = serve(behaviour)
    client = connect(server.base_url)
    assert call.ends_in_time(client) == call.unanswered(code or "protocol_error")
    assert server.count(REMEMBER) == call.saves
    server.turn(healthy)
    call.succeeds(client)


@pytest.mark.parametrize("fault", ["50 MB", "endless chunks", "compressed bomb", "1 MB of headers"])
def test_little_of_it_is_held_in_memory(fault: str, serve: Serve, connect: Connect) -> None:
    hostile.packed_bomb()
    server = serve(TOO_MUCH[fault][0])
    client = connect(server.base_url)
    tracemalloc.start()
    try:
        client.recall(TEXT)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000


def test_a_byte_more_than_announced(call: Call, serve: Serve, connect: Connect) -> None:
    """The answer is good; the byte behind it is not taken for the beginning of the next one."""

    def with_a_byte_more(connection: Connection, request: Request) -> None:
        connection.send(good_answer(request) + b"}")

    server = serve(with_a_byte_more)
    client = connect(server.base_url)
    call.succeeds(client)
    call.succeeds(client)
    assert server.connections == len(server.requests)  # none was used twice


FORGED = http_answer(200, prepared(echo(SCOPE, "somebody else's query")))


def test_a_second_answer_behind_the_first(recall: Call, serve: Serve, connect: Connect) -> None:
    def twice(connection: Connection, request: Request) -> None:
        connection.send(good_answer(request) + FORGED)

    client = connect(serve(twice).base_url)
    for query in ("one", "two", "three"):
        recall.succeeds(client, query)


def test_a_second_answer_while_the_connection_is_idle(
    recall: Call, serve: Serve, connect: Connect
) -> None:
    used, sent = threading.Event(), threading.Event()

    def later(connection: Connection, request: Request) -> None:
        healthy(connection, request)
        used.wait(5.0)
        connection.send(FORGED)
        sent.set()

    server = serve(later)
    client = connect(server.base_url)
    recall.succeeds(client, "one")
    used.set()
    assert sent.wait(5.0)
    recall.succeeds(client, "two")
    assert server.connections == 2


def test_a_confirmation_sent_before_the_save(save: Call, serve: Serve, connect: Connect) -> None:
    """The look-up's answer brings a forged confirmation along; the save itself is refused."""
    forged = http_answer(200, confirmed(TEXT))

    def behave(connection: Connection, request: Request) -> None:
        if request.is_for(SEARCH):
            connection.send(http_answer(200, NO_HITS) + forged)
        else:
            refused(403, "forbidden")(connection, request)

    server = serve(behave)
    assert save(connect(server.base_url)) == SaveRejected("forbidden", 403, REQUEST_ID)
    assert server.count(REMEMBER) == 1


def test_an_answer_before_the_request_was_read(save: Call, serve: Serve, connect: Connect) -> None:
    """A server may refuse early and hang up; its answer counts."""

    def early(connection: Connection, request: Request) -> None:
        refused(413, "request_too_large")(connection, request)
        connection.close()

    server = serve(only(REMEMBER, early))
    assert save(connect(server.base_url)) == SaveRejected("request_too_large", 413, REQUEST_ID)


def test_a_healthy_connection_is_used_again(call: Call, serve: Serve, connect: Connect) -> None:
    """What the tests above would not notice: a client that never keeps a connection."""
    server = serve()
    client = connect(server.base_url)
    for text in ("one", "two", "three"):
        assert isinstance(call(client, text), Recalled | Saved)
    assert server.connections == 1


def test_an_idle_connection_that_the_server_closed(
    recall: Call, serve: Serve, connect: Connect
) -> None:
    """Closed while it was idle: noticed before anything is sent, so the request goes out once, on a new one."""

    def once(connection: Connection, request: Request) -> None:
        healthy(connection, request)
        connection.close()

    server = serve(once)
    client = connect(server.base_url)
    for text in ("one", "two", "three"):
        recall.succeeds(client, text)
        wait_until(lambda: server.open_connections == 0)
    assert server.count(PREPARE) == 3
