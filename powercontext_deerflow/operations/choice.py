# SPDX-License-Identifier: Apache-2.0
"""Which of the memories that a search found a message means, as a sum of evidence.

Text in, a choice out: nothing here asks a server or renders anything. Of any number of memories of any length no more
than a fixed amount of text is read, in time linear in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from math import log
from typing import NamedTuple

from powercontext_deerflow.operations import forms, vocabulary

_READ = 4 * forms.MOST
"""Code points of all memories together, in equal parts: people begin with what it is about."""
_ASKED = 400  # words of a message; of a longer one its ends are read
_SUBJECT, _BEGINNING = 2, 80  # words, within so many characters
_MOST = 4  # memories that are chosen
_TERMS = 3  # words of each that are asked for again; a server wants a quarter of all
_HAN_LENGTH = 8  # characters of a stretch without spaces, about four words


class _Weights(NamedTuple):
    """Of each kind of evidence. Fitted to the prompts that are for tuning (tests/real/recall_quality) as logistic
    regressions, and rounded."""

    word: float
    common_word: float
    pair: float
    best: float
    """The word that tells most."""
    beginning: float
    """A word that a memory begins with, its subject as people write."""
    named: float
    length: float
    """Of the message: of its logarithm."""
    rank: float
    elsewhere: float
    """Each word of people who ask about the world."""
    enough: float


_SHORT = _Weights(1.7, 2.0, 1.7, 1.2, 1.5, 0.3, 0.8, 0.5, 2.0, 1.9)
_LONG = _Weights(1.45, 2.1, 1.45, 0.25, 1.7, 0.9, 0.9, 0.37, 0.4, 0.75)
_LONG_FROM = 2.4  # the logarithm of the weight of all words
_ENOUGH_FOR_THE_SERVER = 0.7
"""Less than that is enough for what the server admits by itself, which wants more of a message's words."""
_ENOUGH_BESIDE = 0.7
_MISTYPED = 0.85  # of what a word tells
_A_WORD = 1.0  # the weight of one ordinary word
_ELSEWHERE_MOST = 2  # words
_BEHIND = 2.5  # of the best one's evidence
_LAST_RANK = 10
_TELLS_NOTHING = log(150)  # if so many memories hold a word

_NAME = re.compile(r"[A-Z].*[A-Z]|_|[A-Za-z]\d")
_ENDS_SENTENCE = ".!?:"
_AROUND = ".,;:!?()[]{}<>'\"`“”‘’«»#*"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_HAN}]+|[^\W{_HAN}]+")  # as a server cuts them, which cuts Chinese further


@dataclass(frozen=True, slots=True)
class Choice:
    """What to ask for so that the chosen memories come, and no others."""

    query: str
    number: int


def choose(message: str, found: Sequence[str], told: Sequence[str] = ()) -> Choice | None:
    """Of the memories in ``found``, the best first, those that ``message`` means; None if it means none.

    Those in ``told`` are known to be meant: beside them, what the rest of the message means; None if that is nothing.
    """
    asked = _Message(message)
    said = _read([*told, *found])
    stems = _telling(asked, said)
    if told:
        chosen = list(range(len(told)))
    else:
        evidence = _evidence(asked, said, stems)
        best = max(evidence, default=0)
        order = sorted(range(len(said)), key=lambda at: -evidence[at])
        chosen = [at for at in order if evidence[at] >= max(asked.weights.enough, best - _BEHIND)][
            :_MOST
        ]
    if chosen:
        chosen += _beside(asked, said, stems, chosen)
    if len(chosen) <= len(told):
        return None
    query = _query([said[at] for at in chosen], said)
    return Choice(query, len(chosen)) if query else None


def meant(message: str, told: Sequence[str]) -> list[str]:
    """Which of the memories that a server found by itself ``message`` means."""
    asked, said = _Message(message), _read(told)
    evidence = _evidence(asked, said, _telling(asked, said))
    return [
        text for text, value in zip(told, evidence, strict=True) if value >= _ENOUGH_FOR_THE_SERVER
    ]


def leaves(message: str, told: Sequence[str]) -> bool:
    """Whether enough of ``message`` is left, beside the words of the memories in ``told``, to mean another one."""
    asked = _Message(message)
    used: set[str] = set()
    for stems in _telling(asked, _read(told)):
        used.update(stems)
    return sum(asked.weight(stem) for stem in asked.words if stem not in used) >= _A_WORD


def _beside(
    asked: _Message, said: Sequence[str], stems: Sequence[dict[str, float]], chosen: Sequence[int]
) -> list[int]:
    """What else the message means, by those of its words that the ``chosen`` memories do not have."""
    found: list[int] = []
    used = {stem for at in chosen for stem in stems[at]}
    while len(chosen) + len(found) < _MOST:
        left = log(1 + sum(asked.weight(stem) for stem in asked.words if stem not in used))
        rest = [{stem: tells for stem, tells in own.items() if stem not in used} for own in stems]
        values = [
            _sum(asked, text, own) - asked.weights.length * left
            for text, own in zip(said, rest, strict=True)
        ]
        best = max(range(len(said)), key=values.__getitem__)
        if values[best] < _ENOUGH_BESIDE:
            break
        found.append(best)
        used.update(stems[best])
    return found


def _read(found: Sequence[str]) -> list[str]:
    part = _READ // max(len(found), 1)
    return [text[:part] for text in found]


