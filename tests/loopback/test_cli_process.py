# SPDX-License-Identifier: Apache-2.0
"""The command as a process: its output closed, full or broken, its packages malformed, its resources gone.

Never a traceback, and an exit status that is true.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from powercontext_deerflow.settings import PREFIX
from powercontext_deerflow.version import VERSION
from tests.support import bound
from tests.support.answers import (
    CAPABILITIES,
    INFO,
    PREPARE,
    SCOPE,
    SEARCH_MODES,
    SERVER_INFO,
    prepared,
)
from tests.support.bound import NOWHERE, SCOPE_ID, TOKEN
from tests.support.servers import hostile
from tests.support.servers.hostile import HostileServer, answer

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = Path(sys.executable).with_name("powercontext-deerflow")
COMMAND = [
    sys.executable,
    "-c",
    "import sys; from powercontext_deerflow.cli import main; sys.exit(main())",
]
# A shell starts what it does not wait for with SIGINT ignored, and its children inherit that.
INTERRUPTIBLE = [
    *COMMAND[:2],
    f"import signal; signal.signal(2, signal.default_int_handler); {COMMAND[2]}",
]
COMPLAINT = "powercontext-deerflow: the output could not be written\n"
ROUTES = {
    SERVER_INFO: answer(200, INFO),
    f"GET /v1/scopes/{SCOPE_ID}": answer(200, SCOPE),
    CAPABILITIES: answer(200, SEARCH_MODES),
    PREPARE: answer(200, prepared(None)),
}


def environment(base_url: str = "", *path: Path, **more: str) -> dict[str, str]:
    """Of a Gateway with our stand-in of the host; unbound without ``base_url``."""
    given = bound.environment(base_url) if base_url else {}
    where = os.pathsep.join(map(str, (*path, ROOT / "tests/host", ROOT, ROOT / "generated")))
    return {**os.environ, **given, "PYTHONPATH": where, **more}


def shell(arguments: str, redirections: str, **more: str) -> tuple[int, str, str]:
    """The command with its streams as a shell has them; the last of a pipeline does not hide its status."""
    words = f"{shlex.join(COMMAND)} {arguments} {redirections}"
    done = subprocess.run(
        ["bash", "-c", words],
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def examined(
    folder: Path, base_url: str = NOWHERE, **more: str
) -> tuple[int, dict[str, dict[str, str]]]:
    """What the doctor finds with ``folder`` first on the path, by code; it says nothing else, and never the token."""
    done = subprocess.run(
        [*COMMAND, "doctor", "--json"],
        env=environment(base_url, folder, **more),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert TOKEN not in done.stdout
    found = json.loads(done.stdout)["findings"]
    return done.returncode, {one["code"]: one for one in found}


# --- what it says first


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_version_and_help_import_nothing_heavy(argument: str) -> None:
    script = (
        "import sys, powercontext_deerflow.cli as cli\n"
        f"assert cli.main(['{argument}']) == 0\n"
        "heavy = {'httpx', 'h11', 'msgspec', 'ssl', 'yaml', 'json', 'tomllib'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert (VERSION if argument == "--version" else "doctor") in done.stdout


def test_the_installed_command() -> None:
    done = subprocess.run([INSTALLED, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{VERSION}\n", "")


def test_a_terminal_without_unicode_gets_escapes_and_no_crash() -> None:
    """An owner's id may be any printable text; a C locale must not turn that into a traceback."""
    given = bound.environment(owner_user_id="用户") | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [INSTALLED, "doctor"], env=given, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert "\\u7528\\u6237" in done.stdout


def test_valid_settings_are_shown_without_the_token_and_warned_about(tmp_path: Path) -> None:
    given = {
        "OWNER_USER_ID": "用户-1",
        "MAX_BYTES": "512",
        "RECALL_TIMEOUT_SECONDS": "5",
        "REMEMBER_TIMEOUT_SECONDS": "30",
    }
    status, found = examined(tmp_path, **{PREFIX + name: value for name, value in given.items()})
    assert status == 1
    shown = found["settings_ok"]["detail"]
    for part in ("OWNER_USER_ID=用户-1", f"SCOPE_ID={SCOPE_ID}", "MAX_BYTES=512"):
        assert part in shown
    for code in ("budget_too_small_to_be_useful", "recall_over_host_cap", "remember_over_host_cap"):
        assert found[code]["level"] == "warning"
    assert found["connect_failed"]["level"] == "fault"


