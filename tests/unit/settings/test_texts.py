# SPDX-License-Identifier: Apache-2.0
"""Owner, Scope and token: taken as they are, or refused."""

from __future__ import annotations

import pytest

from powercontext_deerflow.errors import ConfigurationError
from powercontext_deerflow.settings import PREFIX, Settings
from tests.support.bound import TOKEN
from tests.support.cases import each_case
from tests.support.said import everything_said
from tests.unit.settings.environment import CANARY, VALID, environ, explicit, only_problem, refused

# --- what is accepted


@each_case("scope", ["Alpha", "alpha", "default", "s", "a b", "Zo\u00eb", "Zoe\u0308", "界" * 256])
def test_a_scope_is_kept_byte_for_byte(scope: str) -> None:
    """A store that folds case leaks one Scope into another."""
    assert Settings.from_environment(environ(SCOPE_ID=scope)).scope_id == scope


@each_case("token", ["t", "pct_abc-DEF.123~+/=", "!\"#$%&'()*,:;<>?@[\\]^`{|}"])
def test_tokens(token: str) -> None:
    assert Settings.from_environment(environ(TOKEN=token)).token.reveal() == token


# --- what is refused


BLANK = {"empty": "", "space": " ", "newline": "\n", "ideographic": "\u3000"}
PADDED = {
    "before": " {}",
    "after": "{} ",
    "newline": "{}\n",
    "tab": "\t{}",
    "no-break": "{}\u00a0",
}
CONTROL = {
    "nul": "{}\x00x",
    "newline-inside": "{}\nx",
    "escape": "\x1b{}",
    "delete": "{}\x7f",
    "next-line-inside": "{}\x85x",
    "zero-width": "{}\u200bx",
    "bidi": "\u202e{}",
    "lone-surrogate": "{}\udc80",  # what os.environ makes of a byte that is not UTF-8
}
TEXTS = [*VALID, "CA_FILE"]


@each_case("value", BLANK.values(), ids=BLANK)
@each_case("name", TEXTS)
def test_blank(name: str, value: str) -> None:
    assert only_problem(refused(environ(**{name: value})), PREFIX + name) == "blank"


@each_case("pattern", PADDED.values(), ids=PADDED)
@each_case("name", TEXTS)
def test_padded(name: str, pattern: str) -> None:
    error = refused(environ(**{name: pattern.format(VALID.get(name, "file") + CANARY)}))
    assert only_problem(error, PREFIX + name) == "padded"
    assert CANARY not in everything_said(error)


@each_case("pattern", CONTROL.values(), ids=CONTROL)
@each_case("name", TEXTS)
def test_control_characters(name: str, pattern: str) -> None:
    error = refused(environ(**{name: pattern.format(VALID.get(name, "file") + CANARY)}))
    assert only_problem(error, PREFIX + name) == "control_characters"
    assert CANARY not in everything_said(error)


@each_case(
    "value",
    [
        "default",
        "Default",
        "DEFAULT",
        "dEfAuLt",
        "\uff44\uff45\uff46\uff41\uff55\uff4c\uff54",
        "\uff24efault",
        "\U0001d41default",
    ],
)
def test_an_owner_that_is_nobody(value: str) -> None:
    error = refused(environ(OWNER_USER_ID=value))
    assert only_problem(error, PREFIX + "OWNER_USER_ID") == "owner_is_fallback"


def test_a_scope_that_is_too_long() -> None:
    error = refused(environ(SCOPE_ID=CANARY.ljust(257, "x")))
    assert only_problem(error, PREFIX + "SCOPE_ID") == "too_long"
    assert CANARY not in everything_said(error)


@each_case(
    ("value", "code"),
    [
        ("Bearer {}", "token_with_scheme"),
        ("bearer {}", "token_with_scheme"),
        ("BEARER  {}", "token_with_scheme"),
        ("bEaReR:{}", "token_with_scheme"),
        ("Bearer", "token_with_scheme"),
        ("{} x", "token_not_plain"),
        ("Basic {}", "token_not_plain"),
        ("Authorization: Bearer {}", "token_not_plain"),
        ("{}\u00e9", "token_not_plain"),
        ("{}界", "token_not_plain"),
        ("\uff42\uff45\uff41\uff52\uff45\uff52{}", "token_not_plain"),
        ("{}\r\nX-Evil: 1", "control_characters"),
        ("{}\tx", "control_characters"),
        ("{}\u00a0x", "control_characters"),
    ],
)
def test_tokens_that_are_refused(value: str, code: str) -> None:
    error = refused(environ(TOKEN=value.format(TOKEN)))
    assert only_problem(error, PREFIX + "TOKEN") == code
    assert TOKEN not in everything_said(error)


# --- explicit values


def test_the_longest_of_each_text_is_accepted() -> None:
    settings = explicit(token="t" * 8192, scope_id="s" * 256, owner_user_id="o" * 1024)
    assert len(settings.token.reveal()) == 8192
    for name, size in (("token", 8193), ("scope_id", 257), ("owner_user_id", 1025)):
        with pytest.raises(ConfigurationError) as raised:
            explicit(**{name: "x" * size})
        assert only_problem(raised.value, PREFIX + name.upper()) == "too_long"


def test_a_scope_that_leads_elsewhere_in_a_path_is_refused() -> None:
    for scope in (".", ".."):
        with pytest.raises(ConfigurationError) as raised:
            explicit(scope_id=scope)
        assert only_problem(raised.value, PREFIX + "SCOPE_ID") == "dot_segment"
    for scope in ("...", ".a", "a..", "../a"):
        assert explicit(scope_id=scope).scope_id == scope
