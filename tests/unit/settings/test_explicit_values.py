# SPDX-License-Identifier: Apache-2.0
"""Settings made by hand pass the same checks, and stay as they are."""

from __future__ import annotations

import dataclasses
import sys

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from powercontext_deerflow.errors import ConfigurationError
from powercontext_deerflow.settings import PREFIX, Secret, Settings
from tests.support.bound import TOKEN
from tests.support.cases import each_case
from tests.support.cost import costs_less
from tests.support.said import everything_said
from tests.unit.settings.environment import ALL, CANARY, environ, explicit, only_problem, refused

# --- explicit values


def test_explicit_values_need_no_owner() -> None:
    settings = explicit()
    assert settings.owner_user_id is None
    assert settings.base_url == "https://memory.example.com"


def test_explicit_values_pass_the_same_checks() -> None:
    with pytest.raises(ConfigurationError) as raised:
        explicit(base_url=f"http://{CANARY}.com", owner_user_id="default", max_bytes=511)
    assert [problem.code for problem in raised.value.problems] == [
        "insecure_transport",
        "owner_is_fallback",
        "out_of_range",
    ]


@each_case(
    ("name", "value", "code"),
    [
        ("base_url", None, "not_a_string"),
        ("base_url", b"https://memory.example.com", "not_a_string"),
        ("scope_id", 7, "not_a_string"),
        ("token", None, "not_a_string"),
        ("token", TOKEN.encode(), "not_a_string"),
        ("token", Secret(f"Bearer {TOKEN}"), "token_with_scheme"),
        ("token", Secret(""), "blank"),
        ("owner_user_id", 7, "not_a_string"),
        ("max_bytes", 8000.0, "not_a_number"),
        ("max_bytes", True, "not_a_number"),
        ("max_bytes", None, "not_a_number"),
        ("max_bytes", 32769, "out_of_range"),
        ("recall_timeout_seconds", 0, "not_positive"),
        ("recall_timeout_seconds", -1.5, "not_positive"),
        ("recall_timeout_seconds", True, "not_a_number"),
        ("recall_timeout_seconds", None, "not_a_number"),
        ("remember_timeout_seconds", float("nan"), "not_positive"),
        ("remember_timeout_seconds", float("inf"), "not_positive"),
        ("remember_timeout_seconds", [5], "not_a_number"),
        ("ca_file", 7, "not_a_string"),
        ("recall_focus", 1, "not_on_or_off"),
        ("recall_focus", None, "not_on_or_off"),
        ("recall_focus", ["on"], "not_on_or_off"),
        ("tools", (), "tool_unknown"),
        ("tools", ("remember", 7), "tool_unknown"),
        ("tools", (["remember"],), "tool_unknown"),
        ("tools", ["remember"], "not_a_string"),
    ],
)
def test_explicit_values_that_are_refused(name: str, value: object, code: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        explicit(**{name: value})
    assert only_problem(raised.value, PREFIX + name.upper()) == code
    assert TOKEN not in everything_said(raised.value)


@pytest.mark.parametrize("name", ALL)
def test_no_value_costs_more_time_than_it_may_be_long(name: str) -> None:
    """Reading a million digits takes seconds where the interpreter's own limit is lifted."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        for unit in ("9", "a", " ", "\u3000", "\u0301\u0327", "/a", "."):
            given = environ(**{name.removeprefix(PREFIX): unit * (10**6 // len(unit))})
            assert costs_less(0.5, lambda: refused(given))  # noqa: B023 - called at once
            error = refused(given)
            known = ("too_long", "not_a_number", "not_on_or_off", "tool_unknown")
            assert only_problem(error, name) in known
    finally:
        sys.set_int_max_str_digits(limit)


def test_settings_are_frozen() -> None:
    settings = explicit()
    for field in dataclasses.fields(settings):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(settings, field.name, getattr(settings, field.name))
    with pytest.raises((AttributeError, TypeError)):
        settings.extra = 1  # type: ignore[attr-defined]


def test_a_changed_copy_is_checked_again() -> None:
    assert dataclasses.replace(explicit(), max_bytes=512).max_bytes == 512
    with pytest.raises(ConfigurationError):
        dataclasses.replace(explicit(), max_bytes=511)


# --- properties


@examples(deadline=None, max_examples=200)
@given(st.one_of(st.none(), st.integers(), st.floats(), st.text(), st.binary(), st.booleans()))
def test_any_value_for_any_field_gives_settings_or_a_configuration_error(value: object) -> None:
    for field in dataclasses.fields(Settings):
        try:
            explicit(**{field.name: value})
        except ConfigurationError as error:
            only_problem(error, PREFIX + field.name.upper())
