# SPDX-License-Identifier: Apache-2.0
"""`make docs`: docs/rooms.svg, the rooms and their arrows, from the import contracts in pyproject.toml."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "rooms.svg"
_WIDTH, _LEFT, _GAP = 860, 20, 10
_ROW, _BOX = 62, 40
_INK = "#7d8590"  # legible on white and on black


def layers() -> list[list[str]]:
    """The rooms, the highest layer first."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    contracts = {found["name"]: found for found in declared["contracts"]}
    return [layer.split(" | ") for layer in contracts["the rooms"]["layers"]]


def rooms() -> str:
    rows = layers()
    height = _ROW * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}"'
        f' viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" font-size="15"'
        f' text-anchor="middle" fill="{_INK}">'
    ]
    for at, row in enumerate(rows):
        parts += _boxes(row, at * _ROW + 10)
        if at + 1 < len(rows):
            parts.append(_arrow(at * _ROW + 10 + _BOX))
    return "\n".join([*parts, "</svg>"]) + "\n"


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


def _arrow(top: int) -> str:
    middle, tip = _WIDTH // 2, top + _ROW - _BOX - 3
    return (
        f'<path d="M{middle} {top + 3}V{tip}M{middle - 5} {tip - 6}L{middle} {tip}'
        f'L{middle + 5} {tip - 6}" fill="none" stroke="{_INK}" stroke-width="1.5"/>'
    )


def main() -> int:
    PICTURE.write_text(rooms())
    return 0


if __name__ == "__main__":
    sys.exit(main())
