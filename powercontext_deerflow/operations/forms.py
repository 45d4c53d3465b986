# SPDX-License-Identifier: Apache-2.0
"""Words, and the forms in which one word is written: inflected, joined, split, mistyped.

Text in, text out, linear in the length of the text, which is cut before anything is done with it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from powercontext_deerflow.limits import nfc
from powercontext_deerflow.operations import vocabulary

MOST = 8192
"""Code points of a text that are read; a query has no more."""
LONGEST = 40
"""Code points of a word; longer ones are hashes and the like."""
SEEN_MISTYPED = 5
"""Letters; a shorter word has too many neighbours for a mistake to be seen."""
_FORMS = 160  # words of a widened query; more would cost the server more than they find

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3005"
_HIRAGANA, _KATAKANA, _HANGUL = "\u3041-\u309f", "\u30a1-\u30fa\u30fc", "\uac00-\ud7a3"
_RUN = re.compile(
    rf"[{_HAN}]+|[{_HIRAGANA}]+|[{_KATAKANA}]+|[{_HANGUL}]+"
    rf"|[^\W{_HAN}{_HIRAGANA}{_KATAKANA}{_HANGUL}]+"
)
_IN_PAIRS = re.compile(f"[{_HAN}{_HANGUL}]")
_PART = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
FUNCTION_HAN = re.compile(
    "|".join(vocabulary.FUNCTION_HAN)
    + "|[的了吗呢吧啊呀嘛是在和与或把被给请我你他她它帮想就也都很还又再]"
)
_FUNCTION_HANGUL = re.compile(
    "(?:입니다|습니다|습니까|합니다|됩니다|인가요|나요|까요|어요|아요|해요|세요|에서|으로|까지|부터|에게|한테|하고|이랑"
    "|[은는이가을를의에로과와도만])$"
)
_ENDINGS = re.compile(
    r"(?<=[a-z]{3})(?:ies|y|ings?|ed|ers?|es|en|em|as|os|[aenos])$"
    "|(?<=[а-я]{3})(?:[ая]ми|[ое]го|[ое]му|[ыи]ми|[аяие]ть|ует|ишь|[аеи]т|ют|[ое]в|[еоиы]й|[аы]я|яя|[оеы]е|ие"
    "|[ая][мх]|[ое]м|л[аи]|[аяоеыиуюьйл])$"
)
_ENDED = {
    "latin": ("", "s", "e", "es", "ed", "ing", "en", "er", "y", "ies", "a", "o", "as", "os", "n"),
    "cyrillic": (
        *(
            "а",
            "у",
            "ы",
            "и",
            "е",
            "ой",
            "ом",
            "ов",
            "ам",
            "ах",
            "ами",
            "ый",
            "ая",
            "ые",
            "ого",
            "ть",
        ),
        "",
    ),
    "hangul": ("", *"은는이가을를의에로와과도"),
    "katakana": tuple("はがをのにでともへや"),
}


def words(text: str) -> Iterator[str]:
    """The words that carry meaning, in order, caseless and without accents.

    An identifier gives its parts and itself. Where no space ends a word (Chinese, Japanese, Korean with its particles),
    every two neighbours are one; hiragana is passed over, because it is mostly endings.
    """
    for run in _RUN.findall(nfc(text[:MOST])):
        if _IN_PAIRS.match(run):
            yield from _pairs(run)
        elif not "\u3041" <= run[0] <= "\u309f":
            for part in _PART.findall(run):
                for piece in _pieces(part):
                    word = plain(piece)
                    if 1 < len(word) <= LONGEST and word not in vocabulary.FUNCTION:
                        yield word


def _pairs(run: str) -> Iterator[str]:
    if is_hangul(run):
        parts = [_FUNCTION_HANGUL.sub("", run) if len(run) > 2 else run]
    else:
        parts = FUNCTION_HAN.sub(" ", run).split()
    for part in parts:
        for at in range(len(part) - 1):
            yield part[at : at + 2]


def _pieces(part: str) -> list[str]:
    humps = _HUMP.split(part) if not part.islower() else [part]
    return humps if len(humps) == 1 else [*humps, part]


def plain(word: str) -> str:
    """Without case and accents."""
    word = word[: LONGEST + 1].casefold()
    if word.isascii():
        return word
    bare = (sign for sign in unicodedata.normalize("NFD", word) if not "\u0300" <= sign <= "\u036f")
    return unicodedata.normalize("NFC", "".join(bare))


def stem(word: str) -> str:
    """Enough of inflection to see one word in two forms."""
    if is_pair(word) or not word.isalpha():
        return word
    return _ENDINGS.sub("", word)


def is_mistakable(word: str) -> bool:
    """Whether a mistake in typing ``word`` can be seen."""
    return len(word) >= SEEN_MISTYPED and word.isalpha() and not is_pair(word)


def near(word: str) -> Iterable[str]:
    """Keys of which two words have one in common if they are about one mistake apart."""
    return (word, *(word[:at] + word[at + 1 :] for at in range(len(word))))


def is_pair(word: str) -> bool:
    """Whether ``word`` is of a script that is written without spaces."""
    return _IN_PAIRS.match(word) is not None


def is_hangul(word: str) -> bool:
    return "\uac00" <= word[0] <= "\ud7a3"


def is_in_pairs(line: str) -> bool:
    """Whether ``line`` is mostly of a script that is written without spaces."""
    return len(_IN_PAIRS.findall(line)) > len(line) // 4


def widened(query: str) -> str:
    """A query for the words of ``query`` and for other forms of them, because a server finds exact words only.

    Empty if there is no word. The longer the query, the fewer of its words are guessed at.
    """
    query = nfc(query[:MOST])
    found = dict.fromkeys(_own(query))
    own, most = list(found), max(_FORMS, len(found))
    for guesses in (_joined(query), _each(_inflected, own), _each(_mistyped, own)):
        for guess in guesses:
            if len(found) >= most:
                break
            found[guess] = None
    return " ".join(found)[:MOST]


def _own(query: str) -> Iterator[str]:
    """What the server will take for words, and the parts of identifiers, which it does not."""
    for run in _RUN.findall(query):
        folded = run.casefold()
        if _IN_PAIRS.match(run):
            yield from (run[at : at + LONGEST] for at in range(0, len(run), LONGEST))
        elif len(run) <= LONGEST and folded not in vocabulary.FUNCTION:
            yield folded
            humps = [hump for part in _PART.findall(run) for hump in _HUMP.split(part)]
            if len(humps) > 1:
                parts = [hump.casefold() for hump in humps]
                yield from (*parts, "_".join(parts), "".join(parts))


def _each(guess: object, own: Iterable[str]) -> Iterator[str]:
    for word in own:
        if len(word) <= LONGEST:
            yield from guess(word)  # type: ignore[operator]


def _joined(query: str) -> Iterator[str]:
    """As one identifier what is written in two or three words."""
    parts = [part.casefold() for part in _PART.findall(query[: MOST // 8]) if part.isascii()]
    for size in (2, 3):
        for at in range(len(parts) - size + 1):
            group = parts[at : at + size]
            yield "".join(group)
            yield "_".join(group)


def _inflected(word: str) -> Iterator[str]:
    if len(word) < 3 or not word.isalpha():
        return
    base, ended = stem(word), "latin"
    if is_hangul(word):
        base, ended = _FUNCTION_HANGUL.sub("", word), "hangul"
        yield word[:-1]
    elif "\u30a1" <= word[0] <= "\u30fc":
        base, ended = word, "katakana"
    elif "а" <= word[0] <= "я":
        ended = "cyrillic"
    elif is_pair(word):
        return
    yield from (base + ending for ending in _ENDED[ended])


def _mistyped(word: str) -> Iterator[str]:
    """What may have been meant: two letters the other way round, one too many, one too few of a double."""
    if not is_mistakable(word) or len(word) > LONGEST // 2:
        return
    for at in range(len(word) - 1):
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]
        yield word[:at] + word[at] + word[at:]
