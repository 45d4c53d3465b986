# SPDX-License-Identifier: Apache-2.0
"""Bounds on text: UTF-8 bytes for what is saved, code points for what is asked."""

from __future__ import annotations

import re
import unicodedata

from powercontext_deerflow.errors import InputError

MAX_MEMORY_BYTES = 8192
"""UTF-8 bytes of one memory, counted after normalisation, as the server counts them."""
MAX_QUERY_CODE_POINTS = 8192
"""Code points of one query, as the server counts them."""

_MADE_OF = 7 * MAX_MEMORY_BYTES // 2
"""UTF-8 bytes that NFC can still make short enough: nothing shrinks more than seven bytes into the two of U+0390."""
_LONGEST_PADDED = 2**18
"""Code points; of a longer text not even the white space around it is looked at."""

_MARKS = re.compile(rb"[^\0]{32,}")  # a long run of them, in canonical combining classes
_CLOSING_FENCE = re.compile(r"<\s*/\s*memory", re.IGNORECASE)


def byte_length(text: str) -> int:
    """UTF-8 length in bytes. ``text`` must hold no lone surrogate."""
    return len(text) if text.isascii() else len(text.encode())


def is_encodable(text: str) -> bool:
    """False if ``text`` holds a lone surrogate, which a model can emit and no JSON document can carry."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def closes_fence(text: str) -> bool:
    """Whether ``text`` holds the end of the block that DeerFlow puts around recalled text.

    The host inserts it unescaped, so such a text would speak outside the block.
    """
    return _CLOSING_FENCE.search(text) is not None


def exact(value: object) -> str | None:
    """``value`` as a plain ``str``, or None if it is none. Of a subclass only its characters count, not its methods."""
    return str.__str__(value) if issubclass(type(value), str) else None


def nfc(text: str) -> str:
    """``unicodedata.normalize("NFC", text)``, in time that grows with the length of ``text`` only.

    That function sorts a run of combining marks by insertion, with the interpreter's lock held.
    """
    # Linear: it says no at the first pair of marks that are out of order.
    if unicodedata.is_normalized("NFC", text):
        return text
    signs = list("".join([unicodedata.normalize("NFD", sign) for sign in text]))
    classes = bytes(map(unicodedata.combining, signs))
    if not _MARKS.search(classes):
        return unicodedata.normalize("NFC", text)
    for run in _MARKS.finditer(classes):
        signs[run.start() : run.end()] = sorted(
            signs[slice(*run.span())], key=unicodedata.combining
        )
    return unicodedata.normalize("NFC", "".join(signs))


def memory_text(text: str) -> str:
    """``text`` as the server will store it: NFC, without surrounding white space.

    Raises InputError if it is not a ``str``, blank, not encodable, over 8192 UTF-8 bytes, or closes the host's fence.
    """
    given = exact(text)
    if given is None:
        raise InputError("text_not_a_string", "text", "pass a string")
    # Each look costs more than the one before, and bounds what it may look at.
    given = given.strip() if len(given) <= _LONGEST_PADDED else given
    if len(given) > _MADE_OF:
        raise _too_long()
    if not is_encodable(given):
        raise InputError("text_not_unicode", "text", "remove the lone surrogate characters")
    if byte_length(given) > _MADE_OF:
        raise _too_long()
    stored = nfc(given).strip()
    if not stored:
        raise InputError("text_blank", "text", "say what to remember")
    if byte_length(stored) > MAX_MEMORY_BYTES:
        raise _too_long()
    if closes_fence(stored):
        raise InputError("text_closes_fence", "text", "remove the closing memory tag")
    return stored


def _too_long() -> InputError:
    advice = f"shorten it to at most {MAX_MEMORY_BYTES} UTF-8 bytes"
    return InputError("text_too_long", "text", advice)


def recall_query(query: object) -> str | None:
    """The query to send, bounded to 8192 code points; None if there is nothing to ask.

    Raises InputError if it is not a string or not encodable.
    """
    if query is None:
        return None
    given = exact(query)
    if given is None:
        raise InputError("query_not_a_string", "query", "pass a string")
    bounded = given[:MAX_QUERY_CODE_POINTS]
    if not is_encodable(bounded):
        raise InputError("query_not_unicode", "query", "remove the lone surrogate characters")
    return bounded if bounded.strip() else None
