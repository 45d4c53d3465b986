# SPDX-License-Identifier: Apache-2.0
"""The test servers do what their names say; each is watched through a bare socket."""

from __future__ import annotations

import gzip
import importlib.metadata
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import h11
import pytest

from tests.support.servers import (
    child,
    environments,
    hostile,
    leaks,
    network,
    plain_client,
    proxy,
    real,
)
from tests.support.servers.hostile import HostileServer
from tests.support.servers.loopback import Bare, Behaviour, Connection, LoopbackServer, Request
from tests.support.servers.proxy import Fault, RecordingProxy
from tests.support.servers.real import PowerContextServer

REQUEST = (
    b'POST /v1/thing?q=1 HTTP/1.1\r\nHost: h\r\nX-Token: t\r\nContent-Length: 7\r\n\r\n{"a":1}'
)
ROUTE = "POST /v1/thing"
BODY = b'{"changed":true}'
LONG, SHORT = 30.0, 0.3  # for what must come, and for what must not


@dataclass
class Seen:
    """What a client saw of one answer, and how it ended."""

    ending: str = "silent"  # complete | closed | going on | silent
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    informational: int = 0
    received: int = 0
    left_over: bytes = b""


def watch(client: socket.socket, *, enough: int = 1 << 30, patience: float = LONG) -> Seen:
    """Read one answer until it is whole, the peer closes, `enough` bytes came, or none come."""
    seen, parser = Seen(), h11.Connection(h11.CLIENT, max_incomplete_event_size=1 << 24)
    parser.send(h11.Request(method="POST", target="/", headers=[("Host", "h")]))
    client.settimeout(patience)
    while True:
        event = parser.next_event()
        if event is h11.NEED_DATA:
            if seen.received >= enough:
                seen.ending = "going on"
                return seen
            try:
                data = client.recv(65536)
            except TimeoutError:
                return seen
            except ConnectionError:
                data = b""
            if not data:
                seen.ending = "closed"
                return seen
            seen.received += len(data)
            parser.receive_data(data)
        elif isinstance(event, h11.InformationalResponse):
            seen.informational += 1
        elif isinstance(event, h11.Response):
            seen.status = event.status_code
            seen.headers = {n.decode(): v.decode() for n, v in event.headers}
        elif isinstance(event, h11.Data):
            seen.body += event.data
        elif isinstance(event, h11.EndOfMessage):
            seen.ending, seen.left_over = "complete", parser.trailing_data[0]
            return seen


@contextmanager
def connected(server: LoopbackServer) -> Iterator[socket.socket]:
    with socket.create_connection((server.host, server.port), timeout=LONG) as client:
        yield client


def ask(server: LoopbackServer, *, enough: int = 1 << 30, patience: float = LONG) -> Seen:
    with connected(server) as client:
        client.sendall(REQUEST)
        return watch(client, enough=enough, patience=patience)


# --- hostile


def test_a_request_is_recorded_as_it_arrived() -> None:
    with HostileServer(hostile.answer(200, {"a": 1}, [("X-Kept", "yes")])) as server:
        seen = ask(server)
        (request,) = server.requests
        assert (request.method, request.path, request.body) == ("POST", "/v1/thing?q=1", b'{"a":1}')
        assert request.header("X-Token") == "t"
        assert request.json == {"a": 1}
        assert request.raw == REQUEST
        assert (server.count(ROUTE), server.connections) == (1, 1)
        server.wait_for_request(ROUTE)
        server.clear()
        assert server.count(ROUTE) == 0
    assert (seen.status, seen.body, seen.headers["x-kept"]) == (200, b'{"a": 1}', "yes")


def test_pipelined_and_split_requests_are_told_apart() -> None:
    with HostileServer(hostile.answer()) as server, connected(server) as client:
        client.sendall(REQUEST + REQUEST[:20])
        assert watch(client).ending == "complete"
        client.sendall(REQUEST[20:])
        assert watch(client).ending == "complete"
        assert [request.raw for request in server.requests] == [REQUEST, REQUEST]
        assert server.connections == 1


