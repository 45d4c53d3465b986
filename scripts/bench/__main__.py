# SPDX-License-Identifier: Apache-2.0
"""`make bench`: everyone side by side in one run, into docs/en/benchmarks.md; `make bench-quick`: the bounds only.

Exits with 1 if a bound that must hold was missed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from scripts.bench import faults, fresh, growth, speed
from scripts.bench.page import chart, markdown, page, versions
from scripts.bench.rows import HEADS, missed, verdict_rows, verdicts
from scripts.bench.run import Run
from scripts.bench.stub import SIZES, running_stub

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "en" / "benchmarks.md"


def everything(run: Run) -> None:
    speed.one_by_one(run)
    speed.at_once(run)
    if not run.quick:
        speed.on_loops(run)
        speed.cold(run)
        speed.beside_a_busy_thread(run)
    fresh.fresh(run)
    faults.faults(run)
    growth.saves(run)
    if not run.quick:
        speed.growing_answers(run, SIZES)
        speed.growing_callers(run)
        growth.growing_conversations(run)
        growth.growing_scope(run)  # last: it takes what is left of the time


def document(run: Run, seconds: float) -> dict[str, object]:
    """What ``--json`` prints: a field of ``rows`` for every bound."""
    return {
        "format": "powercontext-deerflow.bench.1",
        "quick": run.quick,
        "seconds": round(seconds, 1),
        "versions": versions(),
        "rows": verdicts(run.measured),
        "must_missed": [row.key for row in missed(run.measured)],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the bounds only, under a minute")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    chosen = parser.parse_args(arguments)
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress, running_stub() as stub:
        run = Run(stub, chosen.quick, progress)
        everything(run)
    seconds = run.seconds
    if not run.quick:
        cores = os.cpu_count() or 1
        PAGE.write_text(page(run.measured, run.tables, cores, seconds))
        PAGE.with_suffix(".svg").write_text(chart(run.panels))
        console.print(f"Written: {PAGE.relative_to(ROOT)} and its chart.")
    if chosen.json:
        print(json.dumps(document(run, seconds), indent=2))
    else:
        print(markdown(HEADS, verdict_rows(run.measured)))
    for row in missed(run.measured):
        console.print(f"missed: {row.what}: must be {row.shown(row.must)}", markup=False)
    return 1 if missed(run.measured) else 0


if __name__ == "__main__":
    sys.exit(main())
