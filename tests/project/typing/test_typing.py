# SPDX-License-Identifier: Apache-2.0
"""The SDK is as typed as it says: two checkers agree on right and wrong use, and nothing public is ``Any``."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest

import powercontext_deerflow as package
from powercontext_deerflow import PowerContext
from scripts import reference

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CHECKERS = {
    "mypy": ["mypy", "--config-file", "mypy.ini", "tests/project/typing/right_use.py"],
    "basedpyright": ["basedpyright", "--project", "tests/project/typing/pyrightconfig.json"],
}
CHECKERS["mypy"].append("tests/project/typing/wrong_use.py")


@pytest.mark.parametrize("checker", CHECKERS)
def test_right_use_passes_and_each_marked_line_is_refused(checker: str) -> None:
    command = [sys.executable, "-m", *CHECKERS[checker]]
    if checker == "basedpyright":
        command += ["--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_wrong_use_is_marked_for_both_checkers() -> None:
    """On the same line, but in a ``match``, where one refuses the pattern and the other what is behind it."""
    lines = (HERE / "wrong_use.py").read_text().splitlines()
    marked = [
        sum(mark in line for line in lines) for mark in ("# type: ignore[", "# pyright: ignore[")
    ]
    assert marked[0] == marked[1] > 20


# --- no Any -------------------------------------------------------------------------------------------------------


def public_callables(cls: type) -> Iterator[tuple[str, Callable[..., object]]]:
    for name, member in inspect.getmembers_static(cls):
        if name.startswith("_") and name not in ("__init__", "__enter__", "__aenter__"):
            continue
        if isinstance(member, property):
            member = member.fget
        elif isinstance(member, cached_property):
            member = member.func
        elif isinstance(member, classmethod | staticmethod):
            member = member.__func__
        if inspect.isfunction(member) and member.__module__.startswith(package.__name__):
            yield name, member


def hints(owner: object) -> dict[str, object]:
    names = {"Client": object}  # the generated client is not ours to type; it is checked apart
    return get_type_hints(owner, localns=names, include_extras=False)


def any_in(hint: object, where: str, seen: set[object]) -> Iterator[str]:
    """Every place below ``where`` that is typed Any."""
    if hint is Any:
        yield where
    for part in get_args(hint) if get_origin(hint) is not None else ():
        yield from any_in(part, where, seen) if not isinstance(part, list) else ()
    if isinstance(hint, type) and hint.__module__.startswith(package.__name__) and hint not in seen:
        seen.add(hint)
        for name, inner in hints(hint).items():
            if not name.startswith("_"):
                yield from any_in(inner, f"{where} > {hint.__name__}.{name}", seen)
        for name, function in public_callables(hint):
            for argument, inner in hints(function).items():
                yield from any_in(inner, f"{where} > {hint.__name__}.{name}({argument})", seen)


@pytest.mark.parametrize("name", package.__all__)
def test_no_any_is_reachable_from_a_public_name(name: str) -> None:
    assert list(any_in(getattr(package, name), name, set())) == []


def test_the_walk_finds_any() -> None:
    class Deep:
        def method(self, argument: dict[str, list[Any] | None]) -> None: ...

    Deep.__module__ = Deep.method.__module__ = package.__name__
    assert list(any_in(Deep | None, "it", set())) == ["it > Deep.method(argument)"]


def test_every_parameter_and_result_of_the_client_is_annotated() -> None:
    for name, function in public_callables(PowerContext):
        signature = inspect.signature(function)
        parameters = list(signature.parameters.values())[1:]
        assert all(p.annotation is not p.empty for p in parameters), name
        assert signature.return_annotation is not signature.empty, name


OPERATIONS = """
    recall remember search list_memories get head history revise forget restore capture_source
    server_info check_scope close
"""


@pytest.mark.parametrize("name", OPERATIONS.split())
def test_each_operation_has_the_same_arguments_with_and_without_blocking(name: str) -> None:
    plain, asynchronous = getattr(PowerContext, name), getattr(PowerContext, "a" + name)
    one, other = inspect.signature(plain), inspect.signature(asynchronous)
    assert one.parameters == other.parameters
    if name == "list_memories":
        assert one.return_annotation == "Iterator[Memory]"
        assert other.return_annotation == "AsyncIterator[Memory]"
    else:
        assert inspect.iscoroutinefunction(asynchronous)
        assert one.return_annotation == other.return_annotation


# --- the reference ------------------------------------------------------------------------------------------------


def test_the_reference_is_what_make_docs_writes() -> None:
    assert reference.PAGE.read_text(encoding="utf-8") == reference.page(), "run `make docs`"


def test_the_reference_documents_exactly_the_public_names() -> None:
    documented = re.findall(r"^### (\w+)$", reference.page(), re.MULTILINE)
    assert sorted(documented) == package.__all__


def test_every_public_name_and_every_method_is_explained_with_its_source() -> None:
    sections = re.split(r"^(?=#{2,4} )", reference.page(), flags=re.MULTILINE)[1:]
    unexplained = []
    for section in sections:
        title, _, text = section.partition("\n")
        if title.startswith("## "):
            assert re.search(r"^Source: `powercontext_deerflow/[\w/]+\.py`$", text, re.MULTILINE)
        text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL).strip()
        if not text or text.startswith("|"):
            unexplained.append(title.strip("# "))
    assert unexplained == ["Secret.reveal"]
