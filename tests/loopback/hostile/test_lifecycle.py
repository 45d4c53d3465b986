# SPDX-License-Identifier: Apache-2.0
"""Loops, threads, forks and closing (failure classes B17, B18, B19): no foreign answer, no hang, no traceback."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest

from powercontext_deerflow import (
    AlreadySaved,
    PowerContext,
    RecallFailed,
    Saved,
    SaveNotSent,
    SaveUnknown,
    Secret,
    TransportError,
)
from powercontext_deerflow.host import runtime as process
from powercontext_deerflow.lifecycle import Lifecycle
from powercontext_deerflow.transport import engine
from powercontext_deerflow.transport.pool import Pool
from powercontext_deerflow.transport.threads import Workers
from tests.loopback.hostile.conftest import Connect, Serve
from tests.loopback.hostile.world import (
    CALLS,
    SLACK,
    Call,
    good_answer,
    healthy,
    healthy_after,
    held,
    in_threads,
    noted,
    noted_saves,
    only,
    script,
    settings,
    wait_until,
)
from tests.support.answers import PREPARE, REMEMBER, TEXT
from tests.support.servers import hostile, network
from tests.support.servers.loopback import Connection, Request
from tests.support.servers.proxy import RecordingProxy, hold_until, on
from tests.support.servers.real import PowerContextServer

# --- event loops

LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {"asyncio": asyncio.new_event_loop}
try:
    import uvloop  # type: ignore[import-not-found,unused-ignore]
except ModuleNotFoundError:
    pass  # uvloop is the operator's choice; where it is installed, it is tried
else:
    LOOPS["uvloop"] = uvloop.new_event_loop


ASYNC_CALLS = [call for call in CALLS if call.is_async]


@pytest.mark.parametrize("new_loop", LOOPS.values(), ids=LOOPS)
def test_three_event_loops_in_turn(
    new_loop: Callable[[], asyncio.AbstractEventLoop], serve: Serve, connect: Connect
) -> None:
    server = serve()
    client = connect(server.base_url)

    async def both(number: int) -> None:
        outcomes = await asyncio.gather(
            client.arecall(f"query {number}"), client.aremember(f"text {number}")
        )
        assert not isinstance(outcomes[0], RecallFailed)
        assert isinstance(outcomes[1], Saved)

    for number in range(3):
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(both(number))
    assert server.count(REMEMBER) == 3


def test_a_loop_in_another_thread_beside_one_here(
    call: Call, serve: Serve, connect: Connect
) -> None:
    client = connect(serve().base_url)
    in_threads(4, lambda number: call.succeeds(client, f"text {number}"))
    call.succeeds(client)


def test_synchronous_calls_inside_a_running_loop(serve: Serve, connect: Connect) -> None:
    client = connect(serve().base_url)

    async def main() -> None:
        Call("recall").succeeds(client, "one")
        assert not isinstance(await client.arecall("two"), RecallFailed)
        Call("remember").succeeds(client, "three")

    asyncio.run(main())


def test_an_async_context(serve: Serve) -> None:
    server = serve()

    async def main() -> PowerContext:
        async with PowerContext(settings(server.base_url)) as client:
            assert not isinstance(await client.arecall(TEXT), RecallFailed)
        return client

    assert asyncio.run(main()).recall(TEXT) == RecallFailed("closed")


@pytest.mark.parametrize("secure", [False, True], ids=["http", "https"])
def test_a_recall_over_an_open_connection_needs_no_thread(
    secure: bool, serve: Serve, connect: Connect, tls: tuple[ssl.SSLContext, str]
) -> None:
    server = serve(tls=tls[0] if secure else None)
    client = connect(server.base_url, ca_file=tls[1] if secure else None)
    Call("recall").succeeds(client, "one")
    with noted(Workers, "submit") as submitted:
        Call("arecall").succeeds(client, "two")
        Call("arecall").succeeds(client, "three")
    assert submitted.begun == []
    assert server.connections == 1


@pytest.mark.parametrize("call", ASYNC_CALLS, ids=lambda call: call.id)
@pytest.mark.parametrize("secure", [False, True], ids=["http", "https"])
def test_the_event_loop_is_never_blocked(
    secure: bool, call: Call, serve: Serve, connect: Connect, tls: tuple[ssl.SSLContext, str]
) -> None:
    """The largest gap between two ticks, while first calls wait for a slow server.

    A machine under load makes gaps too; one that our calls made would be there each time.
    """
    server = serve(healthy_after(0.15), tls[0] if secure else None)
    gaps = []
    for _ in range(5):
        client = connect(
            server.base_url,
            ca_file=tls[1] if secure else None,
            recall_timeout_seconds=5.0,
            remember_timeout_seconds=5.0,
        )
        gaps.append(asyncio.run(_largest_gap(call, client)))
        client.close()
        if gaps[-1] < 0.05:
            break
    assert min(gaps) < 0.05


async def _largest_gap(call: Call, client: PowerContext) -> float:
    calls = asyncio.gather(*(call.begin(client, f"text {number}") for number in range(4)))
    largest, last = 0.0, time.monotonic()
    while not calls.done():
        await asyncio.sleep(0.001)
        largest, last = max(largest, time.monotonic() - last), time.monotonic()
    assert not any(isinstance(outcome, RecallFailed | SaveNotSent) for outcome in await calls)
    return largest


# --- cancelling


def test_a_cancelled_save_completes_once(
    powercontext_141: PowerContextServer, scope: str, closing: ExitStack, connect: Connect
) -> None:
    proxy = closing.enter_context(RecordingProxy(powercontext_141.base_url))
    client = connect(
        proxy.base_url,
        scope_id=scope,
        token=Secret(powercontext_141.token),
        remember_timeout_seconds=10.0,
    )
    release = threading.Event()
    proxy.fault = on(REMEMBER, hold_until(release))

    async def give_up() -> None:
        task = asyncio.create_task(client.aremember(TEXT))
        await asyncio.to_thread(proxy.wait_for_request, REMEMBER)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(give_up())
    release.set()
    assert client.flush(10.0)
    assert [memory["text"] for memory in powercontext_141.memories(scope)] == [TEXT]
    assert isinstance(client.remember(TEXT), AlreadySaved)
    assert proxy.count(REMEMBER) == 1


def test_a_cancelled_recall_over_an_open_connection_is_over_at_once(
    serve: Serve, connect: Connect
) -> None:
    server = serve(hostile.silent())
    client = connect(server.base_url, recall_timeout_seconds=9.0)

    async def give_up() -> None:
        recall = asyncio.ensure_future(Call("arecall", opened=True).begin(client))
        await asyncio.to_thread(server.wait_for_request, PREPARE)
        recall.cancel()
        with pytest.raises(asyncio.CancelledError):
            await recall
        assert client.connections.in_use == 0
        await asyncio.to_thread(wait_until, lambda: server.open_connections == 0)

    asyncio.run(give_up())
    server.turn(healthy)
    Call("recall").succeeds(client)


def test_a_loop_that_is_closed_under_a_recall_leaves_nothing_behind(
    serve: Serve, connect: Connect
) -> None:
    server = serve(hostile.silent())
    client = connect(server.base_url, recall_timeout_seconds=9.0)
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)  # asyncio itself complains of the pending task

    async def begin() -> asyncio.Task[object]:
        recall = asyncio.ensure_future(Call("arecall", opened=True).begin(client))
        await asyncio.to_thread(server.wait_for_request, PREPARE)
        return recall

    recall = loop.run_until_complete(begin())
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()
    del recall
    gc.collect()
    wait_until(lambda: server.open_connections == 0)
    assert client.connections.in_use == 0
    server.turn(healthy)
    Call("arecall").succeeds(client)


ABANDONED = """
import asyncio, gc, sys
from powercontext_deerflow import PowerContext, Secret, Settings

