# SPDX-License-Identifier: Apache-2.0
"""What the import contracts in pyproject.toml cannot say: the environment, parsing, sizes, licences, first imports."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "powercontext_deerflow"


def modules() -> dict[str, Path]:
    return {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(PACKAGE.rglob("*.py"))
    }


@pytest.mark.parametrize(
    ("word", "rooms"),
    [("environ", {"settings"}), ("getenv", set()), ("from_dict", set()), ("parsed", set())],
)
def test_environment_and_generated_parsing_stay_where_they_belong(
    word: str, rooms: set[str]
) -> None:
    users = {
        name
        for name, path in modules().items()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr == word
    }
    assert users == rooms


@pytest.mark.parametrize("name", list(modules()))
def test_a_room_can_be_read_in_one_sitting(name: str) -> None:
    source = modules()[name].read_text()
    assert len(source.splitlines()) <= 280
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno <= 45, f"{name}.{node.name} is too long"


def test_code_cites_only_what_a_reader_of_this_repository_has() -> None:
    elsewhere = re.compile(
        r"\bfacts?[:/]\s?[a-z0-9-]+[ ./]|\(facts:|\bDESIGN\b|\b[Ii]ssue #?[0-9]|\bRFC [0-9]"
    )
    tracked = subprocess.run(
        ["git", "ls-files", "*.py", "Makefile", ".ci"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    citing = [
        f"{file}:{number}"
        for file in tracked
        if not file.startswith("generated/") and file != "tests/project/test_architecture.py"
        for number, line in enumerate((ROOT / file).read_text().splitlines(), 1)
        if elsewhere.search(line)
    ]
    assert citing == []


def test_hand_written_files_name_their_licence() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert tracked
    for file in tracked:
        if not file.startswith("generated/"):
            assert (ROOT / file).read_text().startswith("# SPDX-License-Identifier: Apache-2.0"), (
                file
            )


def test_importing_the_package_imports_no_dependency() -> None:
    """The SDK, without DeerFlow: nothing heavy before first use, and no host package at all."""
    script = (
        "import sys; before = set(sys.modules); import powercontext_deerflow;"
        "heavy = {'httpx','h11','msgspec','ssl','asyncio','attrs','pydantic','deerflow'} & (set(sys.modules) - before);"
        "assert not heavy, heavy;"
        "powercontext_deerflow.PowerContext, powercontext_deerflow.Settings;"
        "late = {'httpx','pydantic','deerflow','powercontext_openapi','attrs'} & (set(sys.modules) - before);"
        "assert not late, late"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)


def test_public_names_all_resolve() -> None:
    import powercontext_deerflow

    assert sorted(powercontext_deerflow.__all__) == powercontext_deerflow.__all__
    for name in powercontext_deerflow.__all__:
        assert getattr(powercontext_deerflow, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = powercontext_deerflow.nothing
