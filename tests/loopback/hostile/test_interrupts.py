# SPDX-License-Identifier: Apache-2.0
"""Signal handlers that raise, at any moment of a call in the main thread: no place, thread, lock or save is lost.

Real signals, in processes of their own. ``INTERRUPTS=50000`` in the environment makes it a long night.
"""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from powercontext_deerflow import PowerContext, Recalled
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.transport.pool import Pool
from tests.loopback.hostile.conftest import Connect, Serve
from tests.loopback.hostile.world import (
    Call,
    healthy,
    healthy_after,
    held,
    in_threads,
    noted,
    only,
    open_connection,
    wait_until,
)
from tests.support.answers import PREPARE
from tests.support.servers.network import hanging_dns

ROOT = Path(__file__).resolve().parents[3]
MOST = int(os.environ.get("INTERRUPTS", "1000"))


@pytest.mark.parametrize("way", ["recall", "by name", "https", "cold", "search", "event loop"])
@pytest.mark.parametrize("saves", [False, True], ids=["reading", "saving"])
def test_a_storm_of_interrupts(
    way: str, saves: bool, serve: Serve, tls: tuple[object, str]
) -> None:
    secure = way == "https"
    server = serve(tls=tls[0] if secure else None)  # type: ignore[arg-type]
    host = "localhost" if way in ("by name", "https") else "127.0.0.1"
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "tests.loopback.hostile.interrupted_process"),
            f"{'https' if secure else 'http'}://{host}:{server.port}",
            tls[1] if secure else "",
            way,
            "remember" if saves else "recall",
            str(MOST),
        ],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        cwd=ROOT,
    )
    assert ended.returncode == 0, ended.stderr
    if way != "event loop":  # where Python itself complains of the coroutine that was broken off
        assert ended.stderr == ""
    told = json.loads(ended.stdout)
    assert told["interrupted"] == MOST
    assert told["longest"] <= told["deadline"] + 0.5
    assert told["in use"] == 0
    assert told["failed"] == {}
    assert told["afterwards"] == ["Recalled"] * 32 + ["Saved"]


def test_an_interrupted_call_whose_traceback_is_kept_keeps_no_place(
    serve: Serve, connect: Connect
) -> None:
    """As in a notebook, which keeps the last one."""
    import signal

    class Interrupt(BaseException):
        pass

    def interrupt(*_: object) -> None:
        raise Interrupt

    release = threading.Event()
    client = connect(serve(held(healthy, release)).base_url, recall_timeout_seconds=5.0)
    before = signal.signal(signal.SIGALRM, interrupt)
    kept = []
    try:
        for _ in range(40):
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            try:
                client.recall("x")
            except Interrupt as error:
                kept.append(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(kept) == 40
    assert client.connections.in_use == 0
    release.set()
    Call("recall").succeeds(client)


def test_a_look_up_whose_caller_was_interrupted_is_not_waited_for_for_ever(
    serve: Serve, connect: Connect
) -> None:
    """One that hangs is shared; one that ended, or never began, is not."""
    server = serve()
    client = connect(f"http://localhost:{server.port}")
    with hanging_dns("localhost") as dns:
        outcomes = in_threads(4, lambda number: client.recall(f"x{number}"))
        assert {outcome.code for outcome in outcomes} == {"dns_timeout"}
        assert dns.lookups <= 4
    wait_until(lambda: isinstance(client.recall("y"), Recalled))


def close_wait(client: PowerContext) -> int:
    """Idle sockets of the client whose other end is closed."""
    closed = 0
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        closed += fields[3] == "08" and int(fields[2].rsplit(":", 1)[1], 16) == _port(client)
    return closed


def _port(client: PowerContext) -> int:
    return int(client.settings.base_url.rsplit(":", 1)[1])


def test_connections_that_the_server_closes_do_not_stay(serve: Serve, connect: Connect) -> None:
    """After a burst, and without another call."""
    server = serve(healthy_after(0.1))
    client = connect(server.base_url, recall_timeout_seconds=5.0)
    in_threads(32, lambda number: Call("recall").succeeds(client, f"x{number}"))
    wait_until(lambda: client.connections.idle >= 16)
    server.close_idle()
    wait_until(lambda: close_wait(client) == 0 and client.connections.idle == 0, within=10.0)
    Call("recall").succeeds(client)


def test_many_idle_clients_close_what_their_server_closed(serve: Serve, connect: Connect) -> None:
    server = serve()
    clients = [connect(server.base_url) for _ in range(40)]
    for client in clients:
        Call("recall").succeeds(client)
    server.close_idle()
    wait_until(lambda: close_wait(clients[0]) == 0, within=10.0)


def test_an_idle_client_keeps_no_connection_and_no_thread(serve: Serve, connect: Connect) -> None:
    server = serve()
    client = connect(server.base_url)
    Call("recall").succeeds(client)
    assert server.open_connections == 1
    wait_until(lambda: server.open_connections == 0, within=10.0)
    assert client.connections.idle == 0


def test_a_signal_handler_may_recall_too(serve: Serve, connect: Connect) -> None:
    import signal

    server = serve(only(PREPARE, healthy_after(0.02)))
    client = connect(server.base_url, recall_timeout_seconds=5.0, remember_timeout_seconds=5.0)
    inner, under_way = [], list[bool]()

    def call_again(*_: object) -> None:
        if not under_way:
            under_way.append(True)
            inner.append(type(client.recall("inner")).__name__)
            under_way.clear()

    before = signal.signal(signal.SIGALRM, call_again)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)
        for number in range(20):
            Call("recall").succeeds(client, f"x{number}")
            Call("remember").succeeds(client, f"x{number}")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert set(inner) == {"Recalled"}


