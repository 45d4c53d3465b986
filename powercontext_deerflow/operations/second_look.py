# SPDX-License-Identifier: Apache-2.0
"""The pure part of the second look: a long query into short pieces, and what they found back into one short query.

Lexical retrieval admits a memory only if it holds max(2, a quarter) of the distinct query terms, so a long first
message finds nothing. Text in, text out: nothing here asks a server or renders anything. Linear in time, and of any
number of memories of any length no more than a fixed amount of text is read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from powercontext_deerflow.limits import nfc

T = TypeVar("T")

LONG = 2
"""Terms; of more than these the server wants two or more in one memory."""
_PIECES = 10
_NAMED = 4  # pieces of names
_WORDS = 80  # that are cut into pieces
_WINDOW = 8  # terms of Chinese in one piece: of eight the server wants two
_MEANT = 4  # memories that a refined query asks for
_TERMS = 3  # for each of them
_ENOUGH = 3  # terms that a memory shares with a long query that means it
_PART = 1 / 6  # of its own terms that a memory must share
_NEARLY = 0.6  # of the most that any shares
_SCANNED = 8192  # code points; a query has no more
_READ = 4 * _SCANNED
"""Code points of all memories together, in equal parts: people begin with what it is about."""
_LONGEST_WORD = 40  # code points; longer ones are hashes and the like
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
    """.split()  # noqa: SIM905 - as below
)
_HAN_START = re.compile(f"[{_HAN}]")
_FUNCTION_WORDS = frozenset(
    """
    a about above across after afternoon again against ago all along already also am an and another any anybody
    anything are around as ask at away back be because been before behind below beside best between beyond both but
    by can could day days did didn do does doesn doing don done down during each eight either else enough even
    evening ever every everybody everyone everything far few fine first five for four from get gets give given go
    goes going good got great guys had half has have hello help her here hey hi him his hour hours how however
    hundred i if in instead into is isn it its just know last let like ll long look looking lot lots made make many
    may maybe me might minute minutes month months more morning most much must my near need needs never new next
    nice night nine no nobody nor not nothing now of off often ok okay old on once one only or other others our out
    over own people per person please pls probably put question questions quick quickly quite rather re really right
    said same say says second see set seven several shall she should since six small so some somebody someone
    something sorry still such sure take tell ten than thank thanks that the their them then there these they thing
    things think third this those though thought three through time times to today together told tomorrow too try
    two under until up upon us use used using ve very via want wants was way ways we week weeks well were what
    whatever when where whether which while who whole whom whose why will with within without wonder work worked
    working works would year years yes yesterday yet you your yours
    """.split()  # noqa: SIM905 - a literal of words reads better
)
_FUNCTION_HAN = re.compile(
    "我们|你们|他们|她们|它们|大家|自己|这个|那个|这些|那些|这里|那里|什么|怎么|怎样|如何|为什么|是否|可以|能够|需要|应该|帮忙"
    "|一下|一个|一些|现在|然后|因为|所以|但是|如果|还是|或者|以及|已经|没有|谢谢|你好|请问|[的了吗呢吧啊呀嘛是在和与或把被给请我你他她它帮想就也都很还又再]"
)


def terms(text: str) -> list[str]:
    """The distinct terms of ``text`` that carry meaning, in order: words, and pairs of Chinese characters."""
    found: dict[str, None] = {}
    for unit in _units(nfc(text[:_SCANNED])):
        found.update(dict.fromkeys(_unit_terms(unit)))
    return list(found)


def is_long(query: str) -> bool:
    """Whether the server's rule can hide a memory from this query."""
    units: set[str] = set()
    for unit in _units(nfc(query[:_SCANNED])):
        units.add(unit)
        if _weight(units) > LONG:
            return True
    return False


def pieces(query: str) -> list[str]:
    """At most ten short queries for the words of ``query``; from the middle of a very long one, none.

    Of two terms the server wants only one: words go in pairs, names first, then the longest, which are the rarest.
    Where a word of Chinese ends, only the server knows: neighbours go together, in windows of which it wants two.
    """
    query = nfc(query[:_SCANNED])
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


