# SPDX-License-Identifier: Apache-2.0
"""The words of the second look: what is searched for, and what of the hits is asked for again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from powercontext_deerflow.limits import MAX_QUERY_CODE_POINTS, is_encodable
from powercontext_deerflow.operations import second_look as focus
from tests.support.cost import costs_less

LONG = (
    "Hello! I am looking at the refund calculation of the order service again, and while doing so I noticed that"
    " several rounding helpers disagree about half cents; which representation did everybody agree on?"
)
MEMORY = "Order service: money amounts are integer cents; refund rounding is half up."
adversarial = st.sampled_from(
    [
        "word " * 20_000,
        "a" * 100_000,
        "，。！？" * 25_000,
        "中" * 100_000,
        "订单服务的退款计算" * 10_000,
        "x中" * 50_000,
        "\u200d\ufeff\x00" * 1000,
        " ".join(f"term{number}" for number in range(15_000)),
    ]
)


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


@examples(deadline=None)
@given(st.text() | adversarial, st.lists(st.text() | adversarial, max_size=6))
def test_a_refined_query_holds_only_what_query_and_hits_share(query: str, hits: list[str]) -> None:
    refined = focus.refined(query, hits)
    asked = {focus._stem(term) for term in focus.terms(query)}
    assert refined is None or {focus._stem(term) for term in focus.terms(refined)} <= asked
    assert refined is None or len(refined.split()) <= 13
    assert focus.refined(query, []) is None


@given(st.text(), st.text())
def test_terms_are_those_of_either_part(one: str, other: str) -> None:
    assert set(focus.terms(f"{one} {other}")) == {*focus.terms(one), *focus.terms(other)}


SLOW = (
    *(
        "a" + "\u0301\u0327" * 4096,
        "ab\u0301\u0327" * 2048,
        "\u0130" * 8192,
        "\ufb03 " * 4096,
        "x中" * 4096,
    ),
    *("订单服务的退款计算" * 911, "\n" * 8192, "A_" * 4096, "中" * 8192, "\U0001d160" * 8192),
    " ".join(f"term{number}" for number in range(1200)),
    " ".join(
        f"{chr(97 + at % 26)}{chr(97 + at // 26 % 26)}{chr(97 + at // 676)}" for at in range(2048)
    ),
)


@pytest.mark.parametrize("query", SLOW, ids=lambda query: ascii(query[:4]))
def test_the_work_is_bounded_whatever_is_asked_and_found(query: str) -> None:
    """On the event loop for the first; for the last, a hundred memories of 8 KB, and thousands of a megabyte."""
    hits = [(query[at:] + query[:at])[:8192] for at in range(100)]
    many = [f"{at} {query}" for at in range(3000)]
    for look, most in (
        (lambda: focus.is_long(query), 0.15),
        (lambda: focus.pieces(query), 0.15),
        (lambda: focus.refined(query, hits), 0.4),
        (lambda: focus.refined(query, many), 0.9),
        (lambda: focus.refined(query, [query * 128] * 10), 0.4),
    ):
        assert costs_less(most, look)


def test_of_many_memories_the_beginnings_are_read() -> None:
    about = "Order service: refund rounding is half up. "
    few, many = [about + "Nothing. " * 800], [about + f"Nothing {at}. " * 800 for at in range(100)]
    for hits in (few, many):
        refined = focus.refined(LONG, hits)
        assert refined is None or set(refined.split()) <= {*focus.terms(about), *focus.terms(LONG)}
    assert focus.refined(LONG, [f"{about}{at}" for at in range(100)]) is not None


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
    assert focus.pieces(query)[1].startswith("看看订单服务")
    for piece in focus.pieces(query)[1:]:
        assert focus._weight(piece.split()) <= 8


def test_of_a_very_long_message_its_ends_are_looked_up() -> None:
    words = [f"{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(26 * 26)]
    text = "stack traces " + " ".join(word * 2 for word in words) + " thermostat"
    assert focus.pieces(text)[0] == "thermostat traces"
    assert len(focus.pieces(text)) == 10


def test_a_name_counts_twice() -> None:
    query = "Which of the forms does the GDPR want?"
    memory = "Privacy desk: GDPR questions, and forms."
    assert focus.refined(query, [memory]) is not None
    assert focus.refined(query.replace("GDPR", "law"), [memory.replace("GDPR", "law")]) is None


def test_what_programs_write_in_capitals_is_no_name() -> None:
    memory = "Replica: select nothing there before noon, update nothing."
    assert focus.refined("Why does SELECT FOR UPDATE wait?", [memory]) is None
    assert focus.refined("为什么 select for update 一直在等待", [memory]) is None


def test_what_a_memory_begins_with_tells_more_if_no_other_hit_has_it() -> None:
    query = "The checkout of our shop was slow, where are the dashboards kept?"
    subject = "Checkout: dashboards are in the red folder."
    assert focus.refined(query, [subject]) is not None
    assert focus.refined(query, [subject, "Search at the checkout."]) is None
    assert focus.refined(query, ["Dashboards of checkout."]) is not None
    assert focus.refined(query, ["Folder for checkout dashboards."]) is None
    assert (
        focus.refined("订单库的明细可以导出吗，我们要给运营做报表", ["订单库按用户分表。"])
        is not None
    )
    assert (
        focus.refined("订单库的明细可以导出吗，我们要给运营做报表", ["按用户分表的订单库。"])
        is None
    )


def test_two_forms_of_a_word_are_one_word() -> None:
    query = "One order was lost between two orders, ordered by the same customer"
    assert focus.refined(query, ["Our order service keeps orders ordered."]) is None
    assert focus.refined(query, ["Our order service: customer orders get lost."]) is not None


def test_chinese_is_cut_at_function_words_and_pairs() -> None:
    assert focus.terms("请帮我给库存服务加一个校验") == ["库存", "存服", "服务", "务加", "校验"]


def test_one_common_word_does_not_mean_a_memory() -> None:
    assert focus.refined(LONG, ["Billing service: invoices are numbered per year."]) is None
    assert focus.refined(LONG, [MEMORY]) is not None