def test_interrupts_while_all_places_are_taken(serve: Serve, connect: Connect) -> None:
    """Whoever waits in turn and is broken off leaves its turn to the next."""
    import signal

    release = threading.Event()
    server = serve(held(healthy, release))
    client = connect(server.base_url, recall_timeout_seconds=20.0)
    threads = [threading.Thread(target=client.recall, args=(f"x{n}",)) for n in range(32)]
    for thread in threads:
        thread.start()
    wait_until(lambda: client.connections.in_use == 32)
    moments = random.Random(3)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    broken_off = 0
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        while broken_off < 10 * MOST:
            try:
                signal.setitimer(signal.ITIMER_REAL, moments.uniform(5e-6, 1e-4))
                client.recall("late", deadline=Deadline.after(0.003))
            except KeyboardInterrupt:
                broken_off += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:  # between the two
        pass
    finally:
        signal.signal(signal.SIGALRM, before)
    release.set()
    for thread in threads:
        thread.join(20.0)
    # Whoever were left in the queue would keep its turn from everybody.
    in_threads(32, lambda number: Call("recall").succeeds(client, f"x{number}"))


def descriptor_to(port: int) -> int:
    """The number of this process's connected socket whose other end is ``port``."""
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError), socket.socket(fileno=os.dup(int(name))) as copy:
            if copy.getpeername()[1] == port:
                return int(name)
    raise AssertionError("there is no such socket")


def test_a_descriptor_closed_behind_our_back(serve: Serve, connect: Connect) -> None:
    """As `os.closerange` in a daemon does."""
    server = serve()
    client = connect(server.base_url)
    Call("recall").succeeds(client)
    os.close(descriptor_to(server.port))
    Call("recall").succeeds(client)


def test_settings_are_read_only(connect: Connect) -> None:
    """The engine has a copy: a new Scope would be asked for at the old server."""
    client = connect("http://127.0.0.1:1")
    with pytest.raises(AttributeError):
        client.settings = client.settings  # type: ignore[misc]


def test_whoever_waits_for_a_place_is_served_in_turn(serve: Serve, connect: Connect) -> None:
    release = threading.Event()
    server = serve(held(healthy, release))
    client = connect(server.base_url, recall_timeout_seconds=20.0)
    open_connection(client)
    order: list[int] = []

    def one(number: int) -> None:
        client.recall(f"x{number}")
        order.append(number)

    threads = []
    with noted(Pool, "use") as uses:
        for number in range(40):
            threads.append(threading.Thread(target=one, args=(number,)))
            threads[-1].start()
            if number < 32:
                wait_until(lambda so_far=number + 1: client.connections.in_use == so_far)  # type: ignore[misc]
            else:
                wait_until(lambda so_far=number - 31: len(uses.begun) - len(uses.ended) == so_far)  # type: ignore[misc]
    release.set()
    for thread in threads:
        thread.join(20.0)
    assert sorted(order) == list(range(40))
    # The eight that waited came after those who did not, whatever the order among the 32.
    assert min(map(order.index, range(32, 40))) >= 1
