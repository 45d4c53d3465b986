# SPDX-License-Identifier: Apache-2.0
"""At most so many of something at once, counted by what is alive.

A signal handler that raises can end any of our frames between any two steps, so nothing here must be given back in
order to be free again: a place is an object, and whatever drops it frees it. Only operations of C are used, which no
exception divides, and no lock, which an exception could leave held.
"""

from __future__ import annotations

from typing import Generic, TypeVar
from weakref import ref

T = TypeVar("T")


class Place(Generic[T]):
    """One of the places; held by its only reference. ``user`` is whatever has it now."""

    __slots__ = ("__weakref__", "entry", "user")

    def __init__(self) -> None:
        self.user: T | None = None
        self.entry: ref[Place[T]] | None = None


class Places(Generic[T]):
    """Thread-safe. ``len`` is the number of places that are taken."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._taken: set[ref[Place[T]]] = set()

    def take(self) -> Place[T] | None:
        """A place, or None if all are taken."""
        entry = None  # named first, so that a frame that breaks off before the entry is made drops it before the place
        place: Place[T] = Place()
        while len(self._taken) < self._limit:
            entry = ref(place, self._taken.discard)
            self._taken.add(entry)
            place.entry = entry
            if len(self._taken) <= self._limit:
                return place
            # Others took the last one at this moment, or stepped back as we do: look again.
            self._taken.discard(entry)
        return None

    def give_back(self, place: Place[T]) -> None:
        """Sooner than by dropping it: a traceback may keep the frame that has it."""
        if place.entry is not None:
            self._taken.discard(place.entry)

    def users(self) -> list[T]:
        """Whatever has a place now."""
        places = [taken() for taken in list(self._taken)]
        return [place.user for place in places if place is not None and place.user is not None]

    def __len__(self) -> int:
        return len(self._taken)
