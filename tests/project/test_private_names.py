# SPDX-License-Identifier: Apache-2.0
"""Private names of the package and of Python are used in unit tests only; other tests observe from outside."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
SUITES = ("loopback/hostile", "loopback/acceptance", "real")
OWN = {"self", "cls", "super()"}
PUBLIC = {"os._exit"}
"""Documented, in spite of its name."""
KEPT = {
    # A connection over which no exchange has gone can be had by no public way.
    "loopback/hostile/world.py": {"client._engine", "engine.pool._keep", "engine._new_connection"},
}


def private_names(source: str) -> Iterator[str]:
    """Each private attribute of something else, and each private name that is imported, also in embedded scripts."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and _is_private(node.attr):
            if ast.unparse(node.value) not in OWN and ast.unparse(node) not in PUBLIC:
                yield ast.unparse(node)
        elif isinstance(node, ast.ImportFrom):
            yield from (one.name for one in node.names if _is_private(one.name))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" in node.value:
            try:
                yield from private_names(node.value)
            except (SyntaxError, ValueError):
                continue


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@pytest.mark.parametrize("suite", SUITES)
def test_no_private_names(suite: str) -> None:
    found = {
        file: names
        for path in sorted((TESTS / suite).rglob("*.py"))
        if (names := set(private_names(path.read_text())))
        for file in [str(path.relative_to(TESTS))]
    }
    assert found == {file: names for file, names in KEPT.items() if file.startswith(suite)}


@pytest.mark.parametrize(
    "source", ["client._engine.pool", "from a import _b", "SCRIPT = '''\nassert x._y\n'''"]
)
def test_a_private_name_is_seen(source: str) -> None:
    assert list(private_names(source))
