# SPDX-License-Identifier: Apache-2.0
"""One absolute moment that a whole operation must end by. The only reader of the clock."""

from __future__ import annotations

from time import monotonic
from typing import final


def now() -> float:
    """Seconds on the monotonic clock."""
    return monotonic()


@final
class Deadline:
    """An absolute moment on the monotonic clock, shared by every step of one operation (RFC 4: a *total* deadline)."""

    __slots__ = ("_at",)

    def __init__(self, at: float) -> None:
        self._at = at

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        return cls(now() + seconds)

    def remaining(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self._at - now())

    @property
    def expired(self) -> bool:
        return now() >= self._at

    def sooner(self, share: float) -> Deadline:
        """A deadline at ``share`` (0 to 1) of the time that is left."""
        return Deadline(now() + self.remaining() * share)
