# SPDX-License-Identifier: Apache-2.0
"""During an outage a recall must not cost its whole deadline on every first turn. Saves are never broken off."""

from __future__ import annotations

import threading

from powercontext_deerflow.deadline import now

LIMIT = 3
"""Consecutive failures by time or connection that open the breaker."""
OPEN_SECONDS = 30.0
"""How long recalls return at once, before one of them probes the server."""


class Breaker:
    """Thread-safe. Ask ``admits`` first; then tell ``reached`` or ``failed``."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # reentrant: a signal handler may recall, too
        self._failures = 0
        self._probe_at = 0.0

    @property
    def is_open(self) -> bool:
        return self._failures >= LIMIT

    def admits(self) -> bool:
        with self._lock:
            if not self.is_open:
                return True
            if now() < self._probe_at:
                return False
            # This caller is the probe; the others wait for what it finds.
            self._probe_at = now() + OPEN_SECONDS
            return True

    def reached(self) -> None:
        with self._lock:
            self._failures = 0

    def failed(self) -> None:
        with self._lock:
            self._failures += 1
            self._probe_at = now() + OPEN_SECONDS
