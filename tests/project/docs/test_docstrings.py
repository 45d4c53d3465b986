# SPDX-License-Identifier: Apache-2.0
"""Every example in a docstring of the package is run against a server on loopback, and type-checked."""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.loopback.hostile.world import TurningServer, healthy
from tests.project.docs.pages import ROOT

PACKAGE = ROOT / "powercontext_deerflow"
SAYS = {
    "__init__.py": "scp_example|What does the order service use for money?\n",
}
"""Of each module with examples, what they print. The server answers with the Scope and the query."""
NO_CODE = {"PowerContextError\n├── ConfigurationError"}
"""How blocks begin that are indented and no example: the tree of errors."""


class Example(NamedTuple):
    module: str
    code: str


def examples(source: str) -> Iterator[str]:
    """The blocks of code in every text that stands alone in a module: docstrings, and those below attributes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            text = node.value.value
            if isinstance(text, str):
                yield from _blocks(text, " " * node.col_offset)


def _blocks(text: str, indent: str) -> Iterator[str]:
    """What stands between fences, and what is indented after an empty line."""
    block: list[str] = []
    first, *others = text.split("\n")
    fenced, after_empty = False, not first.strip()
    for line in [*(line.removeprefix(indent) for line in others), "end"]:
        fence = line.startswith("```")
        indented = line[:1].isspace() and (bool(block) or after_empty)
        assert not line.lstrip().startswith(">>>"), "write an example as an indented block"
        if not fence and (fenced or indented or (block and not line.strip())):
            block.append(line)
        elif block:
            yield textwrap.dedent("\n".join(block)).strip() + "\n"
            block = []
        fenced ^= fence
        after_empty = not line.strip()


FOUND = [
    Example(path.relative_to(PACKAGE).as_posix(), code)
    for path in sorted(PACKAGE.rglob("*.py"))
    for code in examples(path.read_text())
    if not code.startswith(tuple(NO_CODE))
]


@pytest.mark.parametrize("module", SAYS)
def test_the_examples_of_a_module_run(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    with TurningServer(healthy) as server:
        for example in FOUND:
            if example.module == module:
                exec(compile(_bound(example.code, server.base_url), module, "exec"), {})
        assert server.requests, "an example that asks nothing shows nothing"
    assert capsys.readouterr().out == SAYS[module]


def test_no_other_module_has_an_example_that_is_not_run() -> None:
    assert {example.module for example in FOUND} == set(SAYS)


def test_the_examples_type_check(tmp_path: Path) -> None:
    for number, example in enumerate(FOUND):
        (tmp_path / f"example_{number}.py").write_text(example.code)
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini"]
    checked = subprocess.run(
        [*command, *map(str, tmp_path.iterdir())],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize(
    ("docstring", "found"),
    [
        ("One line.", []),
        ("Prose.\n\nMore prose, `code` in it.", []),
        ("Prose.\n\n    a = 1\n\n    b = 2\n\nMore.", ["a = 1\n\nb = 2\n"]),
        ("Prose::\n\n    a = 1", ["a = 1\n"]),
        ("Prose.\n\n```python\na = 1\n```\n", ["a = 1\n"]),
        ("Prose.\n\n```\na = 1\n```\n\n  b = 2", ["a = 1\n", "b = 2\n"]),
        ("\n    a = 1\n", ["a = 1\n"]),
        ("    a = 1\n\nProse.", []),  # its first line is not indented, whatever stands there
    ],
)
@pytest.mark.parametrize(
    "place",
    ['"""{}"""', 'class A:\n    """{}"""', 'A = 1\n"""{}"""', 'async def a():\n    """{}"""'],
)
def test_an_example_is_found_wherever_it_stands(
    place: str, docstring: str, found: list[str]
) -> None:
    indent = "    " if "    " in place else ""
    text = docstring.replace("\n", f"\n{indent}")
    assert list(examples(place.format(text))) == found


def test_a_prompt_is_refused() -> None:
    with pytest.raises(AssertionError, match="indented block"):
        list(examples('"""Prose.\n\n>>> a = 1\n"""'))


def _bound(code: str, base_url: str) -> str:
    for placeholder, real in (("https://...", base_url), ("scp_...", "scp_example")):
        assert code.count(placeholder) == 1
        code = code.replace(placeholder, real)
    return code
