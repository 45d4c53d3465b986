# SPDX-License-Identifier: Apache-2.0
"""One run of `make bench`: what its phases share, and what they hand in."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.progress import Progress

from scripts.bench.page import Panel, Table
from scripts.bench.stub import Stub
from scripts.bench.timing import Spread


@dataclass
class Run:
    stub: Stub
    quick: bool
    """The bounds only."""
    progress: Progress
    started: float = field(default_factory=time.monotonic)
    measured: dict[str, Spread] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    panels: list[Panel] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self.started

    @contextmanager
    def phase(self, name: str, steps: float) -> Iterator[Callable[[], None]]:
        task = self.progress.add_task(name, total=steps)
        yield lambda: self.progress.advance(task)
        self.progress.update(task, completed=steps)
