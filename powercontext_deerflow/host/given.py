# SPDX-License-Identifier: Apache-2.0
"""Which memories a conversation was given already, where the host recalls on every turn.

Recalled text is the server's own, whole or not at all; it is given if it cites anything new to the conversation, or
nothing that can be told. Bounded: the conversation and the memory that were used least recently are forgotten, and
what is forgotten is given again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final

from powercontext_deerflow.limits import exact
from powercontext_deerflow.outcomes import Recalled

_THREADS: Final = 500
_MEMORIES: Final = 100
"""Of one conversation."""
_LONGEST: Final = 256
"""Code points of a thread's id; of a longer one nothing is kept."""


class Given:
    """Thread-safe. Keeps hashes, and nothing that anybody wrote."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # reentrant: a signal handler may recall, too
        self._threads: OrderedDict[str, OrderedDict[int, int]] = OrderedDict()

    def is_new(self, thread_id: object, query: object, recalled: Recalled) -> bool:
        """Whether to give it; if so, it is given from now on.

        A turn that is said again in the same words gets the same text again: its first answer is thrown away.
        """
        if type(thread_id) is not str or len(thread_id) > _LONGEST:
            return True
        cited = [hash(one) for one in recalled.citations]
        if not cited:
            return True
        said = hash(exact(query))
        with self._lock:
            known = self._thread(thread_id)
            new = any(known.get(one, said) == said for one in cited)
            for one in cited:
                known.setdefault(one, said)
                known.move_to_end(one)
            while len(known) > _MEMORIES:
                known.popitem(last=False)
        return new

    def _thread(self, thread_id: str) -> OrderedDict[int, int]:
        known = self._threads.setdefault(thread_id, OrderedDict())
        self._threads.move_to_end(thread_id)
        while len(self._threads) > _THREADS:
            self._threads.popitem(last=False)
        return known
