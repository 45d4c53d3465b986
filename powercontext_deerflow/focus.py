# SPDX-License-Identifier: Apache-2.0
"""The pure part of the second look: a long query into short pieces, and what they found back into one short query.

Lexical retrieval admits a memory only if it holds max(2, a quarter) of the distinct query terms (DESIGN 2.16), so a
long first message finds nothing. Text in, text out: nothing here asks a server or renders anything. Linear in the query.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

LONG = 8
"""Terms; from more than these on, the server wants more than two of them in one memory."""
_WINDOW = 8  # terms of one piece: of eight the server wants two
_PIECES = 8
_HITS = 4  # memories that a refined query asks for
_SCANNED = 8192  # code points; a query has no more

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_RUN = re.compile(rf"[{_HAN}]+|[^\W{_HAN}]+")
_HAN_START = re.compile(f"[{_HAN}]")
_FUNCTION_WORDS = frozenset(
    """
    a about after all also am an and any are as at be because been before but by can could did do does doing done for
    from get got had has have hello help here hey hi how i if in into is it its just know let like make me more my need
    no not of on one only or other our out over own please put same should so some such than thank thanks that the
    their them then there these they this those to too two up us use using very want was we well were what when where
    which while who why will with would you your
    """.split()  # noqa: SIM905 - a literal of words reads better
)
_FUNCTION_HAN = re.compile(
    "我们|你们|他们|她们|它们|大家|自己|这个|那个|这些|那些|这里|那里|什么|怎么|怎样|如何|为什么|是否|可以|能够|需要|应该|帮忙"
    "|一下|一个|一些|现在|然后|因为|所以|但是|如果|还是|或者|以及|已经|没有|谢谢|你好|请问|[的了吗呢吧啊呀嘛是在和与或把被给请我你他她它帮想就也都很还又再]"
)


def terms(text: str) -> list[str]:
    """The distinct terms of ``text`` that carry meaning, in order: words, and pairs of Chinese characters."""
    found: dict[str, None] = {}
    for unit in _units(text):
        found.update(dict.fromkeys(_unit_terms(unit)))
    return list(found)


def is_long(query: str) -> bool:
    """Whether the server's rule can hide a memory from this query."""
    return _weight(_units(query)) > LONG


def pieces(query: str) -> list[str]:
    """At most eight short queries that cover the words of ``query``, the first and the last ones if it has too many."""
    windows: list[list[str]] = [[]]
    for unit in dict.fromkeys(_units(query)):
        if windows[-1] and _weight([*windows[-1], unit]) > _WINDOW:
            windows.append([])
        windows[-1].append(unit)
    if len(windows) > _PIECES:  # people ask first or last, and paste in between
        windows = windows[: _PIECES // 2] + windows[-_PIECES // 2 :]
    return [" ".join(window) for window in windows if window]


def refined(query: str, hits: Sequence[str]) -> str | None:
    """A short query, made of terms that ``query`` shares with the memories in ``hits`` that it means; None if none.

    A memory is meant if it shares at least two terms with the query. Of each, the rarest among the hits are asked for.
    """
    asked = set(terms(query))
    shared = [_shared(hit, asked) for hit in hits]
    spread = Counter(unit for units in shared for unit in units)
    meant = sorted((units for units in shared if _weight(units) >= 2), key=lambda u: -_weight(u))
    if not meant:
        return None
    chosen: dict[str, None] = {}
    for units in meant[:_HITS]:
        rarest = sorted(units, key=lambda unit: spread[unit])
        chosen.update(dict.fromkeys(rarest[:2]))
    return " ".join(chosen)


def _shared(hit: str, asked: set[str]) -> list[str]:
    """The words and the longest stretches of Chinese in ``hit`` that the query has, too."""
    found: dict[str, None] = {}
    for unit in _units(hit):
        if not _is_han(unit):
            found.update({unit: None} if unit in asked else {})
            continue
        start = 0
        for at in range(len(unit)):
            if unit[at : at + 2] not in asked:  # the last character pairs with nothing
                if at > start:
                    found[unit[start : at + 1]] = None
                start = at + 1
    return list(found)


def _units(text: str) -> list[str]:
    """Words, and runs of Chinese between function words; what is not cased is as it was."""
    units = []
    for run in _RUN.findall(unicodedata.normalize("NFC", text[:_SCANNED]).casefold()):
        if _is_han(run):
            units += [part for part in _FUNCTION_HAN.sub(" ", run).split() if len(part) > 1]
        elif len(run) > 1 and run not in _FUNCTION_WORDS:
            units.append(run)
    return units


def _unit_terms(unit: str) -> Iterable[str]:
    if _is_han(unit):
        return (unit[at : at + 2] for at in range(len(unit) - 1))
    return (unit,)


def _weight(units: Iterable[str]) -> float:
    """About how many terms the server will count: it cuts Chinese into words of about two characters."""
    return sum(len(unit) / 2 if _is_han(unit) else 1 for unit in set(units))


def _is_han(unit: str) -> bool:
    return _HAN_START.match(unit) is not None
