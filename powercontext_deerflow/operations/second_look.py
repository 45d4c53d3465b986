# SPDX-License-Identifier: Apache-2.0
"""The short queries of a second look at servers up to 1.3.0, which have no wide search.

Those admit a memory only if it holds max(2, a quarter) of the distinct query terms. Text in, text out, linear in time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

from powercontext_deerflow.limits import nfc
from powercontext_deerflow.operations import forms, vocabulary

T = TypeVar("T")

_PIECES = 10
_NAMED = 4  # pieces of names
_WORDS = 80  # that are cut into pieces
_WINDOW = 8  # terms of Chinese in one piece: of eight the server wants two
_LONGEST_RUN = 2 * _WINDOW  # Chinese characters, about one window of words

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_RUN = re.compile(rf"[{_HAN}]{{2,}}|[^\W{_HAN}]{{2,}}")
_NAME = re.compile(r"[A-Z].*[A-Z]|[a-z]\d|_")
_MACHINE_WORDS = frozenset(  # what programs write in capitals: levels, methods, SQL
    """
    debug error fatal info trace utc warn warning delete get head patch post put false null true
    alter and as asc by column conflict create default desc distinct do drop exists from group having if in index
    insert into is join key left like limit not nothing null on or order primary returning right select set table
    then union unique update values when where with
    """.split()  # noqa: SIM905 - a literal of words reads better
)
_HAN_START = re.compile(f"[{_HAN}]")


def pieces(query: str) -> list[str]:
    """At most ten short queries for the words of ``query``; from the middle of a very long one, none.

    Of two terms the server wants only one: words go in pairs, names first, then the longest, which are the rarest.
    Where a word of Chinese ends, only the server knows: neighbours go together, in windows of which it wants two.
    """
    query = nfc(query[: forms.MOST])
    units = list(dict.fromkeys(_units(query)))
    names = _names(query)
    words = _ends([unit for unit in units if not _is_han(unit)], _WORDS)
    words.sort(key=lambda word: (word not in names, -len(word)))
    named = min(2 * _NAMED, sum(word in names for word in words))
    found = _grouped(words[:named], 2)
    windows = _grouped([unit for unit in units if _is_han(unit)], _WINDOW)
    found += _ends(windows, _PIECES - len(found)) + _grouped(words[named:], 2)
    return [" ".join(group) for group in found[:_PIECES]]


def _ends(things: list[T], most: int) -> list[T]:
    """People ask first or last, and paste in between."""
    return things if len(things) <= most else things[: most // 2] + things[-(most // 2) :]


def _grouped(units: Iterable[str], weight: float) -> list[list[str]]:
    groups: list[list[str]] = []
    for unit in units:
        if not groups or _weight([*groups[-1], unit]) > weight:
            groups.append([])
        groups[-1].append(unit)
    return groups


def _units(text: str) -> Iterator[str]:
    """Words, and runs of Chinese between function words, caseless; nothing longer than a person would write."""
    for run in _RUN.findall(text.casefold()[: forms.MOST]):
        if _is_han(run):
            for part in forms.FUNCTION_HAN.sub(" ", run).split():
                for at in range(0, len(part) - 1, _LONGEST_RUN):
                    yield part[at : at + _LONGEST_RUN]
        elif len(run) <= forms.LONGEST and not run.isdigit() and run not in vocabulary.FUNCTION:
            yield run


def _names(text: str) -> set[str]:
    """Words that look like names: acronyms, identifiers, and Latin words in a line of Chinese."""
    found = set()
    for line in text.splitlines():
        chinese = len(_HAN_START.findall(line)) > len(line) // 4
        for word in _RUN.findall(line):
            telling = _NAME.search(word) or (chinese and len(word) > 2 and word.isascii())
            if telling and word.casefold() not in _MACHINE_WORDS:
                found.add(word.casefold())
    return found


def _weight(units: Iterable[str]) -> float:
    """About how many terms the server will count: it cuts Chinese into words of about two characters."""
    return sum(len(unit) / 2 if _is_han(unit) else 1 for unit in set(units))


def _is_han(unit: str) -> bool:
    return unit >= "\u3400" and _HAN_START.match(unit) is not None
