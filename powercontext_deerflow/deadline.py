# SPDX-License-Identifier: Apache-2.0
"""One absolute moment that a whole operation must end by. The only reader of the clock."""

from __future__ import annotations

from time import monotonic, time_ns
from typing import Final, final

from powercontext_deerflow.errors import InputError

_LONGEST: Final = 86_400.0
"""Seconds; nothing waits longer at a time, because neither locks nor ``poll`` can count to any number."""
_NEVER: Final = 1e9
"""Seconds; a whole number may be too large for any float."""


def now() -> float:
    """Seconds on the monotonic clock."""
    return monotonic()


def wall_clock_ns() -> int:
    """Nanoseconds since the epoch, for spans; no deadline is ever counted on it."""
    return time_ns()


def checked_seconds(field: str, given: object) -> float:
    """``given``, a number of seconds, from 0 to about thirty years. Raises InputError, which names ``field``."""
    if (type(given) is int or type(given) is float) and given == given:  # a NaN is not
        return float(min(max(given, 0), _NEVER))
    raise InputError(f"{field}_not_seconds", field, "pass a number of seconds")


@final
class Deadline:
    """An absolute moment on the monotonic clock, shared by every step of one operation."""

    __slots__ = ("_at",)

    def __init__(self, at: float) -> None:
        """At ``at`` seconds of the monotonic clock."""
        self._at = checked_seconds("at", at)

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """``seconds`` from now; none are left of 0 or less. Raises InputError for what is no number."""
        return cls(now() + checked_seconds("seconds", seconds))

    def remaining(self) -> float:
        """Seconds left, from 0 to a day."""
        return min(max(0.0, self._at - now()), _LONGEST)

    @property
    def expired(self) -> bool:
        """Whether no time is left."""
        return now() >= self._at

    def sooner(self, share: float) -> Deadline:
        """A deadline at ``share`` (0 to 1) of the time that is left."""
        if type(share) not in (int, float) or not 0 <= share <= 1:
            raise InputError("share_out_of_range", "share", "pass a number from 0 to 1")
        return Deadline(now() + self.remaining() * share)
