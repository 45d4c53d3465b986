# SPDX-License-Identifier: Apache-2.0
"""`make evidence`: run the acceptance and hostile suites and write what was measured to docs/en/evidence.md."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.acceptance.not_proven import NOT_PROVEN

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "en" / "evidence.md"
SUITES = ("tests/acceptance", "tests/hostile")
LIBRARIES = ("h11", "httpx", "msgspec", "certifi", "powercontext", "langchain-core", "pytest")


def measured() -> tuple[bool, dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "evidence.json"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "tests.evidence",
            f"--evidence={found}",
            *SUITES,
        ]
        passed = subprocess.run(command, cwd=ROOT, check=False).returncode == 0
        return passed, json.loads(found.read_text())


def page(evidence: dict[str, Any]) -> str:
    figures, tests = evidence["figures"], evidence["tests"]
    rows = [
        (
            "acceptance tests passed (the RFC's matrix, section 8)",
            tests.get("acceptance passed", 0),
        ),
        ("hostile tests passed (faults tried and survived)", tests.get("hostile passed", 0)),
        ("tests failed", sum(count for name, count in tests.items() if name.endswith("failed"))),
        ("requests counted by our recording servers and proxies", figures["requests_counted"]),
        ("SDK calls timed against their deadline", figures["sdk_calls"]),
        ("worst end of a call after its deadline", f"{max(0.0, evidence['overshoot_ms']):.0f} ms"),
        ("answers compared with the Scope and query asked", figures["answers_compared"]),
        ("of them foreign", figures.get("foreign_answers", 0)),
        (
            "saves reported as saved and found on the real server afterwards",
            figures["saves_read_back"],
        ),
        ("memories lost", figures.get("memories_lost", 0)),
        ("duplicates made", figures.get("duplicates_made", 0)),
    ]
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    table = "\n".join(f"| {what} | {value} |" for what, value in rows)
    unproven = "\n".join(f"- **{one.row}** – {one.reason}" for one in NOT_PROVEN)
    return f"""# Evidence

Written by `make evidence` from the test run itself; not edited by hand.

| what | measured |
|---|---|
{table}

Real servers: PowerContext 1.4.1 and 1.2.0, from PyPI, SQLite, enforced auth, on loopback. Python
{platform.python_version()}, {libraries}. The DeerFlow host is stood in for by `tests/host`.

## Not proven here

{unproven}
"""


def main() -> int:
    passed, evidence = measured()
    PAGE.write_text(page(evidence))
    print(PAGE.read_text())
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
