# SPDX-License-Identifier: Apache-2.0
"""What a forked child must drop, and what a fork must wait for.

An inherited socket answers with the other process's Scope. An object that holds sockets, threads, locks or a binding
names itself here once, and is told in the child, before anything else runs there. And a child that is forked while
another thread imports a module can never import that module: the lock of it stays held. So imports that come late are
made under a lock that a fork waits for.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, Protocol
from weakref import ref

_PATIENCE: Final = 5.0
"""Seconds; no import takes as long, and nothing waits without an end."""


class ForkAware(Protocol):
    def after_fork(self) -> None: ...


_AWARE: set[ref[ForkAware]] = set()
"""Kept by operations of C only: an exception of a signal handler would be swallowed in a callback of Python's."""


class _Imports:
    """The lock of late imports. Whoever waited in vain goes on without it, and its release finds that out."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def hold(self) -> None:
        self._lock.acquire(timeout=_PATIENCE)

    def let_go(self) -> None:
        with suppress(RuntimeError):
            self._lock.release()


_imports = _Imports()


@contextmanager
def late_import() -> Iterator[None]:
    """Around an import that is not made when this package is."""
    held = _imports
    held.hold()
    try:
        yield
    finally:
        held.let_go()


def tell_after_fork(aware: ForkAware) -> None:
    _AWARE.add(ref(aware, _AWARE.discard))


def _before() -> None:
    _imports.hold()


def _in_parent() -> None:
    _imports.let_go()


def _in_child() -> None:
    global _imports
    _imports = _Imports()
    for aware in [entry() for entry in list(_AWARE)]:
        if aware is not None:
            aware.after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
