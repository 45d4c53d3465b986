# SPDX-License-Identifier: Apache-2.0
"""What the operating system refuses is an outcome with a code, and the next call works.

Real refusals, in processes of their own: no thread (their stacks do not fit into the address space), no descriptor, no
address family, no CA bundle, no ``select.poll``, the end of the interpreter.
"""

from __future__ import annotations

import json
import socket
import ssl
import struct
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from powercontext_deerflow import RecallFailed, SaveNotSent, Settings
from powercontext_deerflow.errors import ConfigurationError
from powercontext_deerflow.transport import UNREACHABLE
from tests.loopback.hostile.conftest import Connect, Serve
from tests.loopback.hostile.world import Call
from tests.support.answers import prepared
from tests.support.servers.hostile import answer
from tests.support.servers.loopback import Bare, Connection

ROOT = Path(__file__).resolve().parents[3]
OPERATIONS = (
    *("recall", "arecall", "remember", "aremember", "search", "asearch", "list_memories"),
    *("alist_memories", "get", "aget", "head", "ahead", "history", "ahistory", "revise", "arevise"),
    *("forget", "aforget", "restore", "arestore", "capture_source", "acapture_source"),
    *("server_info", "aserver_info", "check_scope", "acheck_scope", "generated", "agenerated"),
)
# In a synchronous call only a name takes a thread, and a save.
THREADLESS = {
    *("recall", "search", "get", "head", "history", "revise", "forget", "restore"),
    *("capture_source", "server_info"),
}


