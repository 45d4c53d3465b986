# SPDX-License-Identifier: Apache-2.0
"""`make docs`: pictures of the rooms (from the import contracts in pyproject.toml), and of a recall and a save."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs"
_WIDTH, _LEFT, _GAP = 860, 20, 10
_ROW, _BOX = 62, 40
_INK = "#7d8590"  # legible on white and on black
WAYS = {
    "recall": (
        ("DeerFlow", "a new conversation: get_context, or aget_context on its event loop"),
        ("host/runtime", "the owner, byte for byte; is there a query; is the breaker open"),
        (
            "operations/recall",
            "at most 8192 code points of the query; one deadline for all that follows",
        ),
        ("api/calls", "the request: four keys that every server takes"),
        (
            "transport/engine",
            "a place, a connection, the bytes: by the deadline, at most 1 MiB, no redirect",
        ),
        ("PowerContext", "prepared context, or nothing"),
        (
            "api/wire/recall",
            "strictly decoded: status, byte count, budget; anything else is discarded",
        ),
        (
            "operations/choice",
            "if it found nothing that is meant: one wide search, a choice, prepare again",
        ),
        ("host/runtime", "no text that closes DeerFlow's block; one event without content"),
        ("DeerFlow", "the text, unchanged, before the user's message; or nothing"),
    ),
    "save": (
        ("DeerFlow", "the model calls the tool remember, because the user asked for it"),
        ("host/runtime", "the owner, byte for byte; the breaker never stops a save"),
        (
            "client",
            "the text: NFC, at most 8192 bytes; equal saves are one; saves go one at a time",
        ),
        ("operations/lookup", "is this very text there: at most 30 % of the deadline"),
        ("operations/save", "sent once, whatever happens, on a thread that outlives its caller"),
        ("PowerContext", "stores it"),
        ("api/wire/memories", "saved only if the answer names this very text and kind"),
        (
            "operations/save",
            "an answer that is lost or foreign: unknown, unless one look finds the memory",
        ),
        ("host/runtime", "one event without content, by the thread that made the save"),
        ("host/tools", "saved, already saved, unknown; or rejected, not sent, as a failure"),
    ),
}
"""Each step: the room, and what happens and is bounded there."""
OTHERS = ("DeerFlow", "PowerContext")
_ROOM, _STEP = 190, 52


def layers() -> list[list[str]]:
    """The rooms, the highest layer first."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    contracts = {found["name"]: found for found in declared["contracts"]}
    return [layer.split(" | ") for layer in contracts["the rooms"]["layers"]]


def rooms() -> str:
    rows = layers()
    parts = []
    for at, row in enumerate(rows):
        parts += _boxes(row, at * _ROW + 10)
        if at + 1 < len(rows):
            parts.append(_arrow(_WIDTH // 2, at * _ROW + 10 + _BOX, _ROW - _BOX))
    return _drawn(parts, _ROW * len(rows))


def way(name: str) -> str:
    """What goes through which rooms, in its order."""
    parts = []
    for at, (room, what) in enumerate(WAYS[name]):
        top = at * _STEP + 8
        dashes = ' stroke-dasharray="4 3"' if room in OTHERS else ""
        parts.append(
            f'<rect x="{_LEFT}" y="{top}" width="{_ROOM}" height="34" rx="6" fill="none"'
            f' stroke="{_INK}"{dashes}/>'
            f'<text x="{_LEFT + _ROOM // 2}" y="{top + 22}">{escape(room)}</text>'
            f'<text x="{_LEFT + _ROOM + 16}" y="{top + 22}" text-anchor="start">{escape(what)}</text>'
        )
        if at + 1 < len(WAYS[name]):
            parts.append(_arrow(_LEFT + _ROOM // 2, top + 34, _STEP - 34))
    return _drawn(parts, _STEP * len(WAYS[name]))


def _drawn(parts: list[str], height: int) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}"'
        f' viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" font-size="15"'
        f' text-anchor="middle" fill="{_INK}">'
    )
    return "\n".join([head, *parts, "</svg>"]) + "\n"


def _boxes(row: list[str], top: int) -> list[str]:
    width = (_WIDTH - 2 * _LEFT - _GAP * (len(row) - 1)) / len(row)
    drawn = []
    for at, name in enumerate(row):
        left = _LEFT + at * (width + _GAP)
        drawn.append(
            f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{_BOX}" rx="6"'
            f' fill="none" stroke="{_INK}"/>'
            f'<text x="{left + width / 2:.1f}" y="{top + 25}">{escape(name)}</text>'
        )
    return drawn


def _arrow(middle: int, top: int, length: int) -> str:
    tip = top + length - 3
    return (
        f'<path d="M{middle} {top + 3}V{tip}M{middle - 5} {tip - 6}L{middle} {tip}'
        f'L{middle + 5} {tip - 6}" fill="none" stroke="{_INK}" stroke-width="1.5"/>'
    )


def pictures() -> dict[str, str]:
    """Each file below docs/, and what it holds."""
    return {"rooms.svg": rooms(), **{f"{name}.svg": way(name) for name in WAYS}}


def main() -> int:
    for name, drawn in pictures().items():
        (FOLDER / name).write_text(drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main())
