# SPDX-License-Identifier: Apache-2.0
"""Budget, deadlines and switches: what is no plain number or word is refused; what is unwise is warned about."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

import pytest

from powercontext_deerflow.errors import ConfigurationError
from powercontext_deerflow.settings import PREFIX, Settings
from tests.support.cases import each_case
from tests.support.said import everything_said
from tests.unit.settings.environment import CANARY, environ, explicit, only_problem, refused

# --- what is accepted


@each_case(("text", "number"), [("512", 512), ("32768", 32768), ("8000", 8000)])
def test_budgets(text: str, number: int) -> None:
    assert Settings.from_environment(environ(MAX_BYTES=text)).max_bytes == number


@each_case("text", ["0.001", "1", "1.5", "1e1", ".5"])
def test_timeouts(text: str) -> None:
    for name in ("RECALL_TIMEOUT_SECONDS", "REMEMBER_TIMEOUT_SECONDS"):
        settings = Settings.from_environment(environ(**{name: text}))
        assert getattr(settings, name.lower()) == float(text)


# --- what is refused


NO_BUDGET = {
    "out_of_range": ["511", "32769", "0", "-8000", "9" * 400, "-" + "9" * 400],
    "not_a_number": [
        *["9" * 5000, "8000.0", "8e3", "8_000", "8,000", "0x1f40", "nan", "true", f"8{CANARY}"],
        *["", " 8000", "8000\n", "8000\x00", "８０００", "\u0668\u0660\u0660\u0660"],
    ],
}
NO_TIMEOUT = {
    "not_positive": [
        *["0", "0.0", "-0", "-1", "-0.001", "1e-999", "nan", "NaN", "-nan"],
        *["inf", "-inf", "Infinity", "1e999", "9" * 1000],
    ],
    "not_a_number": [
        *["", " 2", "2\n", "2s", "2,5", "1_0", "two", "0x2", "true", "２", "\u0662.\u0665"],
        *["9" * 5000, f"2{CANARY}"],
    ],
}


def short(value: str) -> str:
    return repr(value)[:30]


def flat(table: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    return [(value, code) for code, values in table.items() for value in values]


@each_case(("value", "code"), flat(NO_BUDGET))
def test_budgets_that_are_none(value: str, code: str) -> None:
    error = refused(environ(MAX_BYTES=value))
    assert only_problem(error, PREFIX + "MAX_BYTES") == code
    assert CANARY not in everything_said(error)


@each_case(("value", "code"), flat(NO_TIMEOUT))
@each_case("name", ["RECALL_TIMEOUT_SECONDS", "REMEMBER_TIMEOUT_SECONDS"])
def test_timeouts_that_are_none(name: str, value: str, code: str) -> None:
    error = refused(environ(**{name: value}))
    assert only_problem(error, PREFIX + name) == code
    assert CANARY not in everything_said(error)


@each_case("value", ["1e10", "1e300"])
@each_case("name", ["RECALL_TIMEOUT_SECONDS", "REMEMBER_TIMEOUT_SECONDS"])
def test_timeouts_that_no_socket_can_keep(name: str, value: str) -> None:
    """``settimeout`` and ``wait_for`` raise OverflowError for these, at the first request instead of at the start."""
    probe, other = socket.socketpair()
    with probe, other, pytest.raises(OverflowError):
        probe.settimeout(float(value))
    only_problem(refused(environ(**{name: value})), PREFIX + name)


@each_case(("value", "focus"), [("on", True), ("off", False)])
def test_recall_focus(value: str, focus: bool) -> None:
    assert Settings.from_environment(environ(RECALL_FOCUS=value)).recall_focus is focus


@each_case(
    "value", ["", " ", "On", "OFF", "off ", "true", "false", "1", "0", "no", "\uff4f\uff4e", CANARY]
)
def test_recall_focus_that_is_neither(value: str) -> None:
    error = refused(environ(RECALL_FOCUS=value))
    assert only_problem(error, PREFIX + "RECALL_FOCUS") == "not_on_or_off"
    assert CANARY not in everything_said(error)


@each_case(
    ("value", "tools"),
    [
        ("remember", ("remember",)),
        ("find,remember", ("remember", "find")),
        ("forget, correct , forget", ("correct", "forget")),
        ("remember,find,correct,forget", ("remember", "find", "correct", "forget")),
    ],
)
def test_tools(value: str, tools: tuple[str, ...]) -> None:
    assert Settings.from_environment(environ(TOOLS=value)).tools == tools


@each_case("value", ["Remember", "remember;find", "remember,", ",", "all", "none", CANARY])
def test_tools_that_there_are_not(value: str) -> None:
    error = refused(environ(TOOLS=value))
    assert only_problem(error, PREFIX + "TOOLS") == "tool_unknown"
    assert CANARY not in everything_said(error)


# --- explicit values


@each_case("name", ["recall_timeout_seconds", "remember_timeout_seconds"])
def test_a_huge_whole_timeout_is_refused(name: str) -> None:
    """``float(10**400)`` raises OverflowError, which is no ConfigurationError."""
    for value in (10**10, 10**400, -(10**10), -(10**400)):
        with pytest.raises(ConfigurationError) as raised:
            explicit(**{name: value})
        code = only_problem(raised.value, PREFIX + name.upper())
        assert code == ("timeout_too_long" if value > 0 else "not_positive")


class Contrary:
    """As an array: it can be compared with anything, and then has no truth."""

    def __eq__(self, other: object) -> object:  # type: ignore[override]
        return self

    def __hash__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        raise ValueError(CANARY)

    def __float__(self) -> float:
        return 2.0

    def __int__(self) -> int:
        return 8000

    def __str__(self) -> str:
        return "on"


def test_numbers_and_switches_of_other_types_are_refused() -> None:
    for name, most in (
        ("max_bytes", "8000"),
        ("recall_timeout_seconds", "2"),
        ("recall_focus", "on"),
    ):
        values: list[object] = [Decimal(8000), Fraction(8000), 8000j, Contrary(), [most], {most}]
        values += [most.encode(), Text(most), Whole(8000), Float(2.0), range(8000)]
        for value in values:
            with pytest.raises(ConfigurationError) as raised:
                explicit(**{name: value})
            code = only_problem(raised.value, PREFIX + name.upper())
            assert code in ("not_a_number", "not_on_or_off")
            assert CANARY not in everything_said(raised.value)


class Text(str):
    __slots__ = ()


class Whole(int):
    __slots__ = ()


class Float(float):
    __slots__ = ()


# --- warnings


@each_case(
    ("name", "value", "code"),
    [
        ("MAX_BYTES", "699", "budget_too_small_to_be_useful"),
        ("MAX_BYTES", "512", "budget_too_small_to_be_useful"),
        ("MAX_BYTES", "700", None),
        ("RECALL_TIMEOUT_SECONDS", "5", "recall_over_host_cap"),
        ("RECALL_TIMEOUT_SECONDS", "60", "recall_over_host_cap"),
        ("RECALL_TIMEOUT_SECONDS", "4.999", None),
        ("REMEMBER_TIMEOUT_SECONDS", "30", "remember_over_host_cap"),
        ("REMEMBER_TIMEOUT_SECONDS", "29.999", None),
    ],
)
def test_warnings(name: str, value: str, code: str | None) -> None:
    warnings = Settings.from_environment(environ(**{name: value})).warnings
    assert [(warning.setting, warning.code) for warning in warnings] == (
        [(PREFIX + name, code)] if code else []
    )


def test_all_warnings_at_once() -> None:
    settings = Settings.from_environment(
        environ(MAX_BYTES="600", RECALL_TIMEOUT_SECONDS="9", REMEMBER_TIMEOUT_SECONDS="90")
    )
    assert len({warning.code for warning in settings.warnings}) == 3
    assert all(str(warning).startswith(warning.setting) for warning in settings.warnings)
