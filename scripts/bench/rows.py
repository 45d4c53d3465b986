# SPDX-License-Identifier: Apache-2.0
"""Where the product must arrive, and whether a run of `make bench` did: the bounds, and the verdict as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scripts.bench.timing import Spread


@dataclass(frozen=True)
class Row:
    """One bound on one figure. ``what`` is the requirement's own wording; two rows may share it."""

    key: str
    what: str
    must: float
    aim: float | None
    unit: str = ""
    at_least: bool = False

    def holds(self, value: float, bound: float | None) -> bool | None:
        if bound is None:
            return None
        return value >= bound if self.at_least else value <= bound

    def shown(self, bound: float | None) -> str:
        return "" if bound is None else f"{'≥' if self.at_least else '≤'} {bound:g}{self.unit}"


HEADS = ("whole recall, same run", "measured (quartiles)", "must", "reached", "aim", "reached")
_OVERSHOOT = "overshoot, every hostile case, 32 callers"
ROWS = (
    Row("p50_8kb_of_httpx_post", "p50 8 KB, of bare `httpx.Client.post`", 0.75, 0.40),
    Row("p50_32kb_of_httpx_post", "p50 32 KB, of the same", 0.85, 0.50),
    Row("p50_8kb_of_official", "p50 8 KB, of the official client on its own loop", 0.50, 0.25),
    Row(
        "throughput_32_of_httpx_post",
        "throughput 32 threads, of `httpx.Client.post`",
        *(1.3, 3.0),
        at_least=True,
    ),
    Row(
        "throughput_32_of_official",
        "throughput 32 threads, of the official client's gather(32)",
        *(3.0, 8.0),
        at_least=True,
    ),
    Row(
        "aget_context_p50_of_async_client",
        "`aget_context` p50, of native `httpx.AsyncClient`",
        *(0.50, 0.35),
    ),
    Row(
        "missed_deadlines",
        "missed 2 s deadlines, healthy server, 64 threads, 2,048 calls",
        *(0, 0),
    ),
    Row("overshoot_p99_ms", _OVERSHOOT, 10, 5, unit=" ms"),
    Row("overshoot_max_ms", _OVERSHOOT, 25, None, unit=" ms"),
    Row(
        "left_after_stalls",
        "sockets and threads left after 128 stalled calls, gc off",
        *(0, 0),
    ),
    Row(
        "codec_of_generated",
        "encode + decode + byte check, of the generated path",
        *(0.45, 0.35),
    ),
    Row(
        "import_of_official",
        "`import powercontext_deerflow`, of `powercontext.client`",
        *(0.05, 0.03),
    ),
    Row("ready_of_official", "import until ready to recall, of the same", 0.15, 0.10),
    Row("rss_of_official", "RSS of the same", 0.35, 0.25),
    Row(
        "save_of_two_posts",
        "a duplicate-checked save, of two bare posts of the same bytes, real server",
        *(1.10, 1.05),
    ),
)


def verdicts(measured: Mapping[str, Spread]) -> dict[str, dict[str, object]]:
    """A field for every row: the value, its quartiles, the bounds, and whether they were reached."""
    return {row.key: _verdict(row, measured[row.key]) for row in ROWS}


def _verdict(row: Row, value: Spread) -> dict[str, object]:
    return {
        "row": row.what,
        "value": value.median,
        "quartiles": [value.low, value.high],
        "unit": row.unit.strip() or "ratio or count",
        "better": "higher" if row.at_least else "lower",
        "must": row.must,
        "must_reached": row.holds(value.median, row.must),
        "aim": row.aim,
        "aim_reached": row.holds(value.median, row.aim),
    }


def missed(measured: Mapping[str, Spread]) -> list[Row]:
    """The rows whose *must* was not reached."""
    return [row for row in ROWS if not row.holds(measured[row.key].median, row.must)]


def verdict_rows(measured: Mapping[str, Spread]) -> list[list[str]]:
    """For a table: what, measured, must, reached, aim, reached."""
    said = {True: "yes", False: "**no**", None: ""}
    rows = []
    for row in ROWS:
        value = measured[row.key]
        is_count = row.key in ("missed_deadlines", "left_after_stalls")
        rows.append(
            [
                row.what + (" (the worst call)" if row.key == "overshoot_max_ms" else ""),
                (f"{value.median:.0f}" if is_count else str(value)) + row.unit,
                row.shown(row.must),
                said[row.holds(value.median, row.must)],
                row.shown(row.aim),
                said[row.holds(value.median, row.aim)],
            ]
        )
    return rows
