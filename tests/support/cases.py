# SPDX-License-Identifier: Apache-2.0
"""Many cases in one test: ``@each_case`` is written as ``@pytest.mark.parametrize`` is.

A parameter makes a test of its own, which costs pytest about a millisecond and the reader a line. Near-equal cases by
the hundred are one test instead: all of them are tried, and what failed is raised together, each with its case.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Collection, Iterable
from typing import Any

import pytest

LONGEST = 100
"""Characters of a value that names its case."""
Test = Callable[..., None]


def each_case(
    names: str | tuple[str, ...], cases: Collection[Any], ids: Iterable[str] = ()
) -> Callable[[Test], Test]:
    """Call the test with each of ``cases``; fixtures are the same for all of them.

    ``names`` are the arguments that a case gives: with a tuple each case is one, or a ``pytest.param`` with an id.
    """
    assert cases, "no case, no test"
    arguments = (names,) if isinstance(names, str) else names

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def tried(**fixtures: Any) -> None:
            failed: list[BaseException] = []
            for case, given_id in itertools.zip_longest(cases, ids):
                values = _values(case, isinstance(names, str))
                try:
                    test(**fixtures, **dict(zip(arguments, values, strict=True)))
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - raised below
                    error.add_note(f"case: {given_id or _name(case)}")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(cases)} cases", failed)

        parameters = inspect.signature(test).parameters
        left = [one for name, one in parameters.items() if name not in arguments]
        tried.__signature__ = inspect.Signature(left)  # type: ignore[attr-defined]
        return tried

    return decorate


def _values(case: Any, single: bool) -> tuple[Any, ...]:
    if hasattr(case, "marks"):  # of pytest.param
        return tuple(case.values)
    return (case,) if single else tuple(case)


def _name(case: Any) -> str:
    return str(getattr(case, "id", None) or ascii(case)[:LONGEST])