@pytest.mark.parametrize(
    ("behaviour", "ending", "status"),
    [
        pytest.param(hostile.silent(), "silent", None, id="silent"),
        pytest.param(hostile.close_without_answer(), "closed", None, id="close_without_answer"),
        pytest.param(hostile.close_after_headers(503), "closed", 503, id="close_after_headers"),
        pytest.param(hostile.close_mid_body(), "closed", 200, id="close_mid_body"),
        pytest.param(
            hostile.content_length_too_long(b" " * 300), "going on", 200, id="length_too_long"
        ),
        pytest.param(hostile.header_drip(0.001), "going on", None, id="header_drip"),
        pytest.param(hostile.body_drip(0.001), "going on", 200, id="body_drip"),
        pytest.param(hostile.error_body_drip(503, 0.001), "going on", 503, id="error_body_drip"),
        pytest.param(hostile.flood_1xx(0.001), "going on", None, id="flood_1xx"),
        pytest.param(hostile.chunk_size_drip(0.001), "going on", 200, id="chunk_size_drip"),
        pytest.param(hostile.trailer_drip(0.001), "going on", 200, id="trailer_drip"),
        pytest.param(hostile.endless_chunks(), "going on", 200, id="endless_chunks"),
    ],
)
@pytest.mark.usefixtures("no_leaks")
def test_an_answer_that_never_becomes_whole(
    behaviour: Behaviour, ending: str, status: int | None
) -> None:
    with HostileServer(behaviour) as server:
        for _ in range(2):  # a second connection sees the same from its beginning
            patience = SHORT if ending == "silent" else LONG
            seen = ask(server, enough=300, patience=patience)
            assert (seen.ending, seen.status) == (ending, status)
        _eventually(lambda: server.count(ROUTE) == 2)


