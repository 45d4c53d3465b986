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
from contextlib import AbstractContextManager, suppress
from typing import Final, Protocol
from weakref import ref

_PATIENCE: Final = 5.0
"""Seconds that a fork waits for an import; none takes as long."""


class ForkAware(Protocol):
    def after_fork(self) -> None: ...


_AWARE: set[ref[ForkAware]] = set()
"""Kept by operations of C only: an exception of a signal handler would be swallowed in a callback of Python's."""


_imports = threading.RLock()


def late_import() -> AbstractContextManager[bool]:
    """To be entered around an import that is not made when this package is. A lock of C, which no exception of a signal
    handler leaves held."""
    return _imports


def tell_after_fork(aware: ForkAware) -> None:
    _AWARE.add(ref(aware, _AWARE.discard))


def _before() -> None:
    _imports.acquire(timeout=_PATIENCE)


def _in_parent() -> None:
    with suppress(RuntimeError):  # it waited in vain
        _imports.release()


def _in_child() -> None:
    global _imports
    _imports = threading.RLock()
    for aware in [entry() for entry in list(_AWARE)]:
        if aware is not None:
            with suppress(Exception):  # the others are told all the same
                aware.after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
