# SPDX-License-Identifier: Apache-2.0
"""A code says the cause: what TLS found, what only waited, which address did not answer; and everything ends."""

from __future__ import annotations

import asyncio
import datetime
import socket
import ssl
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import trustme

from powercontext_deerflow import (
    ConfigurationError,
    Recalled,
    RecallFailed,
    Saved,
    SaveNotSent,
    SaveOutcome,
    SaveUnknown,
)
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.transport.network import STAGGER
from tests.loopback.hostile.conftest import Connect, Serve
from tests.loopback.hostile.world import (
    SLACK,
    Call,
    healthy,
    healthy_after,
    held,
    only,
    script,
    settings,
    wait_until,
)
from tests.support.answers import PREPARE, REMEMBER
from tests.support.servers import hostile, network
from tests.support.servers.loopback import Bare, Connection

DAY = datetime.timedelta(days=1)
NOW = datetime.datetime.now(datetime.UTC)


def server_context(issuer: trustme.CA, *names: str, **dates: Any) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    issuer.issue_cert(*(names or ("127.0.0.1", "localhost")), **dates).configure_cert(context)
    return context


def wants_a_certificate(version: ssl.TLSVersion) -> Callable[[trustme.CA], ssl.SSLContext]:
    def made(authority: trustme.CA) -> ssl.SSLContext:
        context = server_context(authority)
        context.maximum_version = version
        context.verify_mode = ssl.CERT_REQUIRED
        authority.configure_trust(context)
        return context

    return made


CERTIFICATES: dict[str, tuple[Callable[[trustme.CA], ssl.SSLContext], str]] = {
    "expired": (
        lambda ca: server_context(ca, not_before=NOW - 3 * DAY, not_after=NOW - DAY),
        "tls_expired",
    ),
    "not yet valid": (
        lambda ca: server_context(ca, not_before=NOW + DAY, not_after=NOW + 3 * DAY),
        "tls_not_yet_valid",
    ),
    "unknown issuer": (lambda _: server_context(trustme.CA()), "tls_unknown_issuer"),
    "another name": (lambda ca: server_context(ca, "elsewhere.example"), "tls_wrong_name"),
    "another address": (lambda ca: server_context(ca, "127.0.0.9"), "tls_wrong_name"),
    "wants a certificate, 1.3": (
        wants_a_certificate(ssl.TLSVersion.TLSv1_3),
        "tls_client_certificate",
    ),
}


@pytest.mark.parametrize("name", CERTIFICATES)
def test_what_tls_finds_has_a_code(
    name: str, call: Call, serve: Serve, connect: Connect, tmp_path: Path
) -> None:
    authority = trustme.CA()
    make, code = CERTIFICATES[name]
    ca_file = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(ca_file)
    server = serve(tls=make(authority))
    outcome = call.ends_in_time(connect(server.base_url, ca_file=str(ca_file)))
    assert isinstance(outcome, RecallFailed | SaveNotSent | SaveUnknown)
    # A server that resets after its alert may make the alert unreadable.
    assert outcome.code in ({code, "connection_lost"} if code.endswith("certificate") else {code})
    assert server.requests == []


def test_only_an_intermediate_is_trusted(
    call: Call, serve: Serve, connect: Connect, tmp_path: Path
) -> None:
    intermediate = trustme.CA().create_child_ca()
    ca_file = tmp_path / "ca.pem"
    ca_file.write_bytes(intermediate.cert_pem.bytes())
    server = serve(tls=server_context(intermediate))
    outcome = call.ends_in_time(connect(server.base_url, ca_file=str(ca_file)))
    assert outcome == call.unanswered("tls_root_missing", sent=False)