def test_what_the_unfinished_answers_hold() -> None:
    with HostileServer(hostile.close_mid_body(BODY)) as server:
        assert ask(server).body == BODY[: len(BODY) // 2]
    with HostileServer(hostile.flood_1xx(0.001)) as server:
        assert ask(server, enough=300).informational > 5
    with HostileServer(hostile.trailer_drip(0.001)) as server:
        assert ask(server, enough=300).body == b"{}"
    with HostileServer(hostile.chunk_size_drip(0.001)) as server:
        assert ask(server, enough=300).body == b""
    with HostileServer(hostile.endless_chunks()) as server:
        assert len(ask(server, enough=1 << 20).body) > 1 << 19


def test_answers_that_are_too_large() -> None:
    with HostileServer(hostile.huge_body(3_000_001)) as server:
        seen = ask(server)
        assert (seen.ending, len(seen.body)) == ("complete", 3_000_001)
    with HostileServer(hostile.megabyte_of_headers()) as server:
        assert sum(map(len, ask(server).headers.values())) > 1 << 20 - 1
    with HostileServer(hostile.gzip_bomb()) as server:
        seen = ask(server)
        assert (seen.ending, seen.headers["content-encoding"]) == ("complete", "gzip")
        assert len(seen.body) < 1 << 17
        assert len(gzip.decompress(seen.body)) == 64 << 20


def test_a_body_longer_than_announced_is_left_over_on_the_connection() -> None:
    with HostileServer(hostile.content_length_too_short(BODY)) as server:
        seen = ask(server)
        assert (seen.ending, seen.body, seen.left_over) == ("complete", BODY[:-1], b"}")


def test_redirect_and_cookie() -> None:
    with HostileServer(hostile.redirect(307, "http://elsewhere.test/")) as server:
        seen = ask(server)
        assert (seen.status, seen.headers["location"]) == (307, "http://elsewhere.test/")
    with HostileServer(hostile.set_cookie()) as server:
        assert ask(server).headers["set-cookie"].startswith("session=kept")


def test_stale_keep_alive_closes_upon_the_second_request_of_each_connection() -> None:
    with HostileServer(hostile.stale_keep_alive()) as server:
        for _ in range(2):
            with connected(server) as client:
                client.sendall(REQUEST)
                assert watch(client).status == 200
                client.sendall(REQUEST)
                assert watch(client).ending == "closed"
        assert server.count(ROUTE) == 4


def test_behaviours_by_path_and_in_turn() -> None:
    turns = hostile.in_turn(hostile.answer(201), hostile.answer(202))
    with HostileServer(hostile.by_path({ROUTE: turns})) as server:
        assert [ask(server).status for _ in range(3)] == [201, 202, 202]
        with connected(server) as client:
            client.sendall(REQUEST.replace(b"/v1/thing", b"/v1/other"))
            assert watch(client).status == 404


@pytest.mark.parametrize(
    ("behaviour", "ending"),
    [(hostile.accept_then_close(), "closed"), (hostile.slow_reader(), "silent")],
    ids=["accept_then_close", "slow_reader"],
)
@pytest.mark.usefixtures("no_leaks")
def test_a_bare_behaviour_reads_no_request(behaviour: Bare, ending: str) -> None:
    with HostileServer(behaviour) as server, connected(server) as client:
        assert watch(client, patience=SHORT if ending == "silent" else LONG).ending == ending
        _eventually(lambda: server.connections == 1)
        assert server.requests == []


def test_a_slow_reader_makes_a_large_write_stall() -> None:
    with HostileServer(hostile.slow_reader()) as server, connected(server) as client:
        client.settimeout(SHORT)
        with pytest.raises(TimeoutError):
            client.sendall(b"x" * (64 << 20))


def test_a_connection_that_must_not_be_made_fails_the_block() -> None:
    with HostileServer(hostile.expect_no_connection()) as server:
        assert server.connections == 0
    with (
        pytest.raises(AssertionError, match="must not be reached"),
        HostileServer(hostile.expect_no_connection()) as server,
        connected(server) as client,
    ):
        watch(client)


def test_a_broken_behaviour_fails_the_block() -> None:
    def broken(_: Connection, __: Request) -> None:
        raise KeyError("a mistake in a test")

    with pytest.raises(KeyError, match="a mistake"), HostileServer(broken) as server:
        ask(server)


@pytest.mark.usefixtures("no_leaks")
def test_the_end_does_not_wait_for_a_drip_or_a_client() -> None:
    for behaviour in (hostile.body_drip(3600), hostile.silent(), hostile.endless_chunks()):
        with HostileServer(behaviour) as server, connected(server) as client:
            client.sendall(REQUEST)
            server.wait_for_request(ROUTE)
            server.__exit__(None, None, None)  # raises if a thread hangs
            assert watch(client).ending == "closed"


# --- below HTTP


def test_tls_with_its_own_authority(tmp_path: Path) -> None:
    context, ca_file = network.issue_tls(tmp_path)
    trusting = ssl.create_default_context(cafile=str(ca_file))
    with HostileServer(hostile.answer(), tls=context) as server:
        assert server.base_url.startswith("https://")
        for name in ("127.0.0.1", "localhost"):
            with (
                connected(server) as client,
                trusting.wrap_socket(client, server_hostname=name) as secure,
            ):
                secure.sendall(REQUEST)
                assert watch(secure).ending == "complete"
        with connected(server) as client, pytest.raises(ssl.SSLCertVerificationError):
            ssl.create_default_context().wrap_socket(client, server_hostname="localhost")


@pytest.mark.parametrize("behaviour", [network.tls_stall(), network.tls_drip(0.01)])
@pytest.mark.usefixtures("no_leaks")
def test_a_handshake_that_does_not_end(behaviour: Bare) -> None:
    with HostileServer(behaviour) as server, connected(server) as client:
        client.settimeout(SHORT)
        with pytest.raises(TimeoutError):
            ssl.create_default_context().wrap_socket(client, server_hostname="localhost")


def test_the_dripping_handshake_drips() -> None:
    with HostileServer(network.tls_drip(0.001)) as server, connected(server) as client:
        client.sendall(b"hello")
        received = b""
        while len(received) < 50:
            received += client.recv(50)
        assert received[0] == 22  # a TLS handshake record


@pytest.mark.usefixtures("no_leaks")
def test_a_black_hole_accepts_no_connection() -> None:
    with network.black_hole() as address:
        for _ in range(3):
            with pytest.raises(TimeoutError):
                socket.create_connection(address, timeout=SHORT)


@pytest.mark.usefixtures("no_leaks")
def test_hanging_dns_holds_one_name_only() -> None:
    found: list[object] = []
    real_one = socket.getaddrinfo
    with network.hanging_dns("slow.test") as dns:
        looker = threading.Thread(
            target=lambda: found.extend(socket.getaddrinfo("slow.test", 80)[0][4])
        )
        looker.start()
        dns.wait_for_lookup()
        assert socket.getaddrinfo("127.0.0.1", 80)
        assert (dns.lookups, found) == (1, [])
        dns.release()
        looker.join(LONG)
        assert found == ["127.0.0.1", 80]
    assert socket.getaddrinfo is real_one


# --- the proxy


@pytest.mark.usefixtures("no_leaks")
def test_the_proxy_forwards_faithfully_and_keeps_connections_alive() -> None:
    kept = [("X-Kept", "yes"), ("Content-Type", "text/plain")]
    with (
        HostileServer(hostile.answer(409, BODY, kept)) as upstream,
        RecordingProxy(upstream.base_url) as between,
        connected(between) as client,
    ):
        for _ in range(2):
            client.sendall(REQUEST)
            seen = watch(client)
            assert (seen.ending, seen.status, seen.body) == ("complete", 409, BODY)
            assert (seen.headers["x-kept"], seen.headers["content-type"]) == ("yes", "text/plain")
        assert (between.connections, between.count(ROUTE)) == (1, 2)
        for ours, theirs in zip(between.requests, upstream.requests, strict=True):
            assert (ours.path, ours.body) == (theirs.path, theirs.body)
            assert theirs.header("x-token") == "t"


@pytest.mark.parametrize(
    ("fault", "forwarded", "ending", "status", "body"),
    [
        pytest.param(proxy.refuse, 0, "closed", None, b"", id="refuse"),
        pytest.param(proxy.lose_answer, 1, "closed", None, b"", id="lose_answer"),
        pytest.param(proxy.truncate(4), 1, "closed", 200, BODY[:-4], id="truncate"),
        pytest.param(proxy.replace(502, "<html>"), 1, "complete", 502, b"<html>", id="replace"),
        pytest.param(
            proxy.forward_then(hostile.close_after_headers()), 1, "closed", 200, b"", id="then"
        ),
        pytest.param(proxy.instead(hostile.answer(503)), 0, "complete", 503, b"{}", id="instead"),
    ],
)
@pytest.mark.usefixtures("no_leaks")
def test_a_fault_of_the_proxy(
    fault: Fault, forwarded: int, ending: str, status: int | None, body: bytes
) -> None:
    with (
        HostileServer(hostile.answer(200, BODY)) as upstream,
        RecordingProxy(upstream.base_url) as between,
    ):
        between.fault = proxy.on(ROUTE, fault)
        seen = ask(between)
        assert (seen.ending, seen.status, seen.body) == (ending, status, body)
        assert (between.count(ROUTE), upstream.count(ROUTE)) == (1, forwarded)
        between.fault = proxy.on("GET /other", fault)
        assert ask(between).body == BODY


def test_a_held_answer_comes_when_the_event_is_set() -> None:
    event = threading.Event()
    with (
        HostileServer(hostile.answer(200, BODY)) as upstream,
        RecordingProxy(upstream.base_url) as between,
        connected(between) as client,
    ):
        between.fault = proxy.on(ROUTE, proxy.hold_until(event))
        client.sendall(REQUEST)
        upstream.wait_for_request(ROUTE)
        assert watch(client, patience=SHORT).ending == "silent"
        event.set()
        assert watch(client).body == BODY


@pytest.mark.parametrize(
    "behaviour",
    [hostile.silent(), hostile.body_drip(3600), hostile.accept_then_close()],
    ids=["silent", "drip", "close"],
)
@pytest.mark.usefixtures("no_leaks")
def test_the_proxy_ends_while_its_upstream_hangs_or_breaks(behaviour: Behaviour | Bare) -> None:
    with HostileServer(behaviour) as upstream:
        with RecordingProxy(upstream.base_url) as between, connected(between) as client:
            client.sendall(REQUEST)
            between.wait_for_request(ROUTE)
        with connected(upstream):
            pass  # the upstream outlived the proxy and still takes connections


# --- the environment


@pytest.fixture(scope="module")
def dirty_environ() -> Iterator[None]:
    names = ["POWERCONTEXT_DEERFLOW_TOKEN", "DEER_FLOW_AUTH_DISABLED", "HTTPS_PROXY", "no_proxy"]
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setenv(name, "dirty")
        yield
        assert [os.environ.get(name) for name in names] == ["dirty"] * 4


@pytest.mark.usefixtures("dirty_environ")
def test_a_test_sees_no_settings_and_no_proxies_of_the_shell() -> None:
    assert "dirty" not in os.environ.values()
    assert "PATH" in os.environ


# --- leaks


def test_leaks_are_found() -> None:
    left: list[socket.socket] = []
    with socket.socket(), leaks.no_leaks(within=SHORT):
        socket.socket().close()  # gone in time, and the outer one was there before
    with pytest.raises(AssertionError, match="left behind"), leaks.no_leaks(within=SHORT):
        left.append(socket.socket())
    left[0].close()
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    with pytest.raises(AssertionError, match="left behind"), leaks.no_leaks(within=SHORT):
        thread.start()
    end.set()
    thread.join()


# --- environments


def test_an_environment_is_built_once_and_rebuilt_when_half_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []

    def build(home: Path, _base: str, packages: tuple[str, ...], _lock: int) -> None:
        built.extend(packages)
        (home / "bin").mkdir(parents=True, exist_ok=True)
        (home / "bin" / "python").touch()

    monkeypatch.setattr(environments, "CACHE", tmp_path / "servers")
    monkeypatch.setattr(environments, "build", build)
    builders = [
        threading.Thread(target=environments.server_python, args=["0.0.1"]) for _ in range(4)
    ]
    for builder in builders:
        builder.start()
    for builder in builders:
        builder.join()
    assert built == ["powercontext[cli,server]==0.0.1"]
    python = environments.server_python("0.0.1")
    assert python == tmp_path / "servers" / "0.0.1" / "bin" / "python"
    python.unlink()  # as when the interpreter it pointed to is gone
    environments.server_python("0.0.1")
    (python.parents[1] / "complete").unlink()
    environments.server_python("0.0.1")
    assert built == ["powercontext[cli,server]==0.0.1"] * 3


def test_the_running_release_needs_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda _: "0.0.2")
    assert environments.server_python("0.0.2") == Path(sys.executable)


