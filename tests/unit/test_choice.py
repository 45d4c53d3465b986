# SPDX-License-Identifier: Apache-2.0
"""Which memories a message means: the rules of the choice, and its bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from powercontext_deerflow.operations import choice
from tests.support.cases import each_case
from tests.support.cost import costs_less
from tests.support.texts import SLOW, adversarial

REFUND = "Order service: money amounts are integer cents; refund rounding is half up."
KIOSK = "Kiosk printers print at 203 dpi only."
OTHERS = tuple(f"Beehive {at} is inspected by the same craftsman in spring." for at in range(20))
LONG = (
    "Hello! I am looking at the refund calculation of the order service again, and while doing so I noticed that"
    " several rounding helpers disagree about half cents; which representation did everybody agree on?"
)


def is_chosen(message: str, *memories: str) -> bool:
    """Whether the first memory, and it alone, is asked for."""
    chosen = choice.choose(message, [*memories, *OTHERS])
    if chosen is None:
        return False
    words = chosen.query.casefold().split()
    return chosen.number == 1 and all(word in memories[0].casefold() for word in words)


@each_case(
    ("message", "memory"),
    [
        (LONG, REFUND),
        ("203 dpi?", KIOSK),
        ("who is Farah", "Shift swaps: ask Farah Idris."),
        ("max label rps", "The throttle of Pelican is the setting maxLabelRps."),
        ("what is in order_service?", "The orderService stores money in cents."),
        ("mask-pii for the export?", "Street addresses go through mask_pii."),
        ("stockSyncJob again", "Das Skript stock_sync_job startet stündlich."),
        ("how do releases go out", "A release is announced in the channel releases-live."),
        ("wo sind die Verträge", "Der Vertrag mit Huber liegt im Tresor."),
        ("какие договоры", "Договор с «Степь Экспресс» подписывает юрист."),
        ("where is meilisaerch running", "Meilisearch is running on host se-04."),
        ("周报啥时候交", "周报每周四下午五点前写进飞书文档。"),
        ("ファームウェアの署名は?", "ファームウェアは署名鍵で署名したものだけを流す。"),
        ("주차장 등록은?", "주차장 방문 차량은 하루 전까지 등록해야 한다."),
    ],
)
def test_a_memory_is_meant_however_its_words_are_written(message: str, memory: str) -> None:
    assert is_chosen(message, memory)


@each_case(
    "message",
    [
        "Please write a short poem about the sea for my daughter's birthday.",
        "What should I know about the history of half a dozen European countries before a long journey there?",
        "好困啊，讲个笑话提提神",
        "",
        "the of and",
        "✅",
    ],
)
def test_what_is_not_of_work_means_no_memory(message: str) -> None:
    assert choice.choose(message, [REFUND, KIOSK, *OTHERS]) is None
    assert choice.meant(message, [REFUND, KIOSK]) == []


def test_one_word_is_enough_for_a_short_message_and_not_for_a_long_one() -> None:
    assert is_chosen("and the kiosk?", KIOSK)
    assert not is_chosen(
        "The new colleague from Lisbon wonders whether our lamp supplier can deliver forty ceiling lamps to the branch,"
        " where the electrician complains about dust, noise and the kiosk outside",
        "There are screens and printers in every kiosk.",
    )


def test_a_word_of_many_memories_tells_little() -> None:
    few = [KIOSK, *OTHERS]
    many = [KIOSK, *(f"Kiosk {at} sells newspapers." for at in range(49))]
    assert choice.choose("the kiosk and its lamps, please", few) is not None
    assert choice.choose("the kiosk and its lamps, please", many[::-1]) is None


def test_the_order_of_the_server_tells() -> None:
    message = "which lamps and chairs does a kiosk have, and who delivers them?"
    assert is_chosen(message, KIOSK)
    assert choice.choose(message, [*OTHERS, KIOSK]) is None


def test_what_is_about_the_world_needs_more() -> None:
    assert is_chosen("who repairs the kiosk ceiling?", KIOSK)
    assert not is_chosen("who sings the kiosk song in that movie?", KIOSK)


def test_two_questions_mean_two_memories() -> None:
    message = (
        "What is the refund rounding of the order service, and how many dpi do kiosk printers have?"
    )
    chosen = choice.choose(message, [REFUND, KIOSK, *OTHERS])
    assert chosen is not None
    assert chosen.number == 2


def test_beside_what_is_told_only_more_is_chosen() -> None:
    message = (
        "What is the refund rounding of the order service, and how many dpi do kiosk printers have?"
    )
    chosen = choice.choose(message, [KIOSK, REFUND, *OTHERS], [REFUND])
    assert chosen is not None
    assert chosen.number == 2
    assert choice.choose("refund rounding of the order service", OTHERS, [REFUND]) is None


def test_whether_anything_of_the_message_is_left() -> None:
    assert not choice.leaves("refund rounding of the order service?", [REFUND])
    assert choice.leaves("refund rounding, and the kiosk printers?", [REFUND])


@examples(deadline=None)
@given(st.text() | adversarial, st.lists(st.text() | adversarial, max_size=6))
def test_any_text_gives_a_bounded_choice(message: str, found: list[str]) -> None:
    chosen = choice.choose(message, found)
    assert choice.choose(message, []) is None
    if chosen is not None:
        assert 1 <= chosen.number <= min(4, len(found))
        assert len(chosen.query.split()) <= 12
        assert len(chosen.query) <= 12 * 41


@pytest.mark.parametrize("query", SLOW, ids=lambda query: ascii(query[:4]))
def test_the_work_is_bounded_whatever_is_asked_and_found(query: str) -> None:
    """Fifty memories of 8 KB, thousands, a few of a megabyte."""
    hits = [(query[at:] + query[:at])[:8192] for at in range(50)]
    many, large = [f"{at} {query}" for at in range(3000)], [query * 128] * 10
    assert costs_less(1.2, lambda: choice.choose(query, hits))
    assert costs_less(1.2, lambda: choice.choose(query, many))
    assert costs_less(1.2, lambda: choice.choose(query, large))
    assert costs_less(0.6, lambda: choice.meant(query, hits[:6]))
    assert costs_less(0.6, lambda: choice.leaves(query, hits[:6]))


def test_of_many_memories_the_beginnings_are_read() -> None:
    about = "Order service: refund rounding is half up. "
    others = [f"Nothing {at}. " * 800 for at in range(49)]
    assert choice.choose(LONG, [about + "Nothing. " * 800, *others]) is not None
    assert choice.choose(LONG, ["Nothing. " * 800 + about, *others]) is None
