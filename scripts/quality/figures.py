# SPDX-License-Identifier: Apache-2.0
"""What came of each prompt, and the sums over many."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from tests.real.recall_quality.dataset import Prompt


@dataclass(frozen=True, slots=True)
class Asked:
    """One prompt, asked in one way."""

    set: str
    prompt: Prompt
    shown: tuple[str, ...]
    """The memories in the recalled text, by their ids in the data set; of others, that they are others."""
    requests: int = 0
    seconds: float = 0

    @property
    def found(self) -> bool:
        return set(self.prompt.expected) <= set(self.shown)

    @property
    def extra(self) -> int:
        return sum(memory not in self.prompt.expected for memory in self.shown)


@dataclass(frozen=True, slots=True)
class Figures:
    """One way of asking, over some prompts."""

    asked: Sequence[Asked]

    @property
    def relevant(self) -> list[Asked]:
        return [it for it in self.asked if it.prompt.expected]

    @property
    def unrelated(self) -> list[Asked]:
        return [it for it in self.asked if not it.prompt.expected]

    @property
    def found(self) -> int:
        return sum(it.found for it in self.relevant)

    @property
    def unwanted(self) -> int:
        return sum(bool(it.shown) for it in self.unrelated)

    @property
    def extra(self) -> float:
        return sum(it.extra for it in self.asked) / len(self.asked)

    @property
    def most_requests(self) -> int:
        return max(it.requests for it in self.asked)

    @property
    def p95(self) -> float:
        return statistics.quantiles([it.seconds for it in self.asked], n=20)[-1]

    def cells(self) -> list[str]:
        """Found, wrong, incomplete, empty, unwanted, extra, requests, p50, p95."""
        missed = [it for it in self.relevant if not it.found]
        wrong = sum(bool(it.shown) and not _partly(it) for it in missed)
        empty = sum(not it.shown for it in missed)
        return [
            _share(self.found, len(self.relevant)),
            str(wrong),
            str(len(missed) - wrong - empty),
            str(empty),
            _share(self.unwanted, len(self.unrelated)),
            f"{self.extra:.2f}",
            f"{statistics.mean(it.requests for it in self.asked):.1f} (at most {self.most_requests})",
            f"{statistics.median(it.seconds for it in self.asked) * 1000:.0f} ms",
            f"{self.p95 * 1000:.0f} ms" if len(self.asked) > 1 else "",
        ]


HEADS = ("found", "wrong", "incomplete", "empty", "unwanted", "extra", "requests", "p50", "p95")


def _partly(it: Asked) -> bool:
    return not set(it.prompt.expected).isdisjoint(it.shown)


def _share(some: int, of: int) -> str:
    return f"{some / of:.2f} ({some} of {of})" if of else ""