client = PowerContext(Settings(
    base_url=sys.argv[1], scope_id="scp", token=Secret("t"), recall_timeout_seconds=30,
))
client.recall("so that a connection is open")
print("ready", flush=True)
sys.stdin.readline()
loop = asyncio.new_event_loop()
loop.set_exception_handler(lambda *_: None)
recall = loop.create_task(client.arecall("never answered"))
loop.run_until_complete(asyncio.sleep(0))
assert client.connections.in_use == 1
loop.close()
del recall, loop
gc.collect()
print(client.connections.in_use)
"""


def test_an_abandoned_recall_may_be_collected_anywhere(serve: Serve) -> None:
    """Its place dies with it."""
    server = serve()
    with script(ABANDONED, server.base_url) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        server.turn(hostile.silent())
        said, _ = process.communicate("\n", timeout=20)
        assert said == "0\n"


@pytest.mark.parametrize("call", ASYNC_CALLS, ids=lambda call: call.id)
def test_a_loop_that_ends_before_its_calls_says_nothing(
    call: Call, serve: Serve, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    """asyncio.run cancels what is pending and closes the loop; the thread ends later, quietly."""
    release = threading.Event()
    operation = REMEMBER if call.saves else PREPARE
    server = serve(only(operation, held(healthy, release)))
    client = connect(server.base_url, recall_timeout_seconds=9.0, remember_timeout_seconds=9.0)
    caplog.set_level(logging.DEBUG)

    async def leave_behind() -> None:
        for number in range(3):  # two of the saves wait their turn
            asyncio.ensure_future(call.begin(client, f"text {number}"))  # noqa: RUF006
        await asyncio.to_thread(server.wait_for_request, operation)

    asyncio.run(leave_behind())
    release.set()
    assert client.flush(9.0)
    wait_until(lambda: client.connections.in_use == 0)
    assert [record for record in caplog.records if record.levelno > logging.DEBUG] == []
    if call.saves:
        assert server.count(REMEMBER) == 3  # each once, though nobody waits any more
    call.succeeds(client)


def test_one_of_two_callers_of_an_equal_save_gives_up(serve: Serve, connect: Connect) -> None:
    release = threading.Event()
    server = serve(only(REMEMBER, held(healthy, release)))
    client = connect(server.base_url, remember_timeout_seconds=9.0)

    async def main() -> None:
        first, second = (asyncio.create_task(client.aremember(TEXT)) for _ in range(2))
        await asyncio.to_thread(server.wait_for_request, REMEMBER)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        release.set()
        assert isinstance(await second, Saved)

    asyncio.run(main())
    assert server.count(REMEMBER) == 1


# --- many threads on first use


def test_32_threads_on_first_use(call: Call, serve: Serve, connect: Connect) -> None:
    server = serve(healthy_after(0.02))
    client = connect(server.base_url, recall_timeout_seconds=9.0, remember_timeout_seconds=9.0)
    assert server.connections == 0  # nothing is opened before the first call
    in_threads(32, lambda number: call.succeeds(client, f"text {number}"))
    assert 1 <= server.connections <= 32


def test_32_threads_on_first_use_make_one_tls_context(
    call: Call,
    serve: Serve,
    connect: Connect,
    tls: tuple[ssl.SSLContext, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each costs about ten milliseconds of a core, and all of them together some callers' deadlines."""
    made: list[ssl.SSLContext] = []
    make = engine.context  # type: ignore[attr-defined]

    def make_and_count(ca_file: str | None) -> ssl.SSLContext:
        made.append(make(ca_file))
        threading.Event().wait(0.05)  # so that the others come while this one is made
        return made[-1]

    monkeypatch.setattr(engine, "context", make_and_count)
    client = connect(
        serve(tls=tls[0]).base_url,
        ca_file=tls[1],
        recall_timeout_seconds=9.0,
        remember_timeout_seconds=9.0,
    )
    in_threads(32, lambda number: call.succeeds(client, f"text {number}"))
    assert len(made) == 1


