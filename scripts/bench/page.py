# SPDX-License-Identifier: Apache-2.0
"""docs/en/benchmarks.md and its chart, from what `make bench` measured. Pure: figures in, text out."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.metadata import version
from pathlib import Path

from scripts.bench.rows import HEADS, ROWS, missed, verdict_rows
from scripts.bench.timing import Spread, digits

_LIBRARIES = ("h11", "httpx", "httpcore", "msgspec", "powercontext")
_PACKAGE = Path(__file__).resolve().parent.parent.parent / "powercontext_deerflow"
ENGINES = {
    "ours: h11 on own sockets (connection, waiting, engine, network)": [
        _PACKAGE / "transport" / f"{name}.py"
        for name in ("connection", "waiting", "engine", "network")
    ],
    "httpcore pool (scripts/bench/contender_httpcore, network; without fork guard, close budget, sent or not)": [
        Path(__file__).with_name("contender_httpcore.py"),
        _PACKAGE / "transport" / "network.py",
    ],
}

_CAVEATS = """- Loopback, two processes, two cores: a network adds the same to everyone, and ratios move towards 1.
- Everyone takes turns in one run; a ratio is of two callers in the same round, with the quartiles over all rounds. No
  absolute time is a promise.
- The raw socket, `http.client`, `httpx.Client.post` and `httpx.AsyncClient.post` send bytes made beforehand and decode
  nothing. The generated and the official client and ours encode, decode and validate.
- httpx may keep 100 connections here. With its default of 20 idle ones, 32 threads lose a call now and then (Bad file
  descriptor), because the pool closes a connection that it has just given away. We allow 32 connections.
- `PowerContext.remember` hands its work to a thread of ours and back; that costs two thread switches.
- Everyone is opened anew four times, because on which core a thread or the stub wakes is decided anew then.
- A cold `httpx.Client` builds a TLS context also for http; we build one for https only.
- While a name hangs in the system's resolver, one look-up thread for that name lives on, however many callers there
  are. The row about sockets and threads left is of stalls after the name was resolved.
- Memory is what a fresh process grew by, over a bare interpreter's."""


@dataclass(frozen=True)
class Table:
    title: str
    note: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __str__(self) -> str:
        return f"## {self.title}\n\n{self.note}\n\n{markdown(self.heads, self.rows)}\n"


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "machine": platform.machine()}
    return found | {name: version(name) for name in _LIBRARIES}


def code_lines(paths: Sequence[Path]) -> int:
    """Lines that are neither blank nor a comment."""
    lines = [line.strip() for path in paths for line in path.read_text().splitlines()]
    return sum(bool(line) and not line.startswith("#") for line in lines)


def page(
    measured: Mapping[str, Spread],
    tables: Sequence[Table],
    cores: int,
    took: float,
) -> str:
    used = ", ".join(f"{name} {number}" for name, number in versions().items())
    reached = len(ROWS) - len(missed(measured))
    lines = [[name, str(code_lines(paths))] for name, paths in ENGINES.items()]
    engines = markdown(("engine", "lines of code"), lines)
    sections = "\n".join(str(table) for table in tables)
    return f"""# Benchmarks

Written by `make bench`, in {took / 60:.1f} minutes; not edited by hand. Only ratios are given, because
only they survive the next run: absolute times drift by a fifth on the same machine.

## Where it must arrive

{reached} of {len(ROWS)} bounds that must hold were reached in this run.

{markdown(HEADS, verdict_rows(measured))}

![One recall at a time, and 32 at once, of httpx.Client.post](benchmarks.svg)

{sections}
## The engine that was not kept

The first design was httpcore's connection pool with a network backend that clamps everything to one deadline. It is in
`scripts/bench/contender_httpcore.py`, outside the product, and takes part above as *httpcore pool (not kept)*.

{engines}

## What was run

{used}, {cores} cores. A stub server in a process of its own (`scripts/bench/stub.py`: precomputed answers, mixed
English and Chinese), hostile servers in another one, a real PowerContext server for saves, and for the growing Scope
two more on one database, without access control, because they fill it nearly three times as fast.

{_CAVEATS}
"""


@dataclass(frozen=True)
class Panel:
    """Bars of one quantity; ``ours`` are drawn in the strong colour."""

    title: str
    bars: Sequence[tuple[str, float]]
    ours: frozenset[str]


_WIDTH, _LABEL, _BAR, _GAP = 760, 230, 18, 7


def chart(panels: Sequence[Panel]) -> str:
    """An SVG that is readable on white and on black."""
    parts, top = [], 10
    for panel in panels:
        parts.append(f'<text x="8" y="{top + 16}" class="t">{escape(panel.title)}</text>')
        top += 30
        longest = max(value for _, value in panel.bars)
        for name, value in panel.bars:
            width = max(1.0, (_WIDTH - _LABEL - 70) * value / longest)
            kind = "o" if name in panel.ours else "b"
            middle = top + _BAR - 5
            parts.append(f'<text x="{_LABEL - 8}" y="{middle}" class="n">{escape(name)}</text>')
            parts.append(
                f'<rect x="{_LABEL}" y="{top}" width="{width:.1f}" height="{_BAR}" class="{kind}"/>'
            )
            parts.append(f'<text x="{_LABEL + width + 6:.1f}" y="{middle}">{digits(value)}</text>')
            top += _BAR + _GAP
        top += 14
    style = (
        "text{font:12px sans-serif;fill:#1a1a1a}.t{font-weight:bold;font-size:13px}.n{text-anchor:end}"
        ".b{fill:#9aa5b1}.o{fill:#1f6feb}"
    )
    body = "\n".join(parts)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top}" role="img">
<title>Benchmarks of powercontext-deerflow</title>
<style>{style}</style>
<rect width="{_WIDTH}" height="{top}" fill="#ffffff"/>
{body}
</svg>
"""