def refined(query: str, hits: Sequence[str]) -> str | None:
    """A short query for those memories in ``hits``, in NFC as servers store them, that ``query`` means, or None.

    A memory is meant if it shares enough terms with the query, a fair part of its own, and nearly as many as the one
    that shares most. The terms asked for are the rarest that it shares, three of each: the server then wants at least
    two of them again.
    """
    query = nfc(query[:_SCANNED])
    asked = terms(query)
    stems, names = set(map(_stem, asked)), set(map(_stem, _names(query)))
    part = _READ // max(len(hits), 1)
    said = {hit: list(_units(hit[:part])) for hit in hits}
    shared = {hit: tuple(_shared(own, stems)) for hit, own in said.items()}
    spread = Counter(stem for units in shared.values() for stem in set(map(_stem, units)))
    worth: dict[tuple[str, ...], float] = {}
    for hit, units in shared.items():
        own = said[hit]
        points = _points(units, own[0] if own else "", names, spread)
        if points >= max(_ENOUGH, _weight(own) * _PART):
            worth[units] = points
    most = max(worth.values(), default=0)
    meant = sorted(worth, key=worth.__getitem__, reverse=True)
    meant = [units for units in meant if worth[units] >= most * _NEARLY][:_MEANT]
    chosen: dict[str, None] = {}
    for units in meant:
        rarest = sorted(units, key=lambda unit: spread[_stem(unit)])
        chosen.update(dict.fromkeys(rarest[:_TERMS]))
    if meant and _weight(chosen) <= 2:
        # Of two terms the server wants only one, which would let others in: add a term that no hit shares.
        chosen.update(dict.fromkeys([term for term in asked if _stem(term) not in spread][:1]))
    return " ".join(chosen) or None


def _points(shared: Iterable[str], subject: str, names: set[str], spread: Counter[str]) -> float:
    """The terms that a memory shares, each form of a word once; those that tell count twice.

    A name tells. So does the word that a memory begins with, its subject as people write, if no other hit has it.
    """
    counted: dict[str, float] = {}
    for unit in shared:
        stem = _stem(unit)
        tells = stem in names or (spread[stem] == 1 and _begins(unit, subject))
        counted[stem] = max(counted.get(stem, 0), _weight([unit]) * (2 if tells else 1))
    return sum(counted.values())


def _begins(unit: str, subject: str) -> bool:
    return unit[:2] == subject[:2] if _is_han(unit) else _stem(unit) == _stem(subject)


def _shared(own: Iterable[str], asked: set[str]) -> list[str]:
    """The words and the longest stretches of Chinese in a memory's ``own`` that the query has, too."""
    found: dict[str, None] = {}
    for unit in own:
        if not _is_han(unit):
            found.update({unit: None} if _stem(unit) in asked else {})
            continue
        start = 0
        for at in range(len(unit)):
            if unit[at : at + 2] not in asked:  # the last character pairs with nothing
                if at > start:
                    found[unit[start : at + 1]] = None
                start = at + 1
    return list(found)


def _units(text: str) -> Iterator[str]:
    """Words, and runs of Chinese between function words, caseless; nothing longer than a person would write."""
    for match in _RUN.finditer(text[:_SCANNED].casefold()):
        run = match[0]
        if _is_han(run):
            for part in _FUNCTION_HAN.sub(" ", run).split():
                for at in range(0, len(part) - 1, _LONGEST_RUN):
                    yield part[at : at + _LONGEST_RUN]
        elif len(run) <= _LONGEST_WORD and not run.isdigit() and run not in _FUNCTION_WORDS:
            yield run


def _names(text: str) -> set[str]:
    """Words that look like names: acronyms, identifiers, and Latin words in a line of Chinese."""
    found = set()
    for line in text[:_SCANNED].splitlines():
        chinese = len(_HAN_START.findall(line)) > len(line) // 4
        for word in _RUN.findall(line):
            telling = _NAME.search(word) or (chinese and len(word) > 2 and word.isascii())
            if telling and word.casefold() not in _MACHINE_WORDS:
                found.add(word.casefold())
    return found


def _stem(word: str) -> str:
    """Enough of English inflection to see one word in two forms; Chinese is as it is."""
    if word[-1:] not in "degs":
        return word
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            word = word[: -len(ending)]
            break
    return word.removesuffix("e")


def _unit_terms(unit: str) -> Iterable[str]:
    if _is_han(unit):
        return (unit[at : at + 2] for at in range(len(unit) - 1))
    return (unit,)


def _weight(units: Iterable[str]) -> float:
    """About how many terms the server will count: it cuts Chinese into words of about two characters."""
    return sum(len(unit) / 2 if _is_han(unit) else 1 for unit in set(units))


def _is_han(unit: str) -> bool:
    return unit >= "\u3400" and _HAN_START.match(unit) is not None