def told(*arguments: str) -> dict[str, list[object]]:
    """For each operation: what it came to while refused, and what the next call did."""
    ended = subprocess.run(
        [sys.executable, "-m", "tests.loopback.hostile.refused_process", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=ROOT,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    outcomes: dict[str, list[object]] = json.loads(ended.stdout)
    assert set(outcomes) == set(OPERATIONS)
    return outcomes


@pytest.mark.parametrize(
    ("refused", "code"), [("thread", "no_thread"), ("descriptor", "no_descriptor")]
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_what_is_refused_for_a_moment(
    refused: str, code: str, scheme: str, serve: Serve, tls: tuple[ssl.SSLContext, str]
) -> None:
    server = serve(tls=tls[0] if scheme == "https" else None)
    ca_file = tls[1] if scheme == "https" else ""
    outcomes = told(refused, f"{scheme}://localhost:{server.port}", ca_file)
    assert [outcomes[name][0] for name in OPERATIONS] == [[code, False]] * len(OPERATIONS)
    assert all(later == "works" for _, later in outcomes.values()), outcomes
    assert code in UNREACHABLE  # the breaker hears it


def test_a_literal_address_needs_no_thread_where_the_caller_waits(serve: Serve) -> None:
    outcomes = told("thread", serve().base_url, "")
    assert {outcomes[name][0] for name in THREADLESS if name in outcomes} == {"works"}


@pytest.mark.parametrize("name", ["recall", "remember", "arecall", "aremember"])
def test_at_the_exit_of_the_interpreter(name: str, serve: Serve) -> None:
    """Python 3.12 refuses threads then; others do not."""
    server = serve()
    source = (
        "import atexit, asyncio, sys\n"
        "from powercontext_deerflow import PowerContext, Secret, Settings\n"
        "client = PowerContext(Settings(base_url=sys.argv[1], scope_id='scp', token=Secret('t')))\n"
        f"call = client.{name}\n"
        "atexit.register(lambda: print(asyncio.run(call('x')) if asyncio.iscoroutinefunction(call)"
        " else call('x')))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", source, f"http://localhost:{server.port}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.stderr == ""
    kinds = ("Recalled(", "Saved(", "RecallFailed(code='no_thread'", "SaveNotSent(code='no_thread'")
    assert ended.stdout.startswith(kinds), ended.stdout


def test_an_address_family_that_the_kernel_does_not_have(
    call: Call, serve: Serve, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AF_IPX stands for IPv6 on a kernel without it: socket() answers EAFNOSUPPORT."""
    server = serve()
    good = socket.getaddrinfo("127.0.0.1", server.port, type=socket.SOCK_STREAM)
    absent = (socket.AddressFamily(4), *good[0][1:])
    with pytest.raises(OSError, match="not supported"):
        socket.socket(4, socket.SOCK_STREAM)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [absent, *good])
    call.succeeds(connect(f"http://localhost:{server.port}"))


@pytest.mark.parametrize("removed", ["ca_file", "certifi"])
def test_a_ca_bundle_that_is_gone(
    removed: str, connect: Connect, tls: tuple[ssl.SSLContext, str], tmp_path: Path
) -> None:
    source = (
        "import pathlib, sys\n"
        "from powercontext_deerflow import ConfigurationError, PowerContext, Secret, Settings\n"
        "import certifi\n"
        "gone = pathlib.Path(sys.argv[1])\n"
        "given = {'ca_file': str(gone)} if sys.argv[2] == 'ca_file' else {}\n"
        "settings = Settings(base_url='https://localhost:1', scope_id='s', token=Secret('t'), **given)\n"
        "gone.unlink()\n"
        "certifi.where = certifi.core.where = lambda: str(gone)\n"
        "try:\n"
        "    PowerContext(settings)\n"
        "except ConfigurationError as error:\n"
        "    print(error.code, error)\n"
    )
    bundle = tmp_path / "bundle.crt"
    bundle.write_text(Path(tls[1]).read_text())
    ended = subprocess.run(
        [sys.executable, "-c", source, str(bundle), removed],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ended.stdout.startswith("ca_file_unreadable POWERCONTEXT_DEERFLOW_CA_FILE: ")
    assert str(bundle) not in ended.stdout


def test_a_ca_bundle_that_cannot_be_opened_for_a_moment(
    serve: Serve, tls: tuple[ssl.SSLContext, str]
) -> None:
    """A client that is made while there is no descriptor works as soon as there is one."""
    server = serve(tls=tls[0])
    outcomes = told("descriptor-at-birth", f"https://localhost:{server.port}", tls[1])
    refused = ["no_descriptor", False]
    assert [outcomes[name][0] for name in OPERATIONS] == [refused] * len(OPERATIONS)
    assert all(later == "works" for _, later in outcomes.values()), outcomes


class Resets(Bare):
    """Resets every connection right after it was accepted, before a byte of TLS."""

    def __init__(self) -> None:
        super().__init__(self._reset)

    @staticmethod
    def _reset(connection: Connection) -> None:
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.sock.close()


def test_a_port_that_resets_before_tls_begins(
    call: Call, serve: Serve, connect: Connect, tls: tuple[ssl.SSLContext, str]
) -> None:
    server = serve(Resets())
    client = connect(f"https://127.0.0.1:{server.port}", ca_file=tls[1])
    for _ in range(100):
        outcome = call(client)
        assert isinstance(outcome, RecallFailed | SaveNotSent)
        assert outcome.code in ("tls_failed", "connect_failed")


def test_without_select_poll(call: Call, serve: Serve) -> None:
    """eventlet removes it from the process that it patches."""
    source = (
        "import select; del select.poll, select.epoll\n"
        "import asyncio, sys\n"
        "from powercontext_deerflow import PowerContext, Secret, Settings\n"
        "client = PowerContext(Settings(base_url=sys.argv[1], scope_id='scp', token=Secret('t')))\n"
        f"call = client.{call.name}\n"
        "for turn in range(3):\n"
        "    said = asyncio.run(call('x')) if asyncio.iscoroutinefunction(call) else call('x')\n"
        "    print(type(said).__name__)\n"
        "client.close()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", source, serve().base_url],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.stderr == ""
    assert ended.stdout.split() == ["Saved" if call.saves else "Recalled"] * 3


def test_the_manager_is_inert_without_its_ca_bundle(
    monkeypatch: pytest.MonkeyPatch, tls: tuple[ssl.SSLContext, str], tmp_path: Path
) -> None:
    """Remembered, so that not every run of the host reads the settings and fails anew."""
    from powercontext_deerflow.host import runtime

    bundle = tmp_path / "bundle.crt"
    bundle.write_text(Path(tls[1]).read_text())
    for name, value in {
        "BASE_URL": "https://localhost:1",
        "OWNER_USER_ID": "owner",
        "SCOPE_ID": "scp",
        "TOKEN": "t",
        "CA_FILE": str(bundle),
    }.items():
        monkeypatch.setenv(f"POWERCONTEXT_DEERFLOW_{name}", value)
    checked = Settings.from_environment

    def gone(*_: object) -> object:
        settings = checked()
        bundle.unlink(missing_ok=True)
        monkeypatch.setattr(Settings, "from_environment", checked)
        return settings

    monkeypatch.setattr(Settings, "from_environment", gone)
    runtime.forget()
    with ExitStack() as stack:
        stack.callback(runtime.forget)
        for _ in range(2):
            with pytest.raises(ConfigurationError) as refused:
                runtime.current()
            assert refused.value.code == "ca_file_unreadable"


def test_settings_do_not_remember_a_momentary_refusal(tls: tuple[ssl.SSLContext, str]) -> None:
    """Neither of the file that is named nor of certifi's, which is imported late."""
    source = (
        "import resource, sys\n"
        "from powercontext_deerflow import PowerContext, Secret, Settings\n"
        "import powercontext_deerflow.transport.tls\n"
        "given = {'ca_file': sys.argv[1]} if sys.argv[1] else {}\n"
        "before = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (3, before[1]))\n"
        "settings = Settings(base_url='https://127.0.0.1:1', scope_id='s', token=Secret('t'), **given)\n"
        "client = PowerContext(settings)\n"
        "print(client.recall('x').code)\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, before)\n"
        "print(client.recall('x').code)\n"
    )
    for ca_file in (tls[1], ""):
        ended = subprocess.run(
            [sys.executable, "-c", source, ca_file],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ended.stderr == ""
        assert ended.stdout.split() == ["no_descriptor", "connect_failed"]


NO_MEMORY = """
import asyncio, resource, sys
from pathlib import Path
from powercontext_deerflow import PowerContext, Secret, Settings

client = PowerContext(Settings(base_url=sys.argv[1], scope_id="scp", token=Secret("t")))
loop = asyncio.new_event_loop()
def code():
    said = getattr(client, sys.argv[2])("x")
    return (loop.run_until_complete(said) if asyncio.iscoroutine(said) else said).code
codes = [code()]
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
before = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (used + 256 * 1024, before[1]))
codes.append(code())
resource.setrlimit(resource.RLIMIT_AS, before)
codes.append(code())
print(codes)
"""


@pytest.mark.parametrize("name", ["recall", "arecall"])
def test_an_answer_that_does_not_fit_into_memory(name: str, serve: Serve) -> None:
    server = serve(answer(200, prepared("x" * 1_000_000)))
    ended = subprocess.run(
        [sys.executable, "-c", NO_MEMORY, server.base_url, name],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.stderr == ""
    assert ended.stdout == "['malformed', 'out_of_memory', 'malformed']\n"