def test_32_threads_on_first_use_of_the_generated_client(connect: Connect) -> None:
    client = connect("http://127.0.0.1:1")
    made = in_threads(32, lambda _: client.generated.get_httpx_client())
    assert len(set(map(id, made))) == 1


class CountingEnvironment(dict[str, str]):
    def __init__(self, variables: dict[str, str]) -> None:
        super().__init__(variables)
        self.reads = 0

    def __getitem__(self, name: str) -> str:
        if name == "POWERCONTEXT_DEERFLOW_SCOPE_ID":
            self.reads += 1
            threading.Event().wait(0.05)  # so that the others come while this one reads
        return super().__getitem__(name)


def test_32_threads_load_the_settings_once(monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {
        "BASE_URL": "http://127.0.0.1:1",
        "OWNER_USER_ID": "user-1",
        "SCOPE_ID": "scp_1",
        "TOKEN": "token",
    }
    environment = CountingEnvironment(
        {f"POWERCONTEXT_DEERFLOW_{name}": value for name, value in variables.items()}
    )
    monkeypatch.setattr(os, "environ", environment)
    process.forget()
    try:
        loaded = in_threads(32, lambda _: process.current())
    finally:
        process.forget()
    assert environment.reads == 1
    assert len(set(map(id, loaded))) == 1


# --- fork

ECHOES = """
import json, os, sys, threading
from powercontext_deerflow import PowerContext, Recalled, Secret, Settings
from powercontext_deerflow.host import runtime

base_url = sys.argv[1]

def client_of(scope):
    return PowerContext(Settings(
        base_url=base_url, scope_id=scope, token=Secret("t"), recall_timeout_seconds=20,
    ))

def foreign(client, who, count=100, threads=4):
    'How many of `count` answers were not to our own question.'
    wrong = []
    def ask(first):
        for number in range(first, count, threads):
            query = f"{who} {os.getpid()} {number}"
            outcome = client.recall(query)
            if outcome != Recalled(f"{client.settings.scope_id}|{query}", len(f"{client.settings.scope_id}|{query}")):
                wrong.append(repr(outcome))
    asking = [threading.Thread(target=ask, args=(first,)) for first in range(threads)]
    for thread in asking: thread.start()
    for thread in asking: thread.join()
    return wrong

def fork(in_child):
    'The pid of a child that ends with 0 if in_child() finds nothing wrong.'
    child = os.fork()
    if child:
        return child
    try:
        wrong = in_child()
        if wrong: print("child:", wrong[:3], file=sys.stderr, flush=True)
        os._exit(1 if wrong else 0)
    except BaseException as error:
        print("child raised", repr(error), file=sys.stderr, flush=True)
        os._exit(2)

def wait_for(child):
    status = os.waitpid(child, 0)[1]
    assert status == 0, status
"""

FORKS = {
    "before the first use": """
shared = client_of("scp_parent")
child = fork(lambda: foreign(shared, "child"))
assert not foreign(shared, "parent")
wait_for(child)
""",
    "after the first use": """
shared = client_of("scp_parent")
assert not foreign(shared, "warm", 8)
child = fork(lambda: foreign(shared, "child"))
assert not foreign(shared, "parent")
wait_for(child)
""",
    "twice": """
shared = client_of("scp_parent")
assert not foreign(shared, "warm", 8)
def in_child():
    wrong = foreign(shared, "child", 20)
    wait_for(fork(lambda: foreign(shared, "grandchild")))
    return wrong + foreign(shared, "child again", 20)
child = fork(in_child)
assert not foreign(shared, "parent")
wait_for(child)
""",
    "another Scope in the child": """
parent = client_of("scp_parent")
assert not foreign(parent, "warm", 8)
def in_child():
    other = client_of("scp_child")
    return foreign(other, "child") + foreign(parent, "child of parent's")
child = fork(in_child)
assert not foreign(parent, "parent")
wait_for(child)
""",
    "another environment in the child": """
os.environ.update({
    "POWERCONTEXT_DEERFLOW_BASE_URL": base_url, "POWERCONTEXT_DEERFLOW_TOKEN": "t",
    "POWERCONTEXT_DEERFLOW_OWNER_USER_ID": "user-1",
    "POWERCONTEXT_DEERFLOW_SCOPE_ID": "scp_parent",
    "POWERCONTEXT_DEERFLOW_RECALL_TIMEOUT_SECONDS": "4.5",
})
def answers(scope, who):
    wrong = []
    for number in range(100):
        query = f"{who} {number}"
        got = runtime.current().recall("user-1", query)
        if got != f"{scope}|{query}": wrong.append(got)
    return wrong
assert not answers("scp_parent", "warm")
def in_child():
    os.environ["POWERCONTEXT_DEERFLOW_SCOPE_ID"] = "scp_child"
    return answers("scp_child", "child")
child = fork(in_child)
assert not answers("scp_parent", "parent")
wait_for(child)
""",
    "while other threads are in the middle of a recall": """
shared = client_of("scp_parent")
wrong, stop = [], threading.Event()
def keep_asking():
    while not stop.is_set():
        wrong.extend(foreign(shared, "parent", 8, 1))
asking = [threading.Thread(target=keep_asking) for _ in range(6)]
for thread in asking: thread.start()
foreign(shared, "warm", 8)
for _ in range(8):
    wait_for(fork(lambda: foreign(shared, "child", 20, 2)))
stop.set()
for thread in asking: thread.join()
assert not wrong, wrong
""",
    "while a save waits": """
shared = client_of("scp_parent")
assert not foreign(shared, "warm", 8)
saving = threading.Thread(target=shared.remember, args=("text",))
saving.start()
def in_child():
    wrong = foreign(shared, "child", 20)
    outcome = shared.remember("text of the child")
    return wrong + ([] if type(outcome).__name__ == "Saved" else [outcome])
wait_for(fork(in_child))
saving.join()
""",
    "on an event loop with a recall under way": """
import asyncio
shared = client_of("scp_parent")
assert not foreign(shared, "warm", 8)
async def main():
    recall = asyncio.ensure_future(shared.arecall("under way"))
    await asyncio.sleep(0)
    child = os.fork()
    if not child:
        recall.cancel()
        await asyncio.gather(recall, return_exceptions=True)
        os._exit(0 if shared.connections.in_use == 0 else 3)
    await asyncio.to_thread(wait_for, child)
    assert (await recall).content == "scp_parent|under way"
asyncio.run(main())
assert not foreign(shared, "parent")
""",
    "and closing in the child leaves the parent's alone": """
shared = client_of("scp_parent")
assert not foreign(shared, "warm", 8)
def in_child():
    shared.close()
    return []
wait_for(fork(in_child))
assert not foreign(shared, "parent")
""",
}


FIRST_USE = """
import sys
from powercontext_deerflow import PowerContext, Secret, Settings

base_url, ca_file = sys.argv[1:]
client = PowerContext(Settings(
    base_url=base_url, scope_id="scp", token=Secret("t"), ca_file=ca_file or None,
    recall_timeout_seconds=20, remember_timeout_seconds=20,
))
imported = set(sys.modules)
client.recall("query")
client.remember("text")
print(sorted(set(sys.modules) - imported))
"""


@pytest.mark.parametrize("secure", [False, True], ids=["http", "https"])
def test_the_first_use_imports_nothing(
    secure: bool, serve: Serve, tls: tuple[ssl.SSLContext, str]
) -> None:
    """A fork while another thread imports a module leaves the child without it for good."""
    server = serve(tls=tls[0] if secure else None)
    with script(FIRST_USE, server.base_url, tls[1] if secure else "") as process:
        imported, _ = process.communicate(timeout=60)
        assert imported == "[]\n"


@pytest.mark.parametrize("fork", FORKS.values(), ids=FORKS)
def test_fork(fork: str, serve: Serve) -> None:
    server = serve(healthy_after(0.002))
    with script(ECHOES + fork, server.base_url) as process:
        _, said = process.communicate(timeout=60)
        assert said == ""
        assert process.returncode == 0


# --- closing


def _in_flight(call: Call, client: PowerContext) -> tuple[threading.Thread, list[object]]:
    outcomes: list[object] = []
    thread = threading.Thread(target=lambda: outcomes.append(call(client)))
    thread.start()
    return thread, outcomes


@pytest.mark.parametrize("over_tls", [False, True], ids=["http", "https"])
def test_close_while_in_flight(
    over_tls: bool, call: Call, serve: Serve, connect: Connect, tls: tuple[ssl.SSLContext, str]
) -> None:
    operation = REMEMBER if call.saves else PREPARE
    server = serve(only(operation, hostile.silent()), tls[0] if over_tls else None)
    client = connect(
        server.base_url,
        ca_file=tls[1] if over_tls else None,
        recall_timeout_seconds=30.0,
        remember_timeout_seconds=30.0,
    )
    thread, outcomes = _in_flight(call, client)
    server.wait_for_request(operation)
    started = time.monotonic()
    client.close(0.2)
    assert time.monotonic() - started <= 0.2 + SLACK
    thread.join(SLACK * 4)
    assert outcomes == [call.unanswered("connection_lost")]
    assert server.count(REMEMBER) == call.saves


def test_what_comes_in_clear_while_a_tls_connection_is_cut_is_no_answer(
    serve: Serve, connect: Connect, tls: tuple[ssl.SSLContext, str]
) -> None:
    """Whoever sits on the line may write to the TCP connection; only TLS says who speaks."""
    server = serve(tls=tls[0])
    client = connect(server.base_url, ca_file=tls[1], recall_timeout_seconds=9.0)
    Call("recall").succeeds(client)
    written = threading.Event()

    def forge(connection: Connection, request: Request) -> None:
        with socket.socket(fileno=os.dup(connection.sock.fileno())) as in_clear:
            in_clear.sendall(good_answer(request))
        written.set()
        connection.hold()

    server.turn(forge)

    async def close_meanwhile() -> object:
        recall = asyncio.ensure_future(client.arecall(TEXT))
        await asyncio.sleep(0)
        assert written.wait(5.0)  # on purpose the loop does not come to read it
        client.close(0.0)
        return await recall

    assert asyncio.run(close_meanwhile()) == RecallFailed("connection_lost")


def test_close_waits_for_what_ends_within_its_budget(
    call: Call, serve: Serve, connect: Connect
) -> None:
    operation = REMEMBER if call.saves else PREPARE
    release = threading.Event()
    server = serve(only(operation, held(healthy, release)))
    client = connect(server.base_url, recall_timeout_seconds=30.0, remember_timeout_seconds=30.0)
    thread, outcomes = _in_flight(call, client)
    server.wait_for_request(operation)
    with noted(Workers, "close") as refusing:
        closing = threading.Thread(target=client.close, args=(20.0,))
        closing.start()
        wait_until(lambda: bool(refusing.ended))
    release.set()
    closing.join(5.0)
    assert not closing.is_alive()
    thread.join(5.0)
    assert not isinstance(outcomes[0], RecallFailed | SaveUnknown | SaveNotSent)


@pytest.mark.parametrize("fault", ["connecting", "resolving"])
def test_close_while_connecting(fault: str, call: Call, serve: Serve, connect: Connect) -> None:
    """Nothing was sent, and nothing will be; the budget holds though the thread ends by its own deadline."""
    with ExitStack() as stack:
        if fault == "connecting":
            host, port = stack.enter_context(network.black_hole())
            client = connect(f"http://{host}:{port}")
            thread, outcomes = _in_flight(call, client)
            wait_until(lambda: client.connections.in_use == 1)
        else:
            dns = stack.enter_context(network.hanging_dns("localhost"))
            client = connect("http://localhost:1")
            thread, outcomes = _in_flight(call, client)
            dns.wait_for_lookup()
        started = time.monotonic()
        client.close(0.05)
        assert time.monotonic() - started <= 0.05 + SLACK
        thread.join(5.0)
    assert isinstance(outcomes[0], RecallFailed | SaveNotSent)


def test_saves_that_wait_are_not_sent_after_close(serve: Serve, connect: Connect) -> None:
    server = serve(only(REMEMBER, hostile.silent()))
    client = connect(server.base_url, remember_timeout_seconds=30.0)
    with ThreadPoolExecutor(4) as threads, noted_saves() as saves:
        first = threads.submit(client.remember, "text 0")
        server.wait_for_request(REMEMBER)
        waiting = [threads.submit(client.remember, f"text {number}") for number in range(1, 4)]
        wait_until(lambda: len(saves.ended) == 4)
        client.close(0.1)
        assert first.result(5.0) == SaveUnknown("connection_lost")
        assert [future.result(5.0) for future in waiting] == [SaveNotSent("closed")] * 3
    assert server.count(REMEMBER) == 1


def test_close_twice_and_use_afterwards(call: Call, serve: Serve, connect: Connect) -> None:
    server = serve()
    client = connect(server.base_url)
    call.succeeds(client)
    seen = len(server.requests)
    client.close()
    client.close()
    asyncio.run(client.aclose())
    assert call.ends_in_time(client) == call.unanswered("closed", sent=False)
    with pytest.raises(TransportError) as refused:
        client.server_info()
    assert refused.value.code == "closed"
    assert not refused.value.sent
    with pytest.raises(httpx.ConnectError, match="closed"):
        client.generated.get_httpx_client().get("/v1/server-info")
    assert len(server.requests) == seen


def test_close_before_the_first_use(call: Call, connect: Connect) -> None:
    client = connect("http://127.0.0.1:1")
    client.close()
    assert call(client) == call.unanswered("closed", sent=False)


def test_close_from_many_threads_while_in_flight(
    call: Call, serve: Serve, connect: Connect
) -> None:
    """All of them return as soon as the call has ended, not when their budget has."""
    operation = REMEMBER if call.saves else PREPARE
    release = threading.Event()
    server = serve(only(operation, held(healthy, release)))
    client = connect(server.base_url, recall_timeout_seconds=30.0, remember_timeout_seconds=30.0)
    thread, _ = _in_flight(call, client)
    server.wait_for_request(operation)
    closing = [threading.Thread(target=client.close, args=(6.0,)) for _ in range(4)]
    # A save keeps them from the pool: they wait for its end first.
    with noted(Lifecycle, "flush") as flushing, noted(Pool, "close") as cutting:
        for closer in closing:
            closer.start()
        wait_until(lambda: len((flushing if call.saves else cutting).begun) == 4)
    release.set()
    for closer in (*closing, thread):
        closer.join(1.0)
    still_closing = [closer for closer in closing if closer.is_alive()]
    for closer in still_closing:
        closer.join()
    assert still_closing == []
