# SPDX-License-Identifier: Apache-2.0
"""Only the owner, byte for byte."""

from __future__ import annotations

import unicodedata
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from powercontext_deerflow.owner import is_bindable, is_owner
from tests.support.cases import each_case

OWNER = "4f0c2d9a-user@example.com"
NFC = "Zo\u00eb"
NFD = "Zoe\u0308"


class Liar(str):
    """A ``str`` that passes for anyone."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return hash(OWNER)

    def __str__(self) -> str:
        return OWNER

    def strip(self, *_: Any) -> str:
        return OWNER

    def isprintable(self) -> bool:
        return True

    def casefold(self) -> str:
        return OWNER


class Plain(str):
    """Not lying, but not a ``str`` either: its methods may change tomorrow."""

    __slots__ = ()


NOBODY = {
    "none": None,
    "empty": "",
    "space": " ",
    "tab": "\t",
    "ideographic-space": "\u3000",
    "default": "default",
    "default-capital": "Default",
    "default-upper": "DEFAULT",
    "default-fullwidth": "\uff44\uff45\uff46\uff41\uff55\uff4c\uff54",
    "default-mathematical": "\U0001d41d\U0001d41e\U0001d41f\U0001d41a\U0001d42e\U0001d425\U0001d42d",
    "default-padded": " default",
    "default-newline": "default\n",
    "default-zero-width": "de\u200bfault",
    "default-soft-hyphen": "de\u00adfault",
    "default-nul": "default\x00",
    "default-no-break-space": "default\u00a0",
    "leading-space": " " + OWNER,
    "trailing-newline": OWNER + "\n",
    "trailing-carriage-return": OWNER + "\r",
    "trailing-no-break-space": OWNER + "\u00a0",
    "trailing-ideographic-space": OWNER + "\u3000",
    "trailing-line-separator": OWNER + "\u2028",
    "nul": OWNER + "\x00",
    "delete": OWNER + "\x7f",
    "next-line": OWNER + "\x85",
    "escape": "\x1b[0m" + OWNER,
    "bom": "\ufeff" + OWNER,
    "zero-width-space": OWNER + "\u200b",
    "right-to-left-override": "\u202e" + OWNER,
    "tag-character": OWNER + "\U000e0041",
    "lone-surrogate": OWNER + "\ud800",
    "bytes": OWNER.encode(),
    "bytearray": bytearray(OWNER.encode()),
    "zero": 0,
    "int": 7,
    "float": 7.0,
    "true": True,
    "list": [OWNER],
    "tuple": (OWNER,),
    "dict": {"id": OWNER},
    "object": object(),
    "type": str,
    "liar": Liar("someone"),
    "lying-default": Liar("default"),
    "subclass-of-str": Plain(OWNER),
}


@each_case("user_id", NOBODY.values(), ids=NOBODY.keys())
def test_is_nobody(user_id: object) -> None:
    assert is_bindable(user_id) is False
    assert is_owner(user_id, OWNER) is False


@each_case("user_id", [value for value in NOBODY.values() if type(value) is str])
def test_nobody_cannot_own_even_if_configured(user_id: str) -> None:
    assert is_owner(user_id, user_id) is False


@each_case(
    "user_id",
    [
        OWNER,
        "0",
        "u",
        "42",
        "user name",
        "default-user",
        "defaults",
        "admin",
        NFC,
        NFD,
        "用户",
        "😀",
    ],
)
def test_a_person(user_id: str) -> None:
    assert is_bindable(user_id) is True
    assert is_owner(user_id, user_id) is True
    assert is_owner("".join(user_id), "".join(list(user_id))) is True  # equal, not identical


@each_case(
    ("user_id", "owner"),
    [
        (OWNER.upper(), OWNER),
        (OWNER.title(), OWNER),
        (OWNER[:-1], OWNER),
        (OWNER + "x", OWNER),
        (OWNER, OWNER + "x"),
        (NFC, NFD),
        (NFD, NFC),
        ("\uff41lice", "alice"),  # fullwidth a
        ("\u0430lice", "alice"),  # Cyrillic a
        ("stra\u00dfe", "strasse"),
        ("\u212a1", "K1"),  # Kelvin sign, whose NFC is K
        ("e2e-user", OWNER),
    ],
)
def test_not_quite_the_owner(user_id: str, owner: str) -> None:
    assert is_bindable(user_id)
    assert is_owner(user_id, owner) is False


def test_a_lying_owner_setting_lets_nobody_else_in() -> None:
    assert is_owner("someone", Liar(OWNER)) is False


@settings(deadline=None, max_examples=300)
@given(st.text(max_size=12), st.text(max_size=12))
def test_only_the_same_code_points_are_the_owner(user_id: str, owner: str) -> None:
    assert is_owner(user_id, owner) <= (list(user_id) == list(owner))
    if is_bindable(user_id):
        assert is_owner(user_id, user_id)


@settings(deadline=None, max_examples=300)
@given(st.text(min_size=1, max_size=8))
def test_normalising_never_makes_an_owner(text: str) -> None:
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        other = unicodedata.normalize(form, text)
        assert is_owner(other, text) <= (other == text)


@settings(deadline=None, max_examples=300)
@given(
    st.one_of(
        st.none(), st.integers(), st.floats(), st.binary(), st.booleans(), st.lists(st.text())
    )
)
def test_what_is_no_text_is_nobody(user_id: object) -> None:
    assert is_bindable(user_id) is False
    assert is_owner(user_id, OWNER) is False