@pytest.mark.parametrize(
    "said",
    [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n", b"\x00" * 64, b"hello"],
)
def test_a_port_that_speaks_something_else(
    said: bytes, call: Call, serve: Serve, connect: Connect, tls: tuple[ssl.SSLContext, str]
) -> None:
    def behave(connection: Connection) -> None:
        connection.send(said)
        connection.hold()

    server = serve(Bare(behave))
    client = connect(f"https://127.0.0.1:{server.port}", ca_file=tls[1])
    outcome = call.ends_in_time(client)
    assert outcome in (
        call.unanswered("tls_not_tls", sent=False),
        # Five bytes make a record's head: with fewer, TLS waits for more.
        *([call.unanswered("tls_timeout", sent=False)] if said == b"hello" else []),
    )


def test_a_trailing_dot_just_works(
    call: Call, serve: Serve, connect: Connect, tls: tuple[ssl.SSLContext, str]
) -> None:
    server = serve(tls=tls[0])
    call.succeeds(connect(f"https://localhost.:{server.port}", ca_file=tls[1]))


@pytest.mark.parametrize("host", ["..", ".a", "a..b", "a" * 64, "x." * 127 + "abc", ".", "a.-..b"])
def test_names_that_are_none(host: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        settings(f"https://{host}")
    assert refused.value.code == "not_a_url"


# --- what only waited


def test_200_recalls_at_once_beside_a_slow_server(serve: Serve, connect: Connect) -> None:
    """Of those that get no connection in time, none says that it could not connect, and none is sent at the end."""
    server = serve(healthy_after(0.35))
    client = connect(server.base_url, recall_timeout_seconds=1.0)
    outcomes = [
        timed.outcome
        for timed in Call("arecall").all_at_once(
            client, [f"text {number}" for number in range(200)]
        )
    ]
    codes = {outcome.code for outcome in outcomes if isinstance(outcome, RecallFailed)}
    assert codes <= {"no_connection_free", "answer_timeout"}
    assert "no_connection_free" in codes
    assert sum(isinstance(outcome, Recalled) for outcome in outcomes) >= 32


def test_saves_that_only_queued_say_so(serve: Serve, connect: Connect) -> None:
    """Nothing of them is sent, also when those before them have ended."""
    release = threading.Event()
    server = serve(only(REMEMBER, held(healthy, release)))
    client = connect(server.base_url, remember_timeout_seconds=20.0)

    async def saves() -> tuple[list[SaveOutcome], list[SaveOutcome]]:
        ahead = [asyncio.ensure_future(client.aremember(f"ahead {n}")) for n in range(3)]
        await asyncio.to_thread(server.wait_for_request, REMEMBER)
        by = Deadline.after(0.5)
        behind = [client.aremember(f"behind {n}", deadline=by) for n in range(27)]
        queued = await asyncio.gather(*behind)
        release.set()
        return await asyncio.gather(*ahead), queued

    sent, queued = asyncio.run(saves())
    assert all(isinstance(outcome, Saved) for outcome in sent)
    assert queued == [SaveNotSent("saves_ahead")] * 27
    assert client.flush(10.0)
    assert server.count(REMEMBER) == 3


def test_a_save_whose_turn_comes_too_late_is_not_sent(serve: Serve, connect: Connect) -> None:
    release = threading.Event()
    server = serve(only(REMEMBER, held(healthy, release)))
    client = connect(server.base_url, remember_timeout_seconds=9.0)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(client.remember, "the first")
        server.wait_for_request(REMEMBER)
        by = Deadline.after(2.0)
        second = threads.submit(client.remember, "the second", deadline=by)
        wait_until(lambda: by.remaining() < 0.07)
        release.set()
        assert isinstance(first.result(5.0), Saved)
        assert second.result(5.0) == SaveNotSent("saves_ahead")
    assert server.count(REMEMBER) == 1


# --- addresses


@contextmanager
def resolving_to(
    host: str, *addresses: tuple[socket.AddressFamily, tuple[object, ...]]
) -> Iterator[None]:
    def getaddrinfo(name: object, *_: object, **__: object) -> list[object]:
        assert name == host
        return [(family, socket.SOCK_STREAM, 6, "", where) for family, where in addresses]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", getaddrinfo)
        yield


@contextmanager
def dead_ipv6(count: int) -> Iterator[list[tuple[socket.AddressFamily, tuple[object, ...]]]]:
    """Listeners whose queue is full: the kernel drops every further SYN."""
    with ExitStack() as sockets:
        found: list[tuple[socket.AddressFamily, tuple[object, ...]]] = []
        for _ in range(count):
            listener = sockets.enter_context(socket.socket(socket.AF_INET6))
            listener.bind(("::1", 0))
            listener.listen(0)
            for _ in range(4):
                filler = sockets.enter_context(socket.socket(socket.AF_INET6))
                filler.setblocking(False)
                filler.connect_ex(listener.getsockname())
            found.append((socket.AF_INET6, listener.getsockname()))
        yield found


@pytest.mark.parametrize("count", [1, 4])
def test_dead_addresses_beside_a_good_one(
    count: int, call: Call, serve: Serve, connect: Connect
) -> None:
    server = serve()
    good = (socket.AF_INET, ("127.0.0.1", server.port))
    with dead_ipv6(count) as dead, resolving_to("localhost", *dead, good):
        client = connect(
            f"http://localhost:{server.port}",
            recall_timeout_seconds=5.0,
            remember_timeout_seconds=5.0,
        )
        timed = call.timed(client)
        assert isinstance(timed.outcome, Recalled | Saved)
        assert timed.seconds <= STAGGER + SLACK
        # The family that answered last goes first: no stagger, whatever the order of the addresses.
        server.close_idle()
        wait_until(lambda: client.connections.idle == 0)
        assert call.timed(client).seconds < STAGGER


def test_all_addresses_dead_or_refusing(call: Call, connect: Connect) -> None:
    with dead_ipv6(1) as dead, resolving_to("localhost", *dead):
        outcome = call.ends_in_time(connect("http://localhost:1"))
        assert outcome == call.unanswered("connect_timeout", sent=False)
    refusing = [(socket.AF_INET6, ("::1", 1, 0, 0)), (socket.AF_INET, ("127.0.0.1", 1))]
    with resolving_to("localhost", *refusing):
        outcome = call.ends_in_time(connect("http://localhost:1"))
        assert outcome == call.unanswered("connect_failed", sent=False)


# --- the end


@pytest.mark.parametrize("executor", ["full", "shut"])
def test_aclose_ends_within_its_budget(executor: str, serve: Serve, connect: Connect) -> None:
    server = serve(only(PREPARE, hostile.silent()))
    client = connect(server.base_url, recall_timeout_seconds=30.0)
    release = threading.Event()

    async def close() -> float:
        loop = asyncio.get_running_loop()
        recall = asyncio.ensure_future(client.arecall("never answered"))
        await asyncio.to_thread(server.wait_for_request, PREPARE)
        pool = ThreadPoolExecutor(1)
        loop.set_default_executor(pool)
        if executor == "full":
            loop.run_in_executor(None, release.wait)
        else:
            pool.shutdown()
        started = time.monotonic()
        await client.aclose(0.5)
        took = time.monotonic() - started
        release.set()
        assert isinstance(await recall, RecallFailed)
        return took

    assert asyncio.run(close()) <= 0.5 + 0.1 + SLACK
    assert client.recall("later") == RecallFailed("closed")


def test_aclose_that_is_cancelled_has_closed(serve: Serve, connect: Connect) -> None:
    server = serve(only(REMEMBER, hostile.silent()))
    client = connect(server.base_url, remember_timeout_seconds=30.0)

    async def close() -> None:
        save = asyncio.ensure_future(client.aremember("never answered"))
        await asyncio.to_thread(server.wait_for_request, REMEMBER)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.aclose(30.0), 0.2)
        assert await client.arecall("later") == RecallFailed("closed")
        assert isinstance(await save, SaveUnknown)

    asyncio.run(close())


@pytest.mark.parametrize("opened", [False, True])
def test_a_cancelled_task_is_cancelled(opened: bool, serve: Serve, connect: Connect) -> None:
    """Also before it first waits: it must not be taken for a deadline."""
    client = connect(serve().base_url)
    if opened:
        Call("recall").succeeds(client)

    async def give_up(call: Callable[..., Awaitable[object]]) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await call("x")

    for call in (client.arecall, client.aremember, client.asearch):
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(give_up(call))


def test_an_equal_save_does_not_join_one_that_was_abandoned(serve: Serve, connect: Connect) -> None:
    release = threading.Event()
    server = serve(only(REMEMBER, held(healthy, release)))
    client = connect(server.base_url, remember_timeout_seconds=9.0)

    async def main() -> object:
        first = asyncio.ensure_future(client.aremember("the first"))
        await asyncio.to_thread(server.wait_for_request, REMEMBER)
        by = Deadline.after(0.1)
        abandoned = asyncio.ensure_future(client.aremember("another", deadline=by))
        await asyncio.sleep(0)
        abandoned.cancel()
        await asyncio.to_thread(wait_until, lambda: by.expired)
        again = asyncio.ensure_future(client.aremember("another"))
        await asyncio.sleep(0)
        release.set()
        assert isinstance(await first, Saved)
        return await again

    assert isinstance(asyncio.run(main()), Saved)
    assert server.count(REMEMBER) == 2


TRIO = """
import sys
from powercontext_deerflow import InputError, PowerContext, Secret, Settings

client = PowerContext(Settings(base_url=sys.argv[1], scope_id="scp", token=Secret("t")))
for name in ("arecall", "aremember", "asearch"):
    coroutine = getattr(client, name)("x")
    try:
        coroutine.send(None)  # as every loop begins, asyncio's or not
    except InputError as error:
        print(error.field, error.code)
"""


def test_another_kind_of_event_loop_is_refused_before_anything_is_sent(serve: Serve) -> None:
    server = serve()
    with script(TRIO, server.base_url) as process:
        said, error = process.communicate(timeout=30)
    assert error == ""
    assert said == "event loop no_asyncio_loop\n" * 3
    assert server.connections == 0


FORK = """
import logging, os, sys, threading, time, warnings
warnings.simplefilter("ignore")
from powercontext_deerflow import PowerContext, Secret, Settings

client = PowerContext(Settings(base_url="http://127.0.0.1:1", scope_id="s", token=Secret("t")))
begun = threading.Event()

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("powercontext_openapi"):
            begun.set()
            time.sleep(0.02)

sys.meta_path.insert(0, Slow())
threading.Thread(target=lambda: client.generated).start()
begun.wait()
child = os.fork()
if not child:
    client.generated
    os._exit(7)
deadline = time.monotonic() + 20
while time.monotonic() < deadline:
    done, status = os.waitpid(child, os.WNOHANG)
    if done:
        print(os.waitstatus_to_exitcode(status))
        break
    time.sleep(0.01)
else:
    os.kill(child, 9)
    print("hangs")
"""


def test_a_fork_waits_for_late_imports() -> None:
    with script(FORK) as process:
        said, error = process.communicate(timeout=60)
    assert (said, error) == ("7\n", "")


def test_a_black_hole_still_ends_by_its_deadline(call: Call, connect: Connect) -> None:
    with network.black_hole() as (host, port):
        outcome = call.ends_in_time(connect(f"http://{host}:{port}"))
    assert outcome == call.unanswered("connect_timeout", sent=False)
