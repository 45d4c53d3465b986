# SPDX-License-Identifier: Apache-2.0
"""Content-free diagnostics: one structured event per outcome, through logging, and counters.

An event holds a name, a reason code, a status, a request id and a duration. The same name and code are logged at most
once a minute, with the number of those held back; the counters count all.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass

from powercontext_deerflow.deadline import now
from powercontext_deerflow.host.telemetry import observe

LOGGER = logging.getLogger("powercontext_deerflow")
_QUIET_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Event:
    name: str
    """``recall``, ``remember`` or ``settings``."""
    code: str
    status: int | None = None
    request_id: str | None = None
    elapsed_ms: int | None = None


class Events:
    """Where outcomes are reported. Thread-safe."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._logged_at: dict[tuple[str, str], float] = {}
        self._held_back: Counter[tuple[str, str]] = Counter()
        self._lock = threading.RLock()

    @property
    def counts(self) -> dict[tuple[str, str], int]:
        """How often each (name, code) happened in this process."""
        with self._lock:
            return dict(self._counts)

    def report(self, event: Event, level: int) -> None:
        """Count ``event``, show it to OpenTelemetry, and log it if its kind was quiet for a minute."""
        kind = (event.name, event.code)
        if event.elapsed_ms is not None:
            failed = level >= logging.WARNING
            observe(event.name, event.code, event.status, event.elapsed_ms, failed=failed)
        with self._lock:
            self._counts[kind] += 1
            last = self._logged_at.get(kind)
            if last is not None and now() - last < _QUIET_SECONDS:
                self._held_back[kind] += 1
                return
            self._logged_at[kind] = now()
            held_back = self._held_back.pop(kind, 0)
        told = event.name, event.code, event.status, event.request_id, event.elapsed_ms, held_back
        with suppress(Exception):  # where a log goes is not ours, and memory works without it
            LOGGER.log(
                level,
                "powercontext %s: %s (status=%s request_id=%s elapsed_ms=%s held_back=%d)",
                *told,
                extra={"powercontext_event": event, "powercontext_held_back": held_back},
            )
