# SPDX-License-Identifier: Apache-2.0
"""Every call ends by its deadline, leaves nothing behind, and the next one works (failure classes B1 to B5)."""

from __future__ import annotations

import asyncio
import random
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from powercontext_deerflow import (
    PowerContext,
    RecallFailed,
    Saved,
    SaveNotSent,
    SaveUnknown,
    TransportError,
)
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.transport import network as dialling
from powercontext_deerflow.transport.tls import QuietSocket, secured
from tests.loopback.hostile.conftest import Connect, Serve
from tests.loopback.hostile.world import (
    SLACK,
    Call,
    healthy,
    healthy_after,
    in_threads,
    only,
    script,
    wait_until,
)
from tests.support.answers import PREPARE, REMEMBER, SEARCH
from tests.support.servers import hostile, network
from tests.support.servers.loopback import Bare

ENDLESS = {
    "silent": hostile.silent(),
    "header drip": hostile.header_drip(),
    "body drip": hostile.body_drip(),
    "1xx flood": hostile.flood_1xx(),
    "1xx flood, no pause": hostile.flood_1xx(0),
    "chunk size drip": hostile.chunk_size_drip(),
    "trailer drip": hostile.trailer_drip(),
    "401 drip": hostile.error_body_drip(401),
    "422 drip": hostile.error_body_drip(422),
    "503 drip": hostile.error_body_drip(503),
}
BUSY = "1xx flood, no pause"
"""The one that keeps a processor busy, so that others beside it would be late."""
ENDLESS_HANDSHAKES = {"stall": network.tls_stall(), "drip": network.tls_drip()}


def test_an_answer_that_never_ends(
    call: Call, serve: Serve, connect: Connect, record_property: Callable[[str, object], None]
) -> None:
    """Side by side, each with its own server and client, because they only wait; but the busy one is alone."""
    worlds = {name: (server := serve(ENDLESS[name]), connect(server.base_url)) for name in ENDLESS}

    def came_to(name: str) -> tuple[object, int]:
        server, client = worlds[name]
        return call.ends_in_time(client), server.count(REMEMBER)

    patient = [name for name in ENDLESS if name != BUSY]
    found = dict(zip(patient, in_threads(len(patient), lambda n: came_to(patient[n])), strict=True))
    found[BUSY] = came_to(BUSY)
    assert found == dict.fromkeys(ENDLESS, (call.unanswered("answer_timeout"), int(call.saves)))
    for server, client in worlds.values():
        server.turn(healthy)
        call.succeeds(client)
    record_property("cases", len(ENDLESS))


@pytest.mark.parametrize("behaviour", ENDLESS_HANDSHAKES.values(), ids=ENDLESS_HANDSHAKES)
def test_a_handshake_that_never_ends(
    behaviour: Bare, call: Call, serve: Serve, connect: Connect, tls: tuple[ssl.SSLContext, str]
) -> None:
    server = serve(behaviour, tls[0])
    client = connect(server.base_url, ca_file=tls[1])
    assert call.ends_in_time(client) == call.unanswered("tls_timeout", sent=False)
    server.turn(healthy)
    call.succeeds(client)


def test_an_answer_that_never_ends_over_tls(
    call: Call, serve: Serve, connect: Connect, tls: tuple[ssl.SSLContext, str]
) -> None:
    server = serve(hostile.body_drip(), tls[0])
    client = connect(server.base_url, ca_file=tls[1])
    assert call.ends_in_time(client) == call.unanswered("answer_timeout")
    server.turn(healthy)
    call.succeeds(client)


@pytest.mark.usefixtures("no_leaks")
def test_a_connection_that_is_never_made(call: Call, connect: Connect) -> None:
    with network.black_hole() as (host, port):
        client = connect(f"http://{host}:{port}")
        assert call.ends_in_time(client) == call.unanswered("connect_timeout", sent=False)
        client.close()


def test_a_name_that_is_never_resolved(call: Call, serve: Serve, connect: Connect) -> None:
    server = serve()
    client = connect(f"http://localhost:{server.port}")
    with network.hanging_dns("localhost") as dns:
        assert call.ends_in_time(client) == call.unanswered("dns_timeout", sent=False)
        assert call.ends_in_time(client) == call.unanswered("dns_timeout", sent=False)
        assert dns.lookups == 1  # the second call joined the first one's look-up
    call.succeeds(client)


