# SPDX-License-Identifier: Apache-2.0
"""The command ``powercontext-deerflow``. Exit status: 0 healthy, 1 faults, 2 bad usage."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from powercontext_deerflow.version import VERSION

if TYPE_CHECKING:
    from powercontext_deerflow.findings import Finding

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
# Supply POWERCONTEXT_DEERFLOW_TOKEN through the deployment's secret mechanism.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; argparse exits with 2 by itself."""
    chosen = _parser().parse_args(arguments)
    if chosen.command == "doctor":
        return _doctor(as_json=chosen.json, probe_writing=chosen.write_probe)
    if chosen.check is None:
        _say(BLOCKS.splitlines())
        return 0
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
        "--write-probe", action="store_true", help="also save, find and retire one memory"
    )
    config = commands.add_parser("config", help="print what to configure, or check a config.yaml")
    config.add_argument("--check", metavar="PATH", help="report on this config.yaml; never changed")
    return parser


def _doctor(*, as_json: bool, probe_writing: bool) -> int:
    from powercontext_deerflow.doctor import examine

    findings = examine(probe_writing=probe_writing)
    faults = sum(finding.level == "fault" for finding in findings)
    if as_json:
        import json
        from dataclasses import asdict

        document = {"healthy": not faults, "findings": [asdict(one) for one in findings]}
        _say([json.dumps(document, indent=2)])
    else:
        _say(_table(findings))
        _say(["doctor: " + (f"{faults} fault{'s' * (faults > 1)}" if faults else "healthy")])
    return 1 if faults else 0


def _table(findings: Iterable[Finding]) -> Iterable[str]:
    for one in findings:
        yield f"{one.level:<8} {one.code:<24} {one.detail}"
        if one.next_step:
            yield f"{'':8} -> {one.next_step}"


def _check(path: str) -> int:
    try:
        from powercontext_deerflow.config_check import SENTENCES, check
    except ModuleNotFoundError:
        sys.stderr.write("config --check needs PyYAML, which every DeerFlow has: run it there\n")
        return 1
    reports = check(path)
    _say(f"{path}:{report.line}: {report.code}: {SENTENCES[report.code]}" for report in reports)
    if not reports:
        _say([f"{path}: nothing to report"])
    return 1 if reports else 0


def _say(lines: Iterable[str]) -> None:
    encoding = sys.stdout.encoding or "ascii"
    for line in lines:
        sys.stdout.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
