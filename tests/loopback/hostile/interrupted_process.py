# SPDX-License-Identifier: Apache-2.0
"""Calls in the main thread, each of which a signal may break off at any moment.

Arguments: the base URL, a CA file or nothing, the way to call, ``recall`` or ``remember``, how many interrupts. Prints
what came of them, and whether 32 recalls at once and a save work afterwards.
"""

from __future__ import annotations

import asyncio
import gc
import json
import random
import signal
import sys
import threading
import time
from collections import Counter
from typing import Any

from powercontext_deerflow import PowerContext, Recalled, Saved, Secret, Settings

BASE_URL, CA_FILE, WAY, OPERATION, MOST = sys.argv[1:]
SECONDS = 5.0


class Interrupt(KeyboardInterrupt):
    """As Ctrl-C, or the soft time limit of a worker. Event loops swallow others, also in their own callbacks."""


class Storm:
    def __init__(self) -> None:
        self.armed = False
        self.moments = random.Random(OPERATION + WAY)
        signal.signal(signal.SIGALRM, self._interrupt)

    def _interrupt(self, *_: object) -> None:
        if self.armed:
            raise Interrupt

    def breaks_off(self, longest: float, call: Any) -> bool:
        """Whether the call was broken off."""
        try:
            try:
                self.armed = True
                signal.setitimer(signal.ITIMER_REAL, self.moments.uniform(2e-5, longest))
                call()
            finally:
                self.armed = False
        except Interrupt:
            return True
        return False


SETTINGS = Settings(
    base_url=BASE_URL,
    scope_id="scp",
    token=Secret("t"),
    ca_file=CA_FILE or None,
    recall_timeout_seconds=SECONDS,
    remember_timeout_seconds=SECONDS,
)


def main() -> None:
    storm, failed = Storm(), Counter[str]()
    client, loops = PowerContext(SETTINGS), list[asyncio.AbstractEventLoop]()
    interrupted, longest = 0, 0.0
    usual = 0.003

    def call() -> None:
        whose = PowerContext(SETTINGS) if WAY == "cold" else client
        if WAY == "search":
            whose.search("x")
        elif WAY == "event loop":
            loops[-1].run_until_complete(getattr(whose, "a" + OPERATION)(f"text {interrupted}"))
        outcome = getattr(whose, OPERATION)(f"text {interrupted}")
        if not isinstance(outcome, Recalled | Saved):
            failed[outcome.code] += 1

    while interrupted < int(MOST):
        if WAY == "event loop":
            loops.append(asyncio.new_event_loop())
            loops[-1].set_exception_handler(lambda *_: None)  # asyncio complains of pending tasks
        started = time.monotonic()
        interrupted += storm.breaks_off(usual, call)
        longest = max(longest, time.monotonic() - started)
        while loops:
            loops.pop().close()
    signal.setitimer(signal.ITIMER_REAL, 0)
    gc.collect()
    deadline, tick = time.monotonic() + SECONDS, threading.Event()
    while client.connections.in_use and time.monotonic() < deadline:
        tick.wait(0.01)
    told = {
        "interrupted": interrupted,
        "longest": longest,
        "deadline": SECONDS,
        "in use": client.connections.in_use,
        "failed": failed,
        "afterwards": afterwards(client),
    }
    client.close(1.0)
    json.dump(told, sys.stdout)


def afterwards(client: PowerContext) -> list[str]:
    kinds: list[str] = []
    threads = [
        threading.Thread(target=lambda: kinds.append(type(client.recall("x")).__name__))
        for _ in range(32)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [*kinds, type(client.remember("the last one")).__name__]


if __name__ == "__main__":
    main()
