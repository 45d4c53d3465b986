# SPDX-License-Identifier: Apache-2.0
"""The short queries of a second look at servers that have no wide search."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from powercontext_deerflow.limits import MAX_QUERY_CODE_POINTS, is_encodable
from powercontext_deerflow.operations import second_look as focus
from tests.support.cost import costs_less
from tests.support.texts import SLOW, adversarial


@examples(deadline=None)
@given(st.text() | adversarial)
def test_any_text_gives_bounded_pieces(query: str) -> None:
    pieces = focus.pieces(query)
    assert len(pieces) <= 10
    for piece in pieces:
        assert piece.strip()
        assert is_encodable(piece) or not is_encodable(query)
        assert len(piece) <= MAX_QUERY_CODE_POINTS
        assert len(piece.split()) <= 16


@pytest.mark.parametrize("query", SLOW, ids=lambda query: ascii(query[:4]))
def test_the_work_is_bounded_whatever_is_asked(query: str) -> None:
    """On the event loop, if an answer is small."""
    assert costs_less(0.15, lambda: focus.pieces(query))


@given(adversarial)
def test_no_more_is_read_than_a_query_may_hold(query: str) -> None:
    assert focus.pieces(query) == focus.pieces(query[:MAX_QUERY_CODE_POINTS])
    assert focus.pieces("word " * 1000) == ["word"]  # one word, however often


def test_words_are_looked_up_in_pairs_names_and_long_ones_first() -> None:
    query = "Somebody left without a goodbye, which of the forms does the GDPR want us to send to the former customer?"
    assert focus.pieces(query) == ["gdpr", "customer goodbye", "former forms", "left send"]


def test_chinese_is_looked_up_in_windows_and_latin_words_in_it_are_names() -> None:
    query = "请帮我看看订单服务的退款接口，checkout 页面在 Safari 里一直报错，昨天刚刚发布了新版本"
    assert focus.pieces(query)[0] == "checkout safari"
    assert focus.pieces(query)[1].startswith("订单服务")
    for piece in focus.pieces(query)[1:]:
        assert focus._weight(piece.split()) <= 8


def test_of_a_very_long_message_its_ends_are_looked_up() -> None:
    words = [f"{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(26 * 26)]
    text = "stack traces " + " ".join(word * 2 for word in words) + " thermostat"
    assert focus.pieces(text)[0] == "thermostat traces"
    assert len(focus.pieces(text)) == 10
