# SPDX-License-Identifier: Apache-2.0
"""What a block of code leaves behind: threads and sockets of this process."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_FDS = Path("/proc/self/fd")  # Linux; elsewhere nothing is seen
_TASKS = Path("/proc/self/task")


@contextmanager
def no_leaks(within: float = 5.0) -> Iterator[None]:
    """AssertionError if a thread or socket made in the block is still there `within` seconds on."""
    threads, sockets = _threads(), _sockets()
    yield
    deadline, tick = time.monotonic() + within, threading.Event()
    while True:
        left = _threads() - threads | (_sockets() - sockets)
        if not left or time.monotonic() > deadline:
            break
        tick.wait(0.02)
    assert not left, f"left behind: {left}"


def _threads() -> set[str]:
    """Every thread, also those that `threading` does not know."""
    return {f"thread {task.name}" for task in (_TASKS.iterdir() if _TASKS.exists() else ())}


def _sockets() -> set[str]:
    """`socket:[inode]` of every open socket; an inode names one socket, a number many."""
    found = set()
    for fd in _FDS.iterdir() if _FDS.exists() else ():
        try:
            target = os.readlink(fd)
        except FileNotFoundError:  # the one that lists the folder, or closed by another thread
            continue
        if target.startswith("socket:"):
            found.add(target)
    return found
