# SPDX-License-Identifier: Apache-2.0
"""`python -m scripts.quality [--hybrid | --large | --set DIR]`.

`--set DIR` measures a set that is not in the repository (memories.toml and prompts.toml) and prints sums only.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from pathlib import Path

from rich.console import Console

from scripts.quality import page
from scripts.quality.ask import WAYS, Filled, ask, fill
from scripts.quality.figures import Asked, Figures
from tests.real.recall_quality import dataset
from tests.support.servers.embedding import EmbeddingEndpoint
from tests.support.servers.real import PowerContextServer

MEMORIES, MANY = 1000, 10_000
SECONDS = 10.0  # of one recall: a busy machine shall not decide what is found
Sections = dict[str, str]


def measured(
    server: PowerContextServer, names: tuple[str, ...], ways: tuple[str, ...], total: int = MEMORIES
) -> dict[str, list[Asked]]:
    """Every prompt of these sets, asked in each of these ways."""
    asked: dict[str, list[Asked]] = {way: [] for way in ways}
    for name in names:
        home = Path(name) if os.sep in name else dataset.home(name)
        filled: Filled = fill(server, dataset.memories(home), total)
        for way in ways:
            asked[way] += ask(filled, home.name, dataset.prompts(home), way, SECONDS)
    return asked


def lexical() -> tuple[Sections, bool]:
    memories = page.texts()
    with PowerContextServer() as server:
        asked = measured(server, dataset.SETS, WAYS)
    new = {way: page.fresh(of_it) for way, of_it in asked.items()}
    figures, pieces = Figures(new["second look"]), Figures(new["pieces"])
    where = f"PowerContext {server.version}, {MEMORIES} memories a Scope, Python {platform.python_version()}."
    return {
        "By set": where + "\n\n" + page.by_part(asked, memories),
        "By kind": "*tidewell* and *lumora*, kept aside.\n\n"
        + page.by(lambda it: it.prompt.kind, "kind", new, memories),
        "By language": "As above.\n\n"
        + page.by(lambda it: it.prompt.language, "language", new, memories),
    }, good(figures) and figures.p95 <= 0.5 * pieces.p95


def good(figures: Figures, found: float = 0.65, unwanted: float = 0.15) -> bool:
    """The bounds that the project set itself for the prompts kept aside."""
    return (
        figures.found >= found * len(figures.relevant)
        and figures.unwanted <= unwanted * len(figures.unrelated)
        and figures.extra <= 0.35
        and figures.most_requests <= 3
    )


def large() -> tuple[Sections, bool]:
    ways = ("literal", "second look")
    with PowerContextServer() as server:
        rows = [
            (f"{total:,} memories", way, page.fresh(of_it))
            for total in (MEMORIES, MANY)
            for way, of_it in measured(server, ("tidewell",), ways, total).items()
        ]
    return {f"Among {MANY:,} memories": "*tidewell*, kept aside.\n\n" + page.totals(rows)}, True


def hybrid() -> tuple[Sections, bool]:
    ways = ("literal", "second look")
    with EmbeddingEndpoint() as model, PowerContextServer(embedding=model) as server:
        asked = measured(server, ("tidewell", "lumora"), ways, total=300)
    rows = [("with an embedding model", way, page.fresh(of_it)) for way, of_it in asked.items()]
    section = (
        "*tidewell* and *lumora*, kept aside, among 300 memories, on a server with a small multilingual model.\n\n"
        + page.totals(rows)
    )
    last = Figures(page.fresh(asked["second look"]))
    return {"With an embedding model": section}, good(last, 0.80, 0.17)


def outside(home: Path, *, model: bool) -> None:
    """Sums over a set that is not in the repository; its prompts are not printed."""
    name = str(home.resolve()) + os.sep

    def rows(server: PowerContextServer) -> str:
        asked = measured(server, (name,), WAYS, 300 if model else MEMORIES)
        by_way = page.totals((home.name, way, of_it) for way, of_it in asked.items())
        memories = {memory.id: memory.text for memory in dataset.memories(home)}
        kinds = page.by(lambda it: it.prompt.kind, "kind", asked, memories)
        return f"{by_way}\n\n{kinds}"

    if model:
        with EmbeddingEndpoint() as endpoint, PowerContextServer(embedding=endpoint) as server:
            print(rows(server))
    else:
        with PowerContextServer() as server:
            print(rows(server))


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts.quality", description=__doc__)
    parser.add_argument("--hybrid", action="store_true", help="on a server with an embedding model")
    parser.add_argument("--large", action="store_true", help=f"among {MANY:,} memories")
    parser.add_argument("--set", type=Path, help="a folder with memories.toml and prompts.toml")
    given = parser.parse_args()
    if given.set:
        outside(given.set, model=given.hybrid)
        return 0
    sections, is_good = (large if given.large else hybrid if given.hybrid else lexical)()
    Console().print(page.write(sections), markup=False, soft_wrap=True)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