def test_a_release_that_does_not_exist_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "no such release")

    monkeypatch.setattr(environments, "CACHE", tmp_path / "servers")
    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(RuntimeError, match=r"cannot install powercontext\[.*\]==0\.0\.3:\nno such"):
        environments.server_python("0.0.3")
    assert "Installing powercontext[cli,server]==0.0.3 into" in capfd.readouterr().err


# --- real servers


@pytest.mark.parametrize("version", ["powercontext_141", "powercontext_120"])
def test_the_plain_client_sees_what_is_in_a_scope(
    version: str, request: pytest.FixtureRequest
) -> None:
    server: PowerContextServer = request.getfixturevalue(version)
    scope, other = server.create_scope("one"), server.create_scope("other")
    for text in ("first", "second", "third"):
        server.remember(scope, text)
    server.remember(scope, "fourth", kind="preference")
    memories = server.memories(scope)
    assert {(memory["text"], memory["kind"]) for memory in memories} == {
        ("first", "fact"),
        ("second", "fact"),
        ("third", "fact"),
        ("fourth", "preference"),
    }
    server.forget(scope, memories[0])
    server.forget(scope, memories[1])  # its record is older than the last change
    assert server.memories(scope) == [m for m in server.memories(scope) if m not in memories[:2]]
    assert len(server.memories(scope)) == 2
    assert server.sources(scope) == (4 if server.version == "1.4.1" else 0)
    assert (server.memories(other), server.sources(other)) == ([], 0)


