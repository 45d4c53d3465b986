# SPDX-License-Identifier: Apache-2.0
"""An oracle: it knows which memory is wanted, and says whether words could lead from a message to it.

A word of the one is a word of the other, in another inflection, joined or split, or one mistake in typing away.
"""

from __future__ import annotations

from itertools import pairwise

from powercontext_deerflow.operations import forms, vocabulary


def connects(message: str, memory: str) -> bool:
    return not _keys(message).isdisjoint(_keys(memory))


def _keys(text: str) -> set[str]:
    words = [word for word in forms.words(text) if word not in vocabulary.COMMON]
    keys = {forms.stem(word) for word in words}
    keys.update(one + other for one, other in pairwise(words) if not forms.is_pair(one + other))
    keys.update(key for word in words if forms.is_mistakable(word) for key in forms.near(word))
    return keys