# --- its output and its end


# What is said, and the status that it has.
SAID = {
    "doctor": 1,
    "doctor --json": 1,
    "config": 0,
    "config --check absent.yaml": 1,
    "--version": 0,
    "--help": 0,
    "nurse": 2,
}


@pytest.mark.parametrize("arguments", SAID)
def test_whoever_closes_the_output_gets_the_status_in_silence(arguments: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        done = subprocess.run(
            [*COMMAND, *arguments.split()],
            env=environment(),
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == SAID[arguments]
    assert done.stderr == "" or arguments == "nurse"
    for redirection in (">&-", ">&- 2>&-", "<&- >&- 2>&-"):
        status, out, complained = shell(arguments, redirection)
        assert (status, out) == (SAID[arguments], ""), redirection
        assert complained == "" or arguments == "nurse"


@pytest.mark.parametrize("arguments", [one for one in SAID if one != "nurse"])
def test_what_could_not_be_written_is_no_verdict(arguments: str) -> None:
    assert shell(arguments, "> /dev/full") == (3, "", COMPLAINT)
    assert shell(arguments, "> /dev/full 2>&1") == (3, "", "")


def test_complaints_that_nobody_hears_change_no_status() -> None:
    for redirection in ("2> /dev/full", "2>&-", "> /dev/full 2>&1"):
        assert shell("nurse", redirection)[0] == 2, redirection
    assert shell("config", "2>&-")[0] == 0
    assert shell("--version", "2> /dev/full") == (0, f"{VERSION}\n", "")


LONG = [
    sys.executable,
    "-c",
    "import sys; from powercontext_deerflow.doctor import command as cli\n"
    "cli.BLOCKS = 'line of words\\n' * 100_000; sys.exit(cli.main(['config']))",
]


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_leaves_in_the_middle(unbuffered: str) -> None:
    """More is said than a pipe holds, and only the first line of it is read."""
    running = subprocess.Popen(
        LONG,
        env=environment(PYTHONUNBUFFERED=unbuffered),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "line of words\n"
    running.stdout.close()
    assert running.stderr is not None
    assert (running.stderr.read(), running.wait(30)) == ("", 0)
    running.stderr.close()


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_output_that_breaks_off_in_the_middle(tmp_path: Path, unbuffered: str) -> None:
    words = f"ulimit -f 1; {shlex.join(LONG)} > {shlex.quote(str(tmp_path / 'out'))}"
    done = subprocess.run(
        ["bash", "-c", words],
        env=environment(PYTHONUNBUFFERED=unbuffered),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (3, COMPLAINT)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16", "cp1252:strict"])
def test_an_output_of_another_encoding(encoding: str) -> None:
    more = {"PYTHONIOENCODING": encoding, PREFIX + "OWNER_USER_ID": "用户"}
    done = subprocess.run(
        [*COMMAND, "doctor"],
        env=environment(NOWHERE, **more),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    said = done.stdout.decode(encoding.partition(":")[0])
    assert ("用户" in said) == (encoding == "utf-16")
    assert "doctor: 1 fault" in said


def test_an_interrupt_ends_it_without_a_word() -> None:
    with HostileServer(hostile.silent()) as server:
        running = subprocess.Popen(
            [*INTERRUPTIBLE, "doctor"],
            env=environment(server.base_url, **{PREFIX + "RECALL_TIMEOUT_SECONDS": "600"}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        server.wait_for_request(SERVER_INFO)
        running.send_signal(signal.SIGINT)
        out, complained = running.communicate(timeout=30)
    assert (running.returncode, out, complained) == (130, "", "")


def test_without_pyyaml_one_clear_line(tmp_path: Path) -> None:
    for number, broken in enumerate(("raise ImportError", "SafeLoader = None", "raise OSError(5)")):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "yaml.py").write_text(broken)
        done = subprocess.run(
            [*COMMAND, "config", "--check", "config.yaml"],
            env=environment("", folder),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr.count("\n") == 1
        assert "PyYAML" in done.stderr or number


# --- what is installed around it


def _file(name: str, content: bytes) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)

    return make


def _folder(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).mkdir(parents=True)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (_folder(".dist-info"), ".dist-info"),
        (_folder(".egg-info"), ".egg-info"),
        (_file("x-1.dist-info/entry_points.txt", b"[deerflow.extensions]\nno\n"), "x-1.dist-info"),
        (_file("x-1.dist-info/entry_points.txt", b"\xff\xfe\n"), "x-1.dist-info"),
        (_folder("httpx-9.9.dist-info"), "httpx"),
        (_file("httpx-9.9.dist-info/METADATA", b"\xff\xfe\n"), "httpx"),
        (_file("h11-9.9.dist-info/METADATA", b"Version: \x1b[31m\n"), "h11"),
        (_folder("msgspec-1.dist-info/METADATA"), "msgspec"),
    ],
)
def test_malformed_metadata_is_a_finding(
    tmp_path: Path, make: Callable[[Path], None], named: str
) -> None:
    breaks_in_every_python = named in ("httpx", "h11", "msgspec")
    make(tmp_path)
    with HostileServer(hostile.by_path(ROUTES)) as server:
        status, found = examined(tmp_path, server.base_url)
    faults = {code for code, one in found.items() if one["level"] == "fault"}
    # pydantic reads everybody's entry points, too, and then the host itself cannot be imported.
    assert faults <= {"host_not_importable"}
    assert status == bool(faults)
    assert "None" not in found.get("packages_ok", {}).get("detail", "")
    assert {"entry_point_ok", "scope_ok"} <= found.keys()
    if breaks_in_every_python or "metadata_malformed" in found:
        assert found["metadata_malformed"]["level"] == "warning"
        assert named in found["metadata_malformed"]["detail"]


def test_what_is_left_of_a_package_is_not_the_package(tmp_path: Path) -> None:
    """Only the doctor's own part that needs no other package is left to say so."""
    for number, (broken, kind) in enumerate(
        (
            ("raise ModuleNotFoundError(name='h11')", "ModuleNotFoundError"),
            ("raise SystemExit(7)", "SystemExit"),
            ("", "AttributeError"),
            (f"raise ValueError('{TOKEN}')", "ValueError"),
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "h11.py").write_text(broken)
        status, found = examined(folder)
        assert status == 1
        assert found["package_unusable"]["detail"].endswith(f"({kind})")
        assert {"python_ok", "entry_point_ok"} <= found.keys()


def test_a_host_that_ends_the_process_when_imported(tmp_path: Path) -> None:
    (tmp_path / "deerflow_extension_api.py").write_text("import sys; sys.exit(0)")
    status, found = examined(tmp_path)
    assert status == 1
    assert "SystemExit" in found["host_not_importable"]["detail"]


# --- what the system refuses

DOCTOR_WITH = """
import json, os, resource, sys
from powercontext_deerflow.doctor import command as cli
from powercontext_deerflow.doctor import checks as doctor
from powercontext_deerflow.doctor import findings
from powercontext_deerflow.transport import tls
import certifi, dataclasses, encodings.idna, threading
import deerflow.agents.memory.manager, deerflow.extensions.registry, powercontext_deerflow.memory
refused, free = sys.argv[1], int(sys.argv[2])
if refused == "descriptor":
    held = []
    limit = os.dup(1); os.close(limit)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit + free, limit + free))
else:
    threading.stack_size(64 << 20)
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (free << 20), used + (free << 20)))
sys.exit(cli.main(["doctor", "--json"]))
"""


def refused(what: str, free: int, base_url: str) -> tuple[int, list[dict[str, str]]]:
    done = subprocess.run(
        [sys.executable, "-c", DOCTOR_WITH, what, str(free)],
        env=environment(base_url),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    found: list[dict[str, str]] = json.loads(done.stdout)["findings"]
    return done.returncode, found


def test_no_descriptor_is_a_finding_of_its_stage() -> None:
    with HostileServer(hostile.by_path(ROUTES)) as server:
        for base_url, free, stage in (
            (server.base_url, 0, "tcp"),
            (server.base_url.replace("127.0.0.1", "localhost"), 0, "dns"),
            (server.base_url, 1, "search"),  # a second connection, for what only a doctor asks
        ):
            status, found = refused("descriptor", free, base_url)
            assert status == 1
            assert (found[-1]["check"], found[-1]["code"]) == (stage, "no_descriptor"), free


def test_no_thread_is_a_finding_of_the_stage_that_needs_one() -> None:
    with HostileServer(hostile.by_path(ROUTES)) as server:
        by_name = server.base_url.replace("127.0.0.1", "localhost")
        status, found = refused("thread", 16, by_name)
    assert status == 1
    assert (found[-1]["check"], found[-1]["code"]) == ("dns", "no_thread")
