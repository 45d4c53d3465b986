# SPDX-License-Identifier: Apache-2.0
"""The command ``powercontext-deerflow``.

Exit status: 0 healthy, 1 faults, 2 bad usage, 3 no verdict (the command broke, or what it had to say could not be
written), 130 interrupted. Whoever closes its output, before or while it is written, gets the status all the same.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout, suppress
from typing import TYPE_CHECKING, Final, TextIO

from powercontext_deerflow.version import VERSION

if TYPE_CHECKING:
    from powercontext_deerflow.doctor.findings import Finding

BLOCKS: Final = """\
# config.yaml: merge this into it, keep the other plugins, and restart the Gateway.
memory:
  enabled: true
  mode: middleware
  injection_enabled: true
  manager_class: powercontext_deerflow.memory:PowerContextMemoryManager
  backend_config: {}

plugins:
  - use: powercontext_deerflow:install
    enabled: true
    config: {}

# Environment of the Gateway process or container: the only place of the binding.
POWERCONTEXT_DEERFLOW_BASE_URL=https://powercontext.example.com
POWERCONTEXT_DEERFLOW_OWNER_USER_ID=<actual-authenticated-user-id>
POWERCONTEXT_DEERFLOW_SCOPE_ID=<existing-authorized-scope>
POWERCONTEXT_DEERFLOW_MAX_BYTES=8000
POWERCONTEXT_DEERFLOW_RECALL_TIMEOUT_SECONDS=2.0
POWERCONTEXT_DEERFLOW_REMEMBER_TIMEOUT_SECONDS=5.0
# POWERCONTEXT_DEERFLOW_CA_FILE=<PEM file of a private certificate authority>
# POWERCONTEXT_DEERFLOW_RECALL_FOCUS=off
# POWERCONTEXT_DEERFLOW_TOOLS=remember,find,correct,forget
# Supply POWERCONTEXT_DEERFLOW_TOKEN through the deployment's secret mechanism.
"""


NO_VERDICT: Final = 3
_INTERRUPTED: Final = 130  # as a shell says it of a process that SIGINT ended
Said = tuple[int, list[str]]
"""Exit status, and lines for the output."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit status. Never raises."""
    _open_what_is_closed()
    status = NO_VERDICT
    try:
        status, lines = _carried_out(arguments)
        if not _written(sys.stdout, lines):
            status = NO_VERDICT
            _complain("the output could not be written")
    except KeyboardInterrupt:
        status = _INTERRUPTED
    except Exception as error:  # noqa: BLE001 - its type is all that is said: a text may hold anything
        _complain(f"no verdict: {type(error).__name__}")
    # What is left in them would be tried again at exit, and fail aloud.
    for stream in (sys.stdout, sys.stderr):
        _written(stream, [])
    return status


def _carried_out(arguments: Sequence[str] | None) -> Said:
    said = io.StringIO()
    try:
        with redirect_stdout(said):
            chosen = _parser().parse_args(arguments)
    except SystemExit as ended:
        # argparse has said it: help, version, or what is wrong with the arguments.
        return int(ended.code or 0), said.getvalue().splitlines()
    if chosen.command == "doctor":
        return _doctor(as_json=chosen.json, probe_writing=chosen.write_probe)
    if chosen.check is None:
        return 0, BLOCKS.splitlines()
    return _check(chosen.check)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="powercontext-deerflow", description="PowerContext memory for DeerFlow."
    )
    parser.add_argument("--version", action="version", version=VERSION)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    doctor = commands.add_parser(
        "doctor", help="see whether it works, and if not, why (run it as the Gateway runs)"
    )
    doctor.add_argument("--json", action="store_true", help="one JSON document")
    doctor.add_argument(
        "--write-probe",
        action="store_true",
        help="also save, find, correct and forget one memory",
    )
    config = commands.add_parser("config", help="print what to configure, or check a config.yaml")
    config.add_argument("--check", metavar="PATH", help="report on this config.yaml; never changed")
    return parser


def _doctor(*, as_json: bool, probe_writing: bool) -> Said:
    findings = _examined(probe_writing)
    faults = sum(finding.level == "fault" for finding in findings)
    if as_json:
        import json
        from dataclasses import asdict

        document = {"healthy": not faults, "findings": [asdict(one) for one in findings]}
        lines = json.dumps(document, indent=2).splitlines()
    else:
        verdict = f"{faults} fault{'s' * (faults > 1)}" if faults else "healthy"
        lines = [*_table(findings), f"doctor: {verdict}"]
    return (1 if faults else 0), lines


def _examined(probe_writing: bool) -> list[Finding]:
    """By the doctor, or by the part of it that needs no other package if it cannot be imported."""
    try:
        from powercontext_deerflow.doctor import checks
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever a package raises that is absent, broken or not the one
        from powercontext_deerflow.doctor.findings import finding
        from powercontext_deerflow.doctor.host import process

        return [*process(), finding("packages", "package_unusable", type(error).__name__)]
    return checks.examine(probe_writing=probe_writing)


def _table(findings: list[Finding]) -> Iterator[str]:
    for one in findings:
        yield f"{one.level:<8} {one.code:<24} {one.detail}"
        if one.next_step:
            yield f"{'':8} -> {one.next_step}"


def _check(path: str) -> Said:
    try:
        from powercontext_deerflow.doctor.config_file import NOTES, SENTENCES, check
    except ImportError:
        _complain("config --check needs PyYAML, which every DeerFlow has: run it there")
        return NO_VERDICT, []
    reports = check(path)
    lines = [f"{path}:{one.line}: {one.code}: {SENTENCES[one.code]}" for one in reports]
    return int(any(one.code not in NOTES for one in reports)), lines or [
        f"{path}: nothing to report"
    ]


def _open_what_is_closed() -> None:
    """A closed standard stream is one that nobody wants; its number must not become a socket's."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        with suppress(OSError):
            try:
                os.fstat(number)
            except OSError:
                os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
            if getattr(sys, name) is None:
                setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115


def _complain(line: str) -> None:
    _written(sys.stderr, [f"powercontext-deerflow: {line}"])


def _written(stream: TextIO, lines: list[str]) -> bool:
    """Whether ``lines``, and what was said before, are where they should be, or nobody reads there any more."""
    try:
        stream.flush()
        if lines:
            _put(stream, "".join(f"{line}\n" for line in lines))
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())  # for what is still in its buffer
            os.close(nowhere)
        return isinstance(error, BrokenPipeError)
    return True


def _put(stream: TextIO, text: str) -> None:
    """All of it: an unbuffered stream takes what there is room for, and says no more than how much that was."""
    if not hasattr(stream, "buffer"):  # somebody's own stream, of text only
        stream.write(text)
        stream.flush()
        return
    rest = memoryview(text.encode(stream.encoding or "ascii", "backslashreplace"))
    while rest:
        taken = stream.buffer.write(rest)
        if not taken:
            raise BlockingIOError
        rest = rest[taken:]
    stream.flush()