def test_a_reader_so_slow_that_our_sending_stalls(
    call: Call, serve: Serve, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The largest text and query, and kernel buffers so small that they do not hold them."""
    received: list[object] = []

    class SmallSocket(QuietSocket):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            self.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)

        def recv(self, *given: Any) -> bytes:
            received.append(given)
            return super().recv(*given)

    monkeypatch.setattr(dialling, "QuietSocket", SmallSocket)
    server = serve(hostile.slow_reader())
    server.take_little()
    client = connect(server.base_url)
    assert call.ends_in_time(client, "s" * 8192) == call.unanswered("answer_timeout")
    assert not received  # it ended while it was sending
    server.turn(healthy)
    call.succeeds(client)


def test_64_callers_at_once(call: Call, serve: Serve, connect: Connect) -> None:
    server = serve(hostile.silent())
    client = connect(server.base_url)
    ended = call.all_at_once(client, [f"text {number}" for number in range(64)])
    assert max(timed.seconds for timed in ended) <= call.deadline(client) + SLACK
    assert all(
        isinstance(timed.outcome, RecallFailed | SaveUnknown | SaveNotSent) for timed in ended
    )
    saved = Counter(sent.json["text"] for sent in server.requests if sent.is_for(REMEMBER))
    assert set(saved.values()) <= {1}
    unsent = sum(isinstance(timed.outcome, SaveNotSent) for timed in ended)
    assert len(saved) <= 64 - unsent
    server.turn(healthy)
    call.succeeds(client)


@pytest.mark.parametrize("fault", ["silent", "header drip"])
def test_a_look_up_that_never_ends_leaves_time_to_save(
    fault: str, save: Call, serve: Serve, connect: Connect
) -> None:
    server = serve(only(SEARCH, ENDLESS[fault]))
    outcome = save.ends_in_time(connect(server.base_url))
    assert isinstance(outcome, Saved)
    assert outcome.confirmed_by == "answer"
    assert server.count(REMEMBER) == 1


def test_2000_expired_deadlines(call: Call, serve: Serve, connect: Connect) -> None:
    """A pool that loses a slot or a connection with some of them is exhausted long before the end."""
    server = serve(healthy_after(0.05))
    client = connect(server.base_url)
    _storm(call, client, threads=20, each=100)
    server.turn(healthy)
    call.succeeds(client)


def _storm(call: Call, client: PowerContext, threads: int, each: int) -> None:
    seconds = 0.012 if call.saves else 0.008

    async def calls(number: int) -> None:
        for turn in range(each):
            outcome = await call.begin(client, f"text {number}/{turn}", seconds)
            assert not isinstance(outcome, Saved)

    def repeat(number: int) -> None:
        if call.is_async:
            asyncio.run(calls(number))
            return
        for turn in range(each):
            assert not isinstance(call(client, f"text {number}/{turn}", seconds), Saved)

    in_threads(threads, repeat)


def test_2000_cancelled_recalls(serve: Serve, connect: Connect) -> None:
    """Callers that give up at any moment of a request to a healthy server."""
    server = serve(healthy_after(0.03))
    client = connect(server.base_url)
    moments = random.Random(7)

    async def storm() -> int:
        async def one(seconds: float) -> bool:
            try:
                async with asyncio.timeout(seconds):
                    await client.arecall("text")
            except TimeoutError:
                return True
            return False

        given_up = 0
        for _ in range(100):
            seconds = [moments.uniform(0.0005, 0.04) for _ in range(20)]
            given_up += sum(await asyncio.gather(*map(one, seconds)))
        return given_up

    assert asyncio.run(storm()) > 1000
    server.turn(healthy)
    Call("arecall").succeeds(client)
    Call("recall").succeeds(client)


def test_a_cancelled_recall_frees_its_thread_by_its_deadline(
    serve: Serve, connect: Connect
) -> None:
    server = serve(hostile.silent())
    client = connect(server.base_url)

    async def give_up() -> float:
        tasks = [asyncio.create_task(client.arecall(f"text {number}")) for number in range(32)]
        await asyncio.to_thread(wait_until, lambda: server.count(PREPARE) == 32)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return time.monotonic()

    given_up = asyncio.run(give_up())
    wait_until(lambda: server.open_connections == 0)
    assert time.monotonic() - given_up <= client.settings.recall_timeout_seconds + SLACK
    server.turn(healthy)
    for timed in Call("arecall").all_at_once(client, [f"text {number}" for number in range(32)]):
        assert not isinstance(timed.outcome, RecallFailed)


EXIT = """
import asyncio, socket, sys, threading
from powercontext_deerflow import PowerContext, Secret, Settings

operation, base_url, dns = sys.argv[1:]
if dns == "hanging dns":
    def getaddrinfo(*args, **kwargs):
        print("asked", flush=True)
        threading.Event().wait()
    socket.getaddrinfo = getaddrinfo
client = PowerContext(Settings(
    base_url=base_url, scope_id="scp", token=Secret("t"),
    recall_timeout_seconds=60, remember_timeout_seconds=60,
))
call = getattr(client, operation)

async def main():
    task = asyncio.create_task(call("text"))
    await asyncio.to_thread(sys.stdin.readline)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

if operation.startswith("a"):
    asyncio.run(main())
else:
    threading.Thread(target=call, args=("text",), daemon=True).start()
    sys.stdin.readline()
print("end", flush=True)
"""


@pytest.mark.parametrize("fault", ["silent", "hanging dns"])
def test_the_exit_of_the_interpreter_is_not_delayed(fault: str, call: Call, serve: Serve) -> None:
    server = serve(hostile.silent())
    with script(EXIT, call.name, f"http://localhost:{server.port}", fault) as process:
        assert process.stdout
        assert process.stdin
        assert process.stderr
        if fault == "silent":
            server.wait_for_request(SEARCH if call.saves else PREPARE)
        else:
            assert process.stdout.readline() == "asked\n"
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "end\n"
        assert process.wait(2.0) == 0
        assert process.stderr.read() == ""


class SlowContext(ssl.SSLContext):
    """As among 32 callers at once: before the handshake begins, the others have their turn."""

    def wrap_socket(self, *args: Any, **kwargs: Any) -> ssl.SSLSocket:
        threading.Event().wait(0.4)
        return super().wrap_socket(*args, **kwargs)


def test_what_comes_before_a_handshake_counts_against_its_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent_server:
        plain = socket.create_connection(silent_server.getsockname())
        plain.setblocking(False)
        started = time.monotonic()
        with pytest.raises(TransportError, match="tls_timeout"):
            secured(plain, SlowContext(ssl.PROTOCOL_TLS_CLIENT), "localhost", Deadline.after(0.6))
        assert time.monotonic() - started < 0.6 + SLACK
