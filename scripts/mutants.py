# SPDX-License-Identifier: Apache-2.0
"""`make mutants`: break the package on purpose, one small patch at a time; the tests that each one names must all fail.

A patch is not caught if it hangs, unless it says that it does, and not if a test fails by a mistake of the patch itself
(a name that does not exist, an argument that is missing). The same tests must pass on the package as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

ROOT = Path(__file__).resolve().parent.parent
MUTANTS = "tests/project/mutants/mutants.toml"
COPIED = (
    *("powercontext_deerflow", "generated", "openapi", "scripts", "tests", "docs", "examples"),
    *("README.md", "Makefile", "mypy.ini", "pyproject.toml"),
)
RAN = (0, 1)  # pytest's exit status if all tests passed, and if some failed
SOUND_SECONDS = 600.0


@dataclass(frozen=True)
class Mutant:
    name: str
    file: str
    """Below powercontext_deerflow/."""
    edits: tuple[tuple[str, str], ...]
    """Each an old text, which must occur exactly once, and the new one."""
    tests: tuple[str, ...]
    """Node ids; each must fail, one with parameters in at least one of them."""
    hangs: bool = False
    """Whether not to end is what this one does."""
    seconds: float = 120.0
    """When it counts as hanging."""
    fails_with: str = ""
    """An error that would be the patch's own mistake, where it is the very fault that is brought back."""


class Misfit(Exception):
    """The package has changed where a mutant patches it."""


def load(root: Path) -> list[Mutant]:
    listed = tomllib.loads((root / MUTANTS).read_text())["mutant"]
    return [
        Mutant(**{**one, "edits": tuple(map(tuple, one["edits"])), "tests": tuple(one["tests"])})
        for one in listed
    ]


def patched(text: str, mutant: Mutant) -> str:
    for old, new in mutant.edits:
        if text.count(old) != 1:
            raise Misfit(f"no longer fits {mutant.file}: bring its patch up to date")
        text = text.replace(old, new)
    return text


def copy(root: Path, into: Path, mutant: Mutant | None) -> None:
    for source in (root / name for name in COPIED):
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, into / source.name, ignore=ignored)
        elif source.exists():
            shutil.copy(source, into / source.name)
    (into / ".venv").symlink_to(root / ".venv")  # the servers' environments
    if mutant is not None:
        target = into / "powercontext_deerflow" / mutant.file
        if not target.exists():
            raise Misfit(f"there is no {mutant.file} any more")
        target.write_text(patched(target.read_text(), mutant))


def verdicts(tree: Path, tests: Sequence[str], seconds: float) -> dict[str, Any] | None:
    """What tests/project/mutants/verdicts.py noted of each test; None if they did not end in time."""
    noted = tree / "verdicts.json"
    noted.write_text(json.dumps(tests))
    functions = dict.fromkeys(test.partition("[")[0] for test in tests)
    options = ("-q", "-p", "no:cacheprovider", "-p", "tests.project.mutants.verdicts")
    command = [sys.executable, "-m", "pytest", *options, f"--verdicts={noted}", *functions]
    process = subprocess.Popen(
        command,
        cwd=tree,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        _end(process)
    noted_now = json.loads(noted.read_text())
    return noted_now if status in RAN and isinstance(noted_now, dict) else {}


def _end(process: subprocess.Popen[bytes]) -> None:
    """With what it started: servers, children of its tests."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def survives(root: Path, mutant: Mutant) -> str | None:
    """Why the mutant is not caught; None if it is."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        try:
            copy(root, Path(folder), mutant)
        except Misfit as misfit:
            return str(misfit)
        found = verdicts(Path(folder), mutant.tests, mutant.seconds)
    if found is None:
        return None if mutant.hangs else f"hangs: no end within {mutant.seconds:.0f} s"
    for test in mutant.tests:
        verdict = found.get(test)
        if not verdict or not verdict["ran"]:
            return f"{test} did not run"
        if not verdict["failed"]:
            return f"{test} passes"
        if verdict["blunder"] not in (None, mutant.fails_with):
            return f"{verdict['failed']} fails by a {verdict['blunder']}, a mistake of the patch"
    return None


def unsound(root: Path, tests: Sequence[str]) -> dict[str, str]:
    """Which of these tests do not pass on the package as it is, and what is wrong with each."""
    with tempfile.TemporaryDirectory(prefix="sound-") as folder:
        copy(root, Path(folder), None)
        found = verdicts(Path(folder), tests, SOUND_SECONDS)
    if found is None:
        return dict.fromkeys(tests, f"no end within {SOUND_SECONDS:.0f} s")
    ran = {test: found.get(test) or {"ran": 0, "failed": None} for test in tests}
    return {
        test: f"{verdict['failed']} fails" if verdict["failed"] else f"{test} did not run"
        for test, verdict in ran.items()
        if verdict["failed"] or not verdict["ran"]
    }


def chosen(mutants: list[Mutant], names: Sequence[str]) -> list[Mutant]:
    unknown = set(names) - {mutant.name for mutant in mutants}
    if unknown:
        raise SystemExit(f"no mutant is called {', '.join(sorted(unknown))}")
    return [mutant for mutant in mutants if not names or mutant.name in names]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these mutants")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once (2)")
    given = parser.parse_args(arguments)
    console = Console(soft_wrap=True)
    mutants = chosen(load(ROOT), given.names)
    tests = list(dict.fromkeys(test for mutant in mutants for test in mutant.tests))

    def tried(mutant: Mutant) -> bool:
        started = time.monotonic()
        reason = survives(ROOT, mutant)
        said = f"SURVIVED  {mutant.name}: {reason}" if reason else f"caught    {mutant.name}"
        console.print(f"{said} ({time.monotonic() - started:.0f} s)", markup=False, highlight=False)
        return reason is None

    with ThreadPoolExecutor(given.jobs) as pool:
        as_it_is = pool.submit(unsound, ROOT, tests)
        caught = list(pool.map(tried, mutants))
    # Once more for those that measure time, without the mutants beside them.
    wrongs = as_it_is.result() and unsound(ROOT, list(as_it_is.result()))
    for wrong in wrongs.values():
        console.print(f"UNSOUND   without any patch: {wrong}", markup=False, highlight=False)
    failed = caught.count(False) + len(wrongs)
    console.print(f"{caught.count(True)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
