# SPDX-License-Identifier: Apache-2.0
"""Who may use the one bound Scope: the configured owner, byte for byte, and nobody else.

DeerFlow turns a missing identity into the literal ``default``, so that name, in any spelling,
never stands for a person.
"""

from __future__ import annotations

import unicodedata
from typing import Final, TypeGuard

_FALLBACK = "default"
LONGEST: Final = 1024
"""Code points of a user id; the work of normalising one grows with them."""


def is_bindable(user_id: object) -> TypeGuard[str]:
    """Whether ``user_id`` can name one person.

    That is a printable, unpadded ``str`` of at most 1024 code points that is not the host's fallback.
    """
    # `type(...) is str`: a subclass may lie in __eq__.
    return (
        type(user_id) is str
        and 0 < len(user_id) <= LONGEST
        and user_id.isprintable()
        and user_id == user_id.strip()
        and unicodedata.normalize("NFKC", user_id).casefold().strip() != _FALLBACK
    )


def is_owner(user_id: object, owner: str) -> bool:
    """Whether a run's ``user_id`` is exactly the configured ``owner``. No folding, trimming or normalisation."""
    return is_bindable(user_id) and str.__eq__(owner, user_id)
