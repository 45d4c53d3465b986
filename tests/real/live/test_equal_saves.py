# SPDX-License-Identifier: Apache-2.0
"""The second of two equal saves is `already_saved` on the real 1.4.1, whatever the text; and what no word finds is
said to be so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from powercontext_deerflow import AlreadySaved, PowerContext, Recalled, Saved, Secret, Settings
from tests.loopback.hostile.world import in_threads
from tests.support.answers import LIST, REMEMBER, SEARCH
from tests.support.servers.proxy import RecordingProxy, lose_answer, on
from tests.support.servers.real import PowerContextServer

WORDLESS = (
    *("👍🎉🚀", "✅", "→", "€", "---", "・", "𝄞", ":)", "¿?", "Ⓐ", "🇨🇳", "👨\u200d👩\u200d👧", "．．．"),
    *("\u200b", "♥️", "…", "「」", "<>", "+++", "$", "（）", "±", "\u0301", "\x00"),
)  # fmt: skip
FUNCTION_WORDS = (
    *("a", "I", "the of and", "it is what it is", "so that is what it was all about", "go", "Go!", "three"),
    *("I'm", "好", "是的", "我们", "用 Go", "一", "总而言之，综上所述，由此可见，换句话说", "The, the THE!"),
    *("We have been there before", "ſhould", "ﬁrst", "这 那", "他们 都 在 这里"),
)  # fmt: skip
WORDS = (
    *("no", "not", "don't", "不", "没有", "1", "_", "½", "²", "x", "ok", "用 pnpm。", "Use tabs.", "你好", "〇"),
    *("ありがとう", "Привет", "안녕", "ไทย", "שלום", "मस्ते", "ＡＢＣ", "naïve", "‘a’b", "`the`", '"is"', "'a'b'"),
    *("to be or not to be", "Answer concisely. Do not delegate.", "Do not call tools.", "e\u0301"),
    *("rock 'n' roll", "a\nb\r\nc", "“We” said ‘so’", "C++", "3.14", "-1", "user@example.com"),
    "他们都在这里和我们一起",
    *("The order service keeps money amounts as integer cents.", "订单服务的金额以整数分为单位保存。"),
    *("word " * 1638, "字" * 2730, "€ " * 2047 + "euro", "`" * 8000 + " ticks", ". ".join("abcdefgh" * 200)),
)  # fmt: skip
NEAR = "用 pnpm。"
TABS = "Use tabs."
EQUAL = {NEAR: True, TABS: True, "the of and": False, "→": False}


@pytest.fixture
def proxy(powercontext_141: PowerContextServer) -> Iterator[RecordingProxy]:
    with RecordingProxy(powercontext_141.base_url) as recording:
        yield recording


def connected(proxy: RecordingProxy, server: PowerContextServer, scope_id: str) -> PowerContext:
    return PowerContext(
        Settings(
            base_url=proxy.base_url,
            scope_id=scope_id,
            token=Secret(server.token),
            recall_timeout_seconds=10.0,
            remember_timeout_seconds=20.0,
        )
    )


def twice(client: PowerContext, text: str) -> Saved:
    """What the first of two saves came to; the second one finds it, and says the same of it."""
    first, second = client.remember(text), client.remember(text)
    assert isinstance(first, Saved), (text, first)
    assert isinstance(second, AlreadySaved), (text, second)
    assert (second.citation, second.searchable) == (first.citation, first.searchable), text
    return first


def pages_read(proxy: RecordingProxy) -> int:
    """How many of a list were read since it was last asked."""
    read = proxy.count(LIST)
    proxy.clear()
    return read


def test_the_second_equal_save(
    powercontext_141: PowerContextServer, proxy: RecordingProxy, scope: str
) -> None:
    assert len({*WORDLESS, *FUNCTION_WORDS, *WORDS}) >= 80
    with connected(proxy, powercontext_141, scope) as client:
        for text in (*WORDLESS, *FUNCTION_WORDS):
            assert not twice(client, text).searchable, text
            assert not isinstance(client.recall(text), Recalled), text
        for text in WORDS:
            assert twice(client, text).searchable, text
    held = [memory["text"] for memory in powercontext_141.memories(scope)]
    assert len(held) == len(set(held)) == len({*WORDLESS, *FUNCTION_WORDS, *WORDS})


def test_an_ordinary_save_is_one_search_and_one_save(
    powercontext_141: PowerContextServer, proxy: RecordingProxy, scope: str
) -> None:
    with connected(proxy, powercontext_141, scope) as client:
        for text in (
            "The order service keeps money amounts as integer cents.",
            "Bob prefers answers in French.",
            "订单服务的金额以整数分保存。",
            "发布前先跑测试",
            "Port 8080",
        ):
            seen = len(proxy.requests)
            assert isinstance(client.remember(text), Saved)
            asked = [f"{one.method} {one.path}" for one in proxy.requests[seen:]]
            assert asked == [SEARCH, REMEMBER], text


def test_a_lost_answer_of_what_no_word_finds(
    powercontext_141: PowerContextServer, proxy: RecordingProxy, scope: str
) -> None:
    with connected(proxy, powercontext_141, scope) as client:
        proxy.fault = on(REMEMBER, lose_answer)
        for text in ("🚀", "the of and", NEAR):
            outcome = client.remember(text)
            assert isinstance(outcome, Saved), text
            assert (outcome.confirmed_by, outcome.searchable) == ("read_back", text == NEAR)
        assert proxy.count(REMEMBER) == 3
        proxy.fault = lambda _: None
        assert isinstance(client.remember("🚀"), AlreadySaved)
        assert isinstance(client.remember("🚀", "preference"), Saved), "another kind is another one"


def test_equal_texts_among_near_copies_in_a_scope_of_more_than_two_pages(
    powercontext_141: PowerContextServer, proxy: RecordingProxy, scope: str
) -> None:
    """Where searches have more near copies to give than they may, or no word finds it, all pages of a list are read."""
    near = [
        *(f"{number} 用 pnpm：先 pnpm install，再 pnpm build。" for number in range(55)),
        *(f"{number}. Use tabs, tabs and the of the of tabs and tabs." for number in range(105)),
        *("→ " * number + "arrow" for number in range(1, 51)),
    ]
    assert len(near) > 2 * 100
    in_threads(4, lambda part: [powercontext_141.remember(scope, t) for t in near[part::4]])
    with connected(proxy, powercontext_141, scope) as client:
        for text, searchable in EQUAL.items():
            assert twice(client, text).searchable is searchable, text
            read = pages_read(proxy)
            assert read >= 3 or text == NEAR, f"of {text!r} only {read} pages were read"
