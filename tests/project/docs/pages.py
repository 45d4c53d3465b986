# SPDX-License-Identifier: Apache-2.0
"""The documentation as data: headings, code blocks and links of each page, and which pages are two of a kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ENGLISH_ONLY = {
    "recall-quality.md",
    "benchmarks.md",
    "evidence.md",
    "api.md",
    "compatibility.md",
}  # each written by a target of the Makefile

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r" +# .*$", re.MULTILINE)
_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    language: str
    text: str


@dataclass(frozen=True)
class Page:
    path: Path

    def __str__(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def prose(self) -> str:
        return _FENCE.sub("", self.text)

    @property
    def blocks(self) -> list[Block]:
        return [Block(*found) for found in _FENCE.findall(self.text)]

    @property
    def uncommented(self) -> list[Block]:
        """The blocks without trailing comments, which may be translated."""
        return [Block(block.language, _COMMENT.sub("", block.text)) for block in self.blocks]

    def blocks_in(self, language: str) -> list[str]:
        return [block.text for block in self.blocks if block.language == language]

    @property
    def headings(self) -> list[tuple[int, str]]:
        return [(len(marks), title) for marks, title in _HEADING.findall(self.prose)]

    @property
    def anchors(self) -> set[str]:
        """As GitHub makes them."""
        return {
            re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for _, title in self.headings
        }

    @property
    def links(self) -> list[str]:
        return _LINK.findall(self.prose)

    def rows(self) -> Iterator[list[str]]:
        """The cells of every table row, heads included."""
        for line in self.prose.splitlines():
            if line.startswith("|"):
                yield [cell.strip() for cell in line.strip("|").split("|")]


def _page(name: str) -> Page:
    return Page(ROOT / name)


NAMES = {path.name for path in ROOT.glob("docs/*/*.md")} - ENGLISH_ONLY
PAIRS = [(_page("README.md"), _page("README.zh.md"))] + [
    (_page(f"docs/en/{name}"), _page(f"docs/zh/{name}")) for name in sorted(NAMES)
]
PAGES = [
    *(page for pair in PAIRS for page in pair),
    _page("CONTRIBUTING.md"),
    *map(Page, sorted(path for path in ROOT.glob("docs/en/*.md") if path.name in ENGLISH_ONLY)),
]
ENGLISH = [*(english for english, _ in PAIRS), _page("CONTRIBUTING.md")]
GUIDES = [_page("docs/en/POWERCONTEXT.md"), _page("docs/zh/POWERCONTEXT.md")]
README, SDK, ARCHITECTURE = map(_page, ("README.md", "docs/en/sdk.md", "docs/en/architecture.md"))
