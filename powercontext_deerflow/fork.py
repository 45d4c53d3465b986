# SPDX-License-Identifier: Apache-2.0
"""What a forked child must drop: an inherited socket answers with the other process's Scope (facts: performance).

An object that holds sockets, threads, locks or a binding names itself here once, and is told in the child, before
anything else runs there.
"""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class ForkAware(Protocol):
    def after_fork(self) -> None: ...


_AWARE: WeakSet[ForkAware] = WeakSet()


def tell_after_fork(aware: ForkAware) -> None:
    _AWARE.add(aware)


def _in_child() -> None:
    for aware in list(_AWARE):
        aware.after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_in_child)
