# SPDX-License-Identifier: Apache-2.0
"""Private names of the package and of Python are used in unit tests only; other tests observe from outside."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
SUITES = ("loopback", "project", "real", "support")
OWN = {"self", "cls", "super()"}
PUBLIC = {"os._exit"}
"""Documented, in spite of its name."""
BY_STRING = ("getattr", "setattr", "hasattr", "delattr", "patch.object")


def private_names(source: str) -> Iterator[str]:
    """Each private attribute of something else, also if it is named by a string, and each private name that is
    imported, also in embedded scripts.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and _is_private(node.attr):
            if ast.unparse(node.value) not in OWN and ast.unparse(node) not in PUBLIC:
                yield ast.unparse(node)
        elif isinstance(node, ast.ImportFrom):
            yield from (one.name for one in node.names if _is_private(one.name))
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(BY_STRING):
            yield from (name for name in map(_text, node.args[1:2]) if _is_private(name))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" in node.value:
            try:
                yield from private_names(node.value)
            except (SyntaxError, ValueError):
                continue


def _text(node: ast.AST) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@pytest.mark.parametrize("suite", SUITES)
def test_no_private_names(suite: str) -> None:
    found = {
        str(path.relative_to(TESTS)): names
        for path in sorted((TESTS / suite).rglob("*.py"))
        if path != Path(__file__) and (names := set(private_names(path.read_text())))
    }
    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        *("client._engine.pool", "from a import _b", "SCRIPT = '''\nassert x._y\n'''"),
        *('monkeypatch.setattr(a, "_b", c)', 'getattr(a, "_b")'),
    ],
)
def test_a_private_name_is_seen(source: str) -> None:
    assert list(private_names(source))
