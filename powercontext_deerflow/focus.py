# SPDX-License-Identifier: Apache-2.0
"""The pure part of the second look: a long query into short pieces, and what they found back into one short query.

Lexical retrieval admits a memory only if it holds max(2, a quarter) of the distinct query terms (DESIGN 2.16), so a
long first message finds nothing. Text in, text out: nothing here asks a server or renders anything. Linear in time.
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
_MEANT = 4  # memories that a refined query asks for
_TERMS = 3  # for each of them
_ENOUGH = 3  # terms that a memory shares with a long query that means it
_NEARLY = 0.7  # of the most that any shares
_SCANNED = 8192  # code points; a query has no more

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_RUN = re.compile(rf"[{_HAN}]+|[^\W{_HAN}]+")
_HAN_START = re.compile(f"[{_HAN}]")
_FUNCTION_WORDS = frozenset(
    """
    a about after all already also am an and another any anything are as ask at be because been before best but by
    can could did do does doing done each either else even ever every everyone first for from get gets give given
    go goes going got had has have hello help her here hey hi him his how however i if in instead into is it its
    just know last let like look looking made make many may me might more most much must my need needs never new
    next no nor not nothing now of off often on once one only or other others our out over own per please pls put
    question questions quite rather really right said same say says see set shall she should since so some
    somebody someone something still such sure take tell than thank thanks that the their them then there these
    they thing things think this those though through to today together told tomorrow too try two until up upon us
    use used using very via want wants was way we well were what whatever when where whether which while who whom
    whose why will with within without wonder would yes yesterday yet you your yours
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
    """At most eight short queries that cover the words of ``query``, the first and the last ones if it has too many.

    Neighbours first; what room is left goes to words that stand further apart.
    """
    units = list(dict.fromkeys(_units(query)))
    windows = _windows(units)
    if len(windows) > _PIECES:  # people ask first or last, and paste in between
        windows = windows[: _PIECES // 2] + windows[-_PIECES // 2 :]
    apart = max(2, len(windows))
    windows += [window for start in range(apart) for window in _windows(units[start::apart])]
    return [" ".join(window) for window in windows[:_PIECES]]


def _windows(units: Sequence[str]) -> list[list[str]]:
    windows: list[list[str]] = []
    for unit in units:
        if not windows or _weight([*windows[-1], unit]) > _WINDOW:
            windows.append([])
        windows[-1].append(unit)
    return windows


def refined(query: str, hits: Sequence[str]) -> str | None:
    """A short query for those memories in ``hits`` that ``query`` means; None if it means none of them.

    A memory is meant if it shares enough terms with the query, and nearly as many as the one that shares most. The
    terms asked for are the rarest that it shares, three of each: the server then wants at least two of them again.
    """
    asked = terms(query)
    shared = [_shared(hit, set(asked)) for hit in hits]
    most = max(map(_weight, shared), default=0)
    enough = max(_ENOUGH if len(asked) > 2 * LONG else 2, most * _NEARLY)
    meant = sorted(
        (units for units in shared if _weight(units) >= enough), key=_weight, reverse=True
    )
    spread = Counter(unit for units in shared for unit in units)
    chosen: dict[str, None] = {}
    for units in meant[:_MEANT]:
        rarest = sorted(units, key=spread.__getitem__)
        chosen.update(dict.fromkeys(rarest[:_TERMS]))
    if (
        meant and _weight(chosen) <= 2
    ):  # of two terms the server wants only one: ask for a third, which none has
        chosen.update(dict.fromkeys([term for term in asked if term not in spread][:1]))
    return " ".join(chosen) or None


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
        elif len(run) > 1 and not run.isdigit() and run not in _FUNCTION_WORDS:
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
