# SPDX-License-Identifier: Apache-2.0
"""One absolute moment that a whole operation must end by. The only reader of the clock."""

from __future__ import annotations

from time import monotonic, time_ns
from typing import Final, final

_LONGEST: Final = 86_400.0
"""Seconds; nothing waits longer at a time, because neither locks nor ``poll`` can count to any number."""


def now() -> float:
    """Seconds on the monotonic clock."""
    return monotonic()


def wall_clock_ns() -> int:
    """Nanoseconds since the epoch, for spans; no deadline is ever counted on it."""
    return time_ns()


@final
class Deadline:
    """An absolute moment on the monotonic clock, shared by every step of one operation (RFC 4: a *total* deadline)."""

    __slots__ = ("_at",)

    def __init__(self, at: float) -> None:
        self._at = at

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """``seconds`` from now."""
        return cls(now() + seconds)

    def remaining(self) -> float:
        """Seconds left, from 0 to a day."""
        return min(max(0.0, self._at - now()), _LONGEST)

    @property
    def expired(self) -> bool:
        """Whether no time is left."""
        return now() >= self._at

    def sooner(self, share: float) -> Deadline:
        """A deadline at ``share`` (0 to 1) of the time that is left."""
        return Deadline(now() + self.remaining() * share)