class _Message:
    """What a message asks with: its words, by their stems."""

    def __init__(self, text: str) -> None:
        text = text[: forms.MOST]
        order = list(forms.words(text))
        if len(order) > _ASKED:  # people ask first or last, and paste in between
            order = order[: _ASKED // 2] + order[-_ASKED // 2 :]
        self.words: dict[str, str] = {}
        for word in order:
            self.words.setdefault(forms.stem(word), word)
        self.names = _names(text) & self.words.keys()
        self.elsewhere = {at for at, word in self.words.items() if word in vocabulary.ELSEWHERE}
        self.length = log(1 + sum(map(self.weight, self.words)))
        self.weights = _SHORT if self.length < _LONG_FROM else _LONG
        self._near = {
            key: stem
            for stem, word in self.words.items()
            if forms.is_mistakable(word)
            for key in forms.near(word)
        }
        self._joined = {
            one + other: (forms.stem(one), forms.stem(other)) for one, other in pairwise(order)
        }

    def weight(self, stem: str) -> float:
        return _weight(self.words[stem]) * (1.5 if stem in self.names else 1)

    def shared(self, own: Sequence[str]) -> dict[str, float]:
        """The stems that a memory's ``own`` words share with the message, and how surely."""
        found: dict[str, float] = {}
        for word in own:
            stem = forms.stem(word)
            if stem in self.words:
                found[stem] = 1
            elif word in self._joined and not forms.is_pair(word):
                found.update(dict.fromkeys(self._joined[word], 1.0))
            elif forms.is_mistakable(word):
                meant = next(filter(None, map(self._near.get, forms.near(word))), None)
                if meant is not None:
                    found.setdefault(meant, _MISTYPED)
        for one, other in pairwise(own):
            stem = forms.stem(one + other)
            if stem in self.words and not forms.is_pair(one):
                found[stem] = 1
        return found


def _weight(word: str) -> float:
    """How much a shared word tells, if it is rare."""
    if forms.is_pair(word):
        return 0.6
    if word.isdigit():
        return 1 if len(word) > 2 else 0.3
    return 0.4 if len(word) <= 2 or word in vocabulary.COMMON else 1


def _names(text: str) -> set[str]:
    """The stems of words written as names: identifiers, capitals within a sentence, Latin words in a line of Han."""
    found: set[str] = set()
    for line in text.splitlines():
        foreign, before = forms.is_in_pairs(line), "."
        for word in line.split():
            bare = word.strip(_AROUND)
            capital = bare[:1].isupper() and len(bare) > 2 and before[-1] not in _ENDS_SENTENCE
            if foreign or capital or _NAME.search(bare[: forms.LONGEST]):
                found.update(forms.stem(one) for one in forms.words(bare) if not forms.is_pair(one))
            before = word
    return found


def _telling(asked: _Message, said: Sequence[str]) -> list[dict[str, float]]:
    """The stems that each memory shares: the rarer a word among the memories found, the more it tells."""
    shared = [asked.shared(list(dict.fromkeys(forms.words(text)))) for text in said]
    spread = Counter(stem for stems in shared for stem in stems)
    return [
        {
            stem: sure * max(0.0, 1 - log(spread[stem]) / _TELLS_NOTHING)
            for stem, sure in stems.items()
        }
        for stems in shared
    ]


def _evidence(
    asked: _Message, said: Sequence[str], stems: Sequence[dict[str, float]]
) -> list[float]:
    return [
        _sum(asked, text, own)
        - asked.weights.length * asked.length
        - asked.weights.rank * min(rank, _LAST_RANK)
        for rank, (text, own) in enumerate(zip(said, stems, strict=True))
    ]


def _sum(asked: _Message, text: str, telling: dict[str, float]) -> float:
    """What the shared words of a memory say for it, and what the message is about instead."""
    if not telling:
        return -_TELLS_NOTHING
    begins = {forms.stem(word) for word in islice(forms.words(text[:_BEGINNING]), _SUBJECT)}
    named = _names(text) if telling.keys() & asked.names else set()
    counts = {stem: tells * asked.weight(stem) for stem, tells in telling.items()}
    weights = asked.weights
    total = weights.best * max(counts.values())
    for stem, count in counts.items():
        word = asked.words[stem]
        if forms.is_pair(word):
            total += weights.pair * telling[stem]
        else:
            total += (
                weights.word * telling[stem] if _weight(word) == 1 else weights.common_word * count
            )
        total += count * (weights.beginning * (stem in begins) + weights.named * (stem in named))
    return total - weights.elsewhere * min(len(asked.elsewhere - telling.keys()), _ELSEWHERE_MOST)


def _query(chosen: Sequence[str], found: Sequence[str]) -> str:
    """The rarest words of each chosen memory, as the server reads them: a memory that holds them comes first."""
    tokens = [dict.fromkeys(_tokens(text)) for text in found]
    spread = Counter(token for own in tokens for token in own)
    asked: dict[str, None] = {}
    for text in chosen:
        own = sorted(set(_tokens(text)), key=lambda token: (spread[token], -len(token), token))
        asked.update(dict.fromkeys(own[:_TERMS]))
    return " ".join(asked)


def _tokens(text: str) -> list[str]:
    return [
        token[:_HAN_LENGTH] if forms.is_pair(token) else token
        for token in _TOKEN.findall(text)
        if len(token) <= forms.LONGEST and token.casefold() not in vocabulary.FUNCTION
    ]
