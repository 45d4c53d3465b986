# SPDX-License-Identifier: Apache-2.0
"""Many cases in one test: every case is tried, and each that fails is named."""

from __future__ import annotations

import inspect

import pytest

from tests.support.cases import each_case


def test_each_case_is_tried_and_each_that_fails_is_named() -> None:
    tried: list[int] = []

    @each_case(("number", "limit"), [(1, 1), pytest.param(2, 1, id="two"), (3, 1), (0, 1)])
    def within(number: int, limit: int) -> None:
        tried.append(number)
        assert number <= limit

    with pytest.raises(BaseExceptionGroup, match=r"^2 of 4 cases") as failed:
        within()
    assert tried == [1, 2, 3, 0]
    assert [error.__notes__ for error in failed.value.exceptions] == [
        ["case: two"],
        ["case: (3, 1)"],
    ]


def test_a_case_that_expects_an_error_in_vain_hides_no_other() -> None:
    @each_case("text", ["1", "x", None], ids=["one", "a word", "nothing"])
    def refused(text: str) -> None:
        with pytest.raises(ValueError, match="invalid"):
            int(text)

    with pytest.raises(BaseExceptionGroup) as failed:
        refused()
    first, second = failed.value.exceptions
    assert (first.__notes__, type(second)) == (["case: one"], TypeError)
    assert second.__notes__ == ["case: nothing"]


def test_what_is_no_case_is_a_fixture() -> None:
    @each_case("letter", "ab")
    @each_case("number", [1, 2])
    def both(letter: str, number: int, fixture: list[str]) -> None:
        fixture.append(f"{letter}{number}")

    seen: list[str] = []
    assert list(inspect.signature(both).parameters) == ["fixture"]
    both(fixture=seen)
    assert seen == ["a1", "a2", "b1", "b2"]


def test_no_case_is_no_test() -> None:
    with pytest.raises(AssertionError, match="no case"):
        each_case("number", [])
