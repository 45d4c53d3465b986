# SPDX-License-Identifier: Apache-2.0
"""Bounds on text: UTF-8 bytes for what is saved, code points for what is asked (facts: powercontext-api A2, A3)."""

from __future__ import annotations

import re
import unicodedata

from powercontext_deerflow.errors import InputError

MAX_MEMORY_BYTES = 8192
"""UTF-8 bytes of one memory, counted after normalisation, as the server counts them."""
MAX_QUERY_CODE_POINTS = 8192
"""Code points of one query, as the server counts them."""

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

    The host inserts it unescaped (facts: deerflow-host 0.6), so such a text would speak outside the block.
    """
    return _CLOSING_FENCE.search(text) is not None


def memory_text(text: str) -> str:
    """``text`` as the server will store it: NFC, without surrounding white space.

    Raises InputError if it is not a ``str``, blank, not encodable, over 8192 UTF-8 bytes, or closes the host's fence.
    """
    if not isinstance(text, str):
        raise InputError("text_not_a_string", "text", "pass a string")
    if not is_encodable(text):
        raise InputError("text_not_unicode", "text", "remove the lone surrogate characters")
    stored = unicodedata.normalize("NFC", text).strip()
    if not stored:
        raise InputError("text_blank", "text", "say what to remember")
    if byte_length(stored) > MAX_MEMORY_BYTES:
        raise InputError(
            "text_too_long", "text", f"shorten it to at most {MAX_MEMORY_BYTES} UTF-8 bytes"
        )
    if closes_fence(stored):
        raise InputError("text_closes_fence", "text", "remove the closing memory tag")
    return stored


def recall_query(query: object) -> str | None:
    """The query to send, bounded to 8192 code points; None if there is nothing to ask.

    Raises InputError if it is not a string or not encodable.
    """
    if query is None:
        return None
    if not isinstance(query, str):
        raise InputError("query_not_a_string", "query", "pass a string")
    bounded = query[:MAX_QUERY_CODE_POINTS]
    if not is_encodable(bounded):
        raise InputError("query_not_unicode", "query", "remove the lone surrogate characters")
    return bounded if bounded.strip() else None
