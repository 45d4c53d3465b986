# SPDX-License-Identifier: Apache-2.0
"""The page: sections, of which a run replaces those that it measured."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from scripts.quality.ceiling import connects
from scripts.quality.figures import HEADS, Asked, Figures
from tests.real.recall_quality import dataset

PAGE = Path(__file__).resolve().parents[2] / "docs" / "en" / "recall-quality.md"
ABOUT = """# Recall quality

Written by `make quality`; not edited by hand. With `ARGS=--hybrid` and `ARGS=--large` it writes the sections about an
embedding model and about 10,000 memories anew.

*literal* is the one literal request (`POWERCONTEXT_DEERFLOW_RECALL_FOCUS=off`), *second look* is the default, *pieces*
is what servers up to 1.3.0 are asked, measured on the same server. The *ceiling* is an oracle that knows the wanted
memory and says whether any word of it, in whatever inflection, spelling or typing mistake, stands in the message.

*Found*: the prompts with relevant memories for which all of them are in the recalled text. Of the others, *wrong* have
only other memories in it, *incomplete* one of two, *empty* nothing. *Unwanted*: the prompts without a relevant memory
that got any text. *Extra*: memories that are not relevant, a prompt. Times are through a recording proxy on loopback.

Rules and weights were fitted to the parts *tuning* and *own_words*. Of *kept_aside* only sums were looked at, never a
prompt, but some of the thresholds were chosen in sight of those sums. *team*: two languages, most of its messages long;
*own_words* asks in words of its own. *tidewell* and *lumora*: as many short messages, follow-ups, typing mistakes,
synonyms, identifiers, numbers, names, questions for two memories, unrelated messages and decoys, which share a word
with a memory that they do not mean; *lumora* in six languages. Their writers had not seen the code.
"""


def table(heads: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def by_part(asked: dict[str, list[Asked]], memories: dict[str, str]) -> str:
    parts = dict.fromkeys((it.set, it.prompt.part) for it in asked["literal"])
    rows = []
    for name, part in parts:
        for way, all_of_it in asked.items():
            some = [it for it in all_of_it if (it.set, it.prompt.part) == (name, part)]
            rows.append([name, part, way, *Figures(some).cells(), ceiling(some, memories)])
    return table(("set", "part", "asked", *HEADS, "ceiling"), rows)


def by(
    key: Callable[[Asked], str], head: str, asked: dict[str, list[Asked]], memories: dict[str, str]
) -> str:
    ways = ("literal", "second look")
    groups = {way: _grouped(key, asked[way]) for way in ways}
    rows = [
        [
            group,
            f"{Figures(groups['literal'][group]).found}",
            *Figures(some).cells(),
            ceiling(some, memories),
        ]
        for group, some in groups["second look"].items()
    ]
    return table((head, "literal found", *HEADS, "ceiling"), rows)


def _grouped(key: Callable[[Asked], str], asked: Iterable[Asked]) -> dict[str, list[Asked]]:
    groups: dict[str, list[Asked]] = {}
    for it in asked:
        groups.setdefault(key(it), []).append(it)
    return groups


def ceiling(asked: Iterable[Asked], memories: dict[str, str]) -> str:
    wanted = [it.prompt for it in asked if it.prompt.expected]
    reached = sum(
        all(connects(prompt.text, memories[one]) for one in prompt.expected) for prompt in wanted
    )
    return f"{reached / len(wanted):.2f}" if wanted else ""


def totals(rows: Iterable[tuple[str, str, list[Asked]]]) -> str:
    cells = [[first, way, *Figures(asked).cells()] for first, way, asked in rows]
    return table(("", "asked", *HEADS), cells)


def write(sections: dict[str, str]) -> str:
    """The page, with these sections in place of its own of the same name."""
    kept: dict[str, str] = {}
    if PAGE.exists():
        parts = re.split(r"^## (.+)\n", PAGE.read_text(), flags=re.MULTILINE)[1:]
        kept = dict(zip(parts[::2], (text.strip() for text in parts[1::2]), strict=True))
    text = ABOUT + "".join(
        f"\n## {name}\n\n{body.strip()}\n" for name, body in {**kept, **sections}.items()
    )
    PAGE.write_text(text)
    return text


def fresh(asked: Iterable[Asked]) -> list[Asked]:
    """Of the newer sets what was kept aside."""
    return [it for it in asked if it.set != "team" and it.prompt.part == "kept_aside"]


def texts() -> dict[str, str]:
    return {
        memory.id: memory.text
        for name in dataset.SETS
        for memory in dataset.memories(dataset.home(name))
    }
