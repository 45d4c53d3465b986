# SPDX-License-Identifier: Apache-2.0
"""`make mutants`: break the package on purpose, one small patch at a time; each must make a test fail."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from rich.console import Console

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("powercontext_deerflow", "generated", "openapi", "scripts", "tests", "pyproject.toml")
FAILED = 1  # pytest's exit status for failing tests, and for nothing else
HANGS = (
    240  # seconds; sound suites end in a third of it, a build that ignores its deadlines never does
)


def broken_copy(mutant: dict[str, Any], into: Path) -> None:
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, into / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, into / name)
    (into / ".venv").symlink_to(ROOT / ".venv")  # the servers' environments
    target = into / "powercontext_deerflow" / mutant["file"]
    text = target.read_text()
    for old, new in mutant["edits"]:
        if text.count(old) != 1:
            raise SystemExit(
                f"mutant {mutant['name']!r} no longer fits {mutant['file']}: bring its patch up to date"
            )
        text = text.replace(old, new)
    target.write_text(text)


def is_caught(mutant: dict[str, Any]) -> bool:
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        broken_copy(mutant, Path(folder))
        options = ("-x", "-q", "-p", "no:cacheprovider")
        command = [sys.executable, "-m", "pytest", *options, *mutant["tests"]]
        try:
            ended = subprocess.run(
                command, cwd=folder, capture_output=True, check=False, timeout=HANGS
            )
        except subprocess.TimeoutExpired:
            return True
        return ended.returncode == FAILED


def main() -> int:
    console = Console()
    mutants = tomllib.loads((ROOT / "tests" / "mutants" / "mutants.toml").read_text())["mutant"]
    survivors = []
    for mutant in mutants:
        with console.status(f"{mutant['name']} ..."):
            caught = is_caught(mutant)
        console.print(f"{'caught  ' if caught else 'SURVIVED'}  {mutant['name']}")
        survivors += [] if caught else [mutant["name"]]
    console.print(f"{len(mutants) - len(survivors)} passed, {len(survivors)} failed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
