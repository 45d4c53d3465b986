# SPDX-License-Identifier: Apache-2.0
"""`make evidence`: run the acceptance and hostile suites and write what they tried and saw to docs/en/evidence.md.

With paths of tests, run only those, and show the page instead of writing it.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.loopback.acceptance.not_proven import NOT_PROVEN
from tests.support.known_limits import KNOWN_LIMITS

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "en" / "evidence.md"
SUITES = (
    "tests/loopback/acceptance",
    "tests/loopback/hostile",
    "tests/real/live/test_equal_saves.py",
)
LIBRARIES = ("h11", "httpx", "msgspec", "certifi", "powercontext", "langchain-core", "pytest")
SLACK_MS = 250
"""How late a call may end in the suites; the page gives the worst one."""
Counts = Mapping[str, Mapping[str, int]]


def measured(tests: Sequence[str]) -> tuple[bool, dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "evidence.json"
        plugin = ("-p", "tests.support.evidence", f"--evidence={found}")
        command = [sys.executable, "-m", "pytest", *plugin, *tests]
        passed = subprocess.run(command, cwd=ROOT, check=False).returncode == 0
        return passed, json.loads(found.read_text())


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def crossed(what: str, counts: Counts) -> str:
    """Each row of ``counts`` by the columns that occur in any."""
    columns = sorted({column for row in counts.values() for column in row})
    rows = ([row, *(counts[row].get(column, "–") for column in columns)] for row in sorted(counts))
    return table([what, *columns], rows)


def turned(counts: Counts) -> dict[str, dict[str, int]]:
    columns = {column for row in counts.values() for column in row}
    return {
        column: {row: counts[row][column] for row in counts if column in counts[row]}
        for column in columns
    }


def claims(evidence: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Each claim, what was tried for it, and what was seen against it."""
    figures, sent = Counter[str](evidence["figures"]), evidence["sent"]
    timed = sum(sum(outcomes.values()) for outcomes in evidence["outcomes"].values())
    times = [
        int(times) for outcome in sent.values() for times in outcome for _ in range(outcome[times])
    ]
    doubtful = sum(
        sum(sent[outcome].values())
        for outcome in sent
        if "Unknown" in outcome or "read_back" in outcome
    )
    repeated = {
        name.removeprefix("repeated "): count
        for name, count in sorted(figures.items())
        if name.startswith("repeated ")
    }
    texts = ", ".join(f"{count} {kind}" for kind, count in repeated.items())
    return [
        (
            "a call ends by its deadline",
            f"{timed} calls, timed, by the operations and outcomes below",
            f"the worst ended {max(0.0, evidence['overshoot_ms']):.0f} ms after it",
        ),
        (
            "an answer is the one to the Scope and the query that were asked",
            f"{figures['answers_compared']} answers that name both, many at once",
            f"{figures['foreign_answers']} of another one",
        ),
        (
            "a save is sent once",
            f"{len(times)} saves; {doubtful} of them sent without an answer that says how they ended",
            f"{sum(time > 1 for time in times)} sent more than once",
        ),
        (
            "each save by the tool is reported once",
            f"{figures['tool_saves']} calls of the tool in these processes, cancelled ones included",
            f"{figures['tool_reports'] - figures['tool_saves']:+d} reports",
        ),
        (
            "what is called saved is there",
            f"{figures['saves_read_back']} saves looked up on the real server afterwards",
            f"{figures['memories_lost']} not there",
        ),
        (
            "what is saved again is still one memory",
            f"{sum(repeated.values())} texts saved again {figures['repetitions']} times"
            f" on the real server ({texts or 'none'})",
            f"{figures['duplicates_made']} memories too many",
        ),
    ]


def page(evidence: dict[str, Any]) -> str:
    tests = evidence["tests"]
    failed = sum(count for name, count in tests.items() if name.endswith("failed"))
    passed = ", ".join(
        f"{count} {name.removesuffix(' passed')}"
        for name, count in sorted(tests.items())
        if name.endswith("passed")
    )
    requests = ", ".join(f"{count} {name}" for name, count in sorted(evidence["requests"].items()))
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    sent = {
        outcome: {f"begun to send {times}×": count for times, count in by_times.items()}
        for outcome, by_times in evidence["sent"].items()
    }
    unproven = "\n".join(f"- **{one.row}** – {one.reason}" for one in NOT_PROVEN)
    return f"""# Evidence

Written by `make evidence` from the test run itself; not edited by hand.

A figure of nought says only that nothing was seen in what was tried. So each claim stands beside what was tried for it,
and what is known to be beyond it stands below.

{table(["claim", "tried", "seen"], claims(evidence))}

Tests passed: {passed}; failed: {failed}. Requests counted by our recording servers and proxies: {requests}.
Real servers: PowerContext 1.4.1 and 1.2.0, from PyPI, SQLite, enforced auth, on loopback. Python
{platform.python_version()}, {libraries}. The DeerFlow host is stood in for by `tests/host`.

## Known to be beyond

{table(["claim", "does not hold if", "shown by, or why"], KNOWN_LIMITS)}

## What was tried

Situations, each a test that passed, by the call that it makes; a test of the host, of the settings or of more than one
call is *other*.

{crossed("what about", evidence["situations"])}

What the timed calls came to:

{crossed("outcome", turned(evidence["outcomes"]))}

What all saves came to, those by the tool included, and how often its sending was begun:

{crossed("outcome", sent)}

## Not proven here

{unproven}
"""


def main(tests: Sequence[str]) -> int:
    passed, evidence = measured(tests or SUITES)
    written = page(evidence)
    print(written)
    if not tests:
        PAGE.write_text(written)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
