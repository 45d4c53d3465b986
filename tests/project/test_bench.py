# SPDX-License-Identifier: Apache-2.0
"""The pure parts of `make bench`. Nothing here asserts a time: the times are the benchmark's own to judge."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from powercontext_deerflow.api.wire import decode_prepared, decode_remembered, decode_search
from powercontext_deerflow.limits import byte_length
from scripts.bench import rows, stub, timing
from scripts.bench.page import Panel, Table, chart, code_lines, markdown, page
from scripts.bench.timing import Rounds, Spread, Storm

# What the benchmarks page promises to compare, in its order.
REQUIRED = [
    "p50 8 KB, of bare `httpx.Client.post`",
    "p50 32 KB, of the same",
    "p50 8 KB, of the official client on its own loop",
    "throughput 32 threads, of `httpx.Client.post`",
    "throughput 32 threads, of the official client's gather(32)",
    "`aget_context` p50, of native `httpx.AsyncClient`",
    "missed 2 s deadlines, healthy server, 64 threads, 2,048 calls",
    "overshoot, every hostile case, 32 callers",
    "sockets and threads left after 128 stalled calls, gc off",
    "encode + decode + byte check, of the generated path",
    "`import powercontext_deerflow`, of `powercontext.client`",
    "import until ready to recall, of the same",
    "RSS of the same",
    "a duplicate-checked save, of two bare posts of the same bytes, real server",
]


def at(position: float) -> dict[str, Spread]:
    """Figures that are worse than every *must* by ``position`` above 1, or better than every aim below it."""
    figures = {}
    for row in rows.ROWS:
        aim = row.must if row.aim is None else row.aim
        bound = row.must if position > 1 else aim
        value = bound / position if row.at_least else bound * position + (position > 1)
        figures[row.key] = Spread(value, value, value)
    return figures


def test_every_required_row_is_there_once_and_in_its_order() -> None:
    assert list(dict.fromkeys(row.what for row in rows.ROWS)) == REQUIRED
    keys = [row.key for row in rows.ROWS]
    assert len(set(keys)) == len(keys)


def test_the_json_has_a_field_for_every_row() -> None:
    said = json.loads(json.dumps(rows.verdicts(at(0.5))))
    assert list(said) == [row.key for row in rows.ROWS]
    assert list(dict.fromkeys(field["row"] for field in said.values())) == REQUIRED
    assert all(field["must_reached"] is True for field in said.values())
    assert all(field["aim_reached"] in (True, None) for field in said.values())


def test_a_run_that_reaches_every_bound_misses_none() -> None:
    assert rows.missed(at(1.0)) == []
    assert rows.missed(at(0.5)) == []


def test_a_run_that_is_worse_misses_every_row() -> None:
    assert rows.missed(at(1.5)) == list(rows.ROWS)


@pytest.mark.parametrize("row", rows.ROWS, ids=lambda row: row.key)
def test_one_missed_row_is_named(row: rows.Row) -> None:
    measured = {**at(0.5), row.key: at(1.5)[row.key]}
    assert rows.missed(measured) == [row]
    lines = rows.verdict_rows(measured)
    assert [line[3] == "**no**" for line in lines] == [one is row for one in rows.ROWS]


def test_spread_is_the_median_and_the_quartiles() -> None:
    assert timing.spread([5, 1, 2, 4, 3]) == Spread(3, 2, 4)
    assert timing.spread([7]) == Spread(7, 7, 7)


def test_the_tail_is_counted_from_the_smallest_to_the_largest() -> None:
    assert timing.p95(range(100, -1, -1)) == 95
    assert timing.p99(range(100, -1, -1)) == 99


def test_the_two_worst_of_320_calls_are_not_their_p99() -> None:
    assert timing.p99([1.0] * 318 + [1000.0] * 2) == 1.0


def test_a_ratio_is_of_one_round_only() -> None:
    """The machine got twice as slow in the second round, and ten times in the third: the ratio does not see it."""
    rounds: Rounds = {
        "ours": [[1, 1, 9], [2, 2, 2], [10, 10, 0]],
        "base": [[2, 2, 2], [4, 0, 4], [20, 20, 20]],
    }
    assert timing.p50_ratio(rounds, "ours", "base") == Spread(0.5, 0.5, 0.5)
    assert timing.p95_ratio(rounds, "ours", "base") == 0.5


def test_throughput_and_tail() -> None:
    taken = {
        "ours": [Storm(1.0, [0.001] * 99 + [0.5]), Storm(2.0, [0.001] * 100)],
        "base": [Storm(2.0, [0.002] * 100), Storm(4.0, [0.002] * 100)],
    }
    assert timing.throughput_ratio(taken, "ours", "base") == Spread(2, 2, 2)
    assert timing.p99_ms(taken["base"]) == 2.0


class Turns:
    """A caller that only notes when it was called."""

    def __init__(self, name: str, seen: list[str], costly: bool = False) -> None:
        self.name, self.costly, self._seen = name, costly, seen

    def sample(self, calls: int) -> list[float]:
        self._seen.append(f"{self.name}{calls}")
        return [1.0] * calls

    def storm(self, callers: int, each: int) -> Storm:
        self._seen.append(f"{self.name}{callers}x{each}")
        return Storm(1.0, [1.0] * callers * each)

    def close(self) -> None: ...


def test_rounds_are_interleaved_and_the_first_one_is_not_counted() -> None:
    seen: list[str] = []
    ticks: list[None] = []
    callers = [Turns("a", seen), Turns("b", seen, costly=True)]
    taken = timing.sequential(callers, 2, 24, lambda: ticks.append(None))
    assert seen == ["b2", "a24", "a24", "b2", "b2", "a24"]
    assert {name: [len(one) for one in rounds] for name, rounds in taken.items()} == {
        "a": [24, 24],
        "b": [2, 2],
    }
    assert len(ticks) == 3


def test_storms_are_interleaved() -> None:
    seen: list[str] = []
    taken = timing.storms([Turns("a", seen), Turns("b", seen)], 8, 2, 2, lambda: None)
    assert seen == ["a8x2", "b8x2", "b8x2", "a8x2"]
    assert {name: len(storm) for name, storm in taken.items()} == {"a": 2, "b": 2}


@pytest.mark.parametrize("size", stub.SIZES)
def test_the_stub_says_what_a_real_server_would(size: int) -> None:
    prepared = decode_prepared(stub.prepared_body(size), 32768)
    assert prepared is not None
    text, count = prepared
    assert byte_length(text) == count == size * 1024
    assert not text.isascii()
    found = stub.answers()
    for path, decode in (("search", decode_search), ("remember", decode_remembered)):
        head, _, body = found[f"/{size}/v1/memory/{path}".encode()].partition(b"\r\n\r\n")
        assert f"content-length: {len(body)}".encode() in head
        decode(body)


def test_a_table_is_markdown() -> None:
    shown = str(Table("Title", "Note.", ["a", "b"], [["1", "2"]]))
    assert shown == "## Title\n\nNote.\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n"


def test_the_chart_is_an_svg_with_a_bar_for_each() -> None:
    panels = [
        Panel("a < b", [("ours", 0.5), ("theirs & others", 2.0)], frozenset({"ours"})),
        Panel("more", [("ours", 3.0)], frozenset({"ours"})),
    ]
    root = ElementTree.fromstring(chart(panels))
    bars = [one for one in root.iter() if one.get("class") in ("o", "b")]
    assert [bar.get("class") for bar in bars] == ["o", "b", "o"]
    widths = [float(bar.get("width") or 0) for bar in bars]
    assert widths[1] == pytest.approx(widths[0] * 4)
    assert (
        max(float(bar.get("x") or 0) + width for bar, width in zip(bars, widths, strict=True)) < 760
    )
    texts = [one.text for one in root.iter() if one.tag.endswith("text")]
    assert texts == ["a < b", "ours", "0.50", "theirs & others", "2.00", "more", "ours", "3.00"]


def test_the_page_shows_every_row_every_table_and_the_chart() -> None:
    table = Table("Growth: nothing", "Note.", ["a"], [["1"]])
    text = page(at(0.5), [table], 2, 240.0)
    assert all(f"| {what}" in text for what in REQUIRED)
    assert str(table) in text
    assert "](benchmarks.svg)" in text
    assert f"{len(rows.ROWS)} of {len(rows.ROWS)} bounds" in text
    assert "**no**" not in text
    assert not re.search(r"/(work|root|home|tmp)\b", text)


def test_code_lines_are_neither_blank_nor_comments(tmp_path: Path) -> None:
    source = tmp_path / "some.py"
    source.write_text("# no\n\nx = 1  # yes\n    # no\ny = 2\n")
    assert code_lines([source]) == 2


def test_markdown_has_one_separator_a_column() -> None:
    assert markdown(("x", "y", "z"), []) == "| x | y | z |\n| --- | --- | --- |"
