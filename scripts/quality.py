# SPDX-License-Identifier: Apache-2.0
"""`make quality`: what recall finds on a real server, literally and with the second look, written to the docs.

The data set (tests/real/recall_quality) has a part that the second look was tuned on and one that was kept aside.
A Scope of 1,000 memories, a real PowerContext server as it is installed (no embedding model), requests counted by a
recording proxy.
"""

from __future__ import annotations

import platform
import re
import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from rich.console import Console
from rich.progress import track

from powercontext_deerflow import PowerContext, Recalled, Secret, Settings
from powercontext_deerflow.operations import second_look as focus
from tests.real.recall_quality import dataset
from tests.support.servers.proxy import RecordingProxy
from tests.support.servers.real import PowerContextServer

MEMORIES = 1000
PAGE = Path(__file__).resolve().parent.parent / "docs" / "en" / "recall-quality.md"
_ARTIFACT = re.compile(r'^    Artifact: family="atomic-memory", id="([^"]+)"', re.MULTILINE)


@dataclass
class Figures:
    """One way of asking, over one part of the prompts."""

    asked: int = 0
    relevant: int = 0
    found: int = 0
    extra: int = 0
    unwanted: int = 0
    requests: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def p95(self) -> float:
        return statistics.quantiles(self.seconds, n=20)[-1]

    def row(self) -> list[str]:
        unrelated = self.asked - self.relevant
        return [
            f"{self.found / self.relevant:.2f} ({self.found} of {self.relevant})",
            f"{self.extra / self.asked:.2f}",
            f"{self.unwanted / unrelated:.2f} ({self.unwanted} of {unrelated})",
            f"{statistics.mean(self.requests):.1f} (at most {max(self.requests)})",
            f"{statistics.median(self.seconds) * 1000:.0f} ms",
            f"{self.p95 * 1000:.0f} ms",
        ]

    @property
    def good(self) -> bool:
        """The bounds that the project set itself for the prompts kept aside."""
        return (
            self.found >= 0.75 * self.relevant
            and self.extra <= 0.4 * self.asked
            and self.unwanted <= 0.15 * (self.asked - self.relevant)
            and max(self.requests) <= 12
            and self.p95 <= 0.5
        )


def fill(server: PowerContextServer, scope_id: str) -> dict[str, str]:
    """Save the data set and unrelated memories; artifact id to data set id."""
    known = {}
    for memory in track(dataset.memories(), "Saving the data set ...", transient=True):
        answer = server.remember(scope_id, memory.text, memory.kind)
        known[answer["records"][0]["artifact"]["artifact_id"]] = memory.id
    fillers = dataset.filler(MEMORIES - len(known), seed=1)
    for text in track(fillers, "Saving unrelated memories ...", transient=True):
        server.remember(scope_id, text)
    return known


def ask(
    client: PowerContext, proxy: RecordingProxy, part: dataset.Part, known: dict[str, str]
) -> Figures:
    figures = Figures()
    for prompt in dataset.prompts(part):
        proxy.clear()
        started = time.perf_counter()
        recalled = client.recall(prompt.text)
        figures.seconds.append(time.perf_counter() - started)
        figures.requests.append(len(proxy.requests))
        content = recalled.content if isinstance(recalled, Recalled) else ""
        shown = [known.get(artifact, "unrelated") for artifact in _ARTIFACT.findall(content)]
        figures.asked += 1
        figures.extra += sum(memory not in prompt.expected for memory in shown)
        if prompt.expected:
            figures.relevant += 1
            figures.found += set(prompt.expected) <= set(shown)
        else:
            figures.unwanted += bool(shown)
    return figures


def in_other_words(part: dataset.Part) -> str:
    """The share of prompts that have fewer than two words of a memory that they want, in the same form."""
    words = {memory.id: set(focus.terms(memory.text)) for memory in dataset.memories()}
    wanted = [prompt for prompt in dataset.prompts(part) if prompt.expected]
    far = [
        prompt
        for prompt in wanted
        if any(
            len(words[one].intersection(focus.terms(prompt.text))) < 2 for one in prompt.expected
        )
    ]
    return f"{len(far) / len(wanted):.2f}"


def page(server: PowerContextServer, rows: list[tuple[dataset.Part, str, Figures]]) -> str:
    heads = (
        "prompts",
        "in other words",
        "asked",
        "found",
        "extra a prompt",
        "unwanted",
        "requests",
    )
    lines = [" | ".join((*heads, "p50", "p95")), " | ".join("---" for _ in range(len(heads) + 2))]
    for part, how, figures in rows:
        lines.append(" | ".join((part, in_other_words(part), how, *figures.row())))
    table = "\n".join(f"| {line} |" for line in lines)
    return f"""# Recall quality

Written by `make quality`; not edited by hand.

{len(dataset.memories())} memories that matter among {MEMORIES} in one Scope, {len(dataset.prompts())} first
messages of ordinary work in English and Chinese (`tests/real/recall_quality`), a real PowerContext {server.version}
without
an embedding model, Python {platform.python_version()}, through a recording proxy on loopback.

{table}

The second look was tuned on *tuning*. The writers of *kept_aside* and *own_words* had not seen its code. Those of
*own_words* were asked for words of their own, those of *kept_aside* for the names that everybody in the team uses.
*own_words* was then used for tuning, too. Of *kept_aside* only these sums were looked at, twice, and never a prompt.

*In other words*: the share of prompts that have fewer than two words of a memory that they want in the same form, which
a search by words can hardly find. *Found*: the share of prompts with relevant memories for which all of them are in the
recalled text. *Extra*: other memories in it, a prompt. *Unwanted*: the share of prompts without a relevant memory that
got any text. *literal* is one literal request (`POWERCONTEXT_DEERFLOW_RECALL_FOCUS=off`), *second look* is the
default.
"""


def main() -> int:
    console = Console()
    rows: list[tuple[dataset.Part, str, Figures]] = []
    with PowerContextServer() as server, RecordingProxy(server.base_url) as proxy:
        scope_id = server.create_scope("recall quality")
        known = fill(server, scope_id)
        for how, second_look in (("literal", False), ("second look", True)):
            settings = Settings(
                base_url=proxy.base_url,
                scope_id=scope_id,
                token=Secret(server.token),
                recall_focus=second_look,
            )
            with PowerContext(settings) as client:
                client.recall("订单服务")  # the server loads its Chinese dictionary once
                parts: tuple[dataset.Part, ...] = get_args(dataset.Part)
                rows += [(part, how, ask(client, proxy, part, known)) for part in parts]
        text = page(server, rows)
    PAGE.write_text(text)
    console.print(text, markup=False, soft_wrap=True)
    part, _, last = rows[-1]
    return 0 if part == "kept_aside" and last.good else 1


if __name__ == "__main__":
    sys.exit(main())