@pytest.mark.parametrize("version", ["powercontext_141", "powercontext_120"])
def test_more_than_one_page(
    version: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_client, "PAGE", 2)
    server: PowerContextServer = request.getfixturevalue(version)
    scope = server.create_scope("pages")
    for i in range(5):
        server.remember(scope, f"memory number {i}")
    assert len({memory["id"] for memory in server.memories(scope)}) == 5
    assert server.sources(scope) == (5 if server.version == "1.4.1" else 0)


@pytest.mark.parametrize("version", ["1.4.1", "1.2.0"])
def test_the_life_of_a_real_server(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    with socket.create_server(("127.0.0.1", 0)) as taken:
        # Each start takes a core for ten seconds, and one generation shows what the other does with a taken port.
        ports = [taken.getsockname()[1]] * (version == "1.2.0") + [child.free_port()]
        monkeypatch.setattr(child, "free_port", lambda: ports.pop(0))
        with PowerContextServer(version, on_wait=waits.append) as server:
            assert ports == []
            assert len(waits) > 1
            assert_survives_a_restart(server)
            assert_pauses_and_resumes(server)
            pid = server.pid
            server.pause()
            server.stop()  # also when paused
            assert not _exists(pid)
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", server.port), timeout=LONG)
    assert not server.data_dir.exists()


def assert_survives_a_restart(server: PowerContextServer) -> None:
    pid, port = server.pid, server.port
    scope = server.create_scope("kept")
    server.remember(scope, "kept over a restart")
    server.restart()
    assert server.pid != pid
    assert server.port == port
    assert [memory["text"] for memory in server.memories(scope)] == ["kept over a restart"]


def assert_pauses_and_resumes(server: PowerContextServer) -> None:
    server.pause()
    with socket.create_connection(("127.0.0.1", server.port), timeout=LONG) as client:
        client.sendall(b"GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n")
        assert watch(client, patience=SHORT).ending == "silent"
        server.resume()
        assert watch(client).status == 200


def test_a_server_that_dies_early_shows_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying = tmp_path / "python"
    dying.write_text("#!/bin/sh\necho the reason\nexit 7\n")
    dying.chmod(0o700)
    monkeypatch.setattr(real, "server_python", lambda _: dying)
    server = PowerContextServer()
    with pytest.raises(RuntimeError, match=r"(?s)status 7.*the reason"), server:
        pass
    assert not server.data_dir.exists()


_PARENT = """
import signal
from tests.support.servers.real import PowerContextServer
with PowerContextServer("1.2.0") as running, PowerContextServer("1.2.0") as paused:
    paused.pause()
    print(running.pid, paused.pid, flush=True)
    signal.pause()
"""


def test_a_server_does_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    root = Path(real.__file__).resolve().parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT],
        stdout=subprocess.PIPE,
        cwd=root,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    ) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert [_exists(pid) for pid in pids] == [True, True]
        parent.send_signal(signal.SIGKILL)
    _eventually(lambda: not any(map(_exists, pids)))


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


def _eventually(condition: Callable[[], bool], within: float = LONG) -> None:
    tick = threading.Event()
    for _ in range(int(within / 0.05)):
        if condition():
            return
        tick.wait(0.05)
    raise AssertionError("it did not come to that")
