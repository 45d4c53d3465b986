# SPDX-License-Identifier: Apache-2.0
"""What words a search can find, known without asking a server."""

from __future__ import annotations

from powercontext_deerflow.operations import words
from tests.support.answers import TEXT


def test_what_holds_words() -> None:
    for text in ("a", "好", "1", "_", "½", "々", "\u0345", "\U0002a6e0", "ก", "x😀"):
        assert words.has_words(text), text
    for text in ("👍🎉🚀", "✅", "---", "・", "𝄞", "\u200b", "。", "\u0301", "\x00", "Ⓐ", "\ue000"):
        assert not words.has_words(text), text


def test_what_is_surely_searchable() -> None:
    for text in (
        *(
            TEXT,
            "Port 8080",
            "Привет",
            "カナ",
            "한국",
            "naïve",
            "snake_case",
            "订单",
            "请用英语",
            "the 2nd",
        ),
        *("TABLES", "tables", "the of and-tables", "它在北京"),
    ):
        assert words.is_searchable(text), text
    for text in (
        *(
            "a",
            "the of and",
            "because",
            "BECAUSE themselves",
            "ſhould",
            "是的",
            "他们都在这里",
            "用 Go",
            "１２",
        ),
        *("they've", "I'm", "👍", "", "ｓｅｒｖｉｃｅ", "Use tabs."),
    ):
        assert not words.is_searchable(text), text


def test_what_is_asked_with() -> None:
    assert words.as_it_is_asked("One. Two!\n‘Three’?") == "One, Two,, Three’,"
    assert words.every_word("a `b` c") == "`a  b  c`"
    assert len(words.every_word("x" * 8192)) == 8192
