# SPDX-License-Identifier: Apache-2.0
"""The part of the client for single memories: what there is, what one says and said, and the owner's hand on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Final

from powercontext_deerflow.api import wire
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.edge import edge
from powercontext_deerflow.lifecycle import Lifecycle
from powercontext_deerflow.operations import arguments, changes, memories
from powercontext_deerflow.outcomes import (
    ForgetOutcome,
    Memory,
    MemoryState,
    RestoreOutcome,
    ReviseOutcome,
    Revision,
)
from powercontext_deerflow.transport import IO, run

_ACTIVE: Final[tuple[MemoryState, ...]] = ("active",)


class Curation(Lifecycle):
    """Listing, reading, correcting, forgetting, and taking that back. ``PowerContext`` is one."""

    @edge
    def list_memories(
        self,
        kind: str | None = None,
        *,
        states: Sequence[MemoryState] = _ACTIVE,
        deadline: Deadline | None = None,
    ) -> Iterator[Memory]:
        """Every memory in one of the ``states``, or those of ``kind`` (1 to 128 code points, of any client), in no
        meaningful order. ``inactive`` is every state but ``active``.

        Asks as it goes; each page has a deadline of its own unless ``deadline`` is given. Servers up to 1.2.0 give all
        at once: over 1 MiB it is TransportError ``answer_too_large``. Raises InputError at once.
        """
        return self._listed(self._pages(self._blocking, kind, states), arguments.deadline(deadline))

    @edge
    def alist_memories(
        self,
        kind: str | None = None,
        *,
        states: Sequence[MemoryState] = _ACTIVE,
        deadline: Deadline | None = None,
    ) -> AsyncIterator[Memory]:
        """As ``list_memories``, without blocking the event loop."""
        return self._alisted(self._pages(self._on_loop, kind, states), arguments.deadline(deadline))

    def _pages(self, io: IO, kind: object, states: object) -> memories.Pages:
        return memories.Pages(io, self.settings.scope_id, kind, states)

    @edge
    def _listed(self, pages: memories.Pages, deadline: Deadline | None) -> Iterator[Memory]:
        while (page := run(lambda: pages.next(self._deadline(deadline)))) is not None:
            yield from page

    @edge
    async def _alisted(
        self, pages: memories.Pages, deadline: Deadline | None
    ) -> AsyncIterator[Memory]:
        while (page := await pages.next(self._deadline(deadline))) is not None:
            for memory in page:
                yield memory

    @edge
    def get(self, citation: wire.Citation, *, deadline: Deadline | None = None) -> Memory:
        """The very revision that ``citation`` names. Its ``state`` is the memory's now; servers up to 1.2.0 give the
        state at that revision.

        Raises ServerError ``artifact_not_found`` or ``memory_not_found``, and NotSupportedByServer for a citation of
        the other server generation.
        """
        by, scope_id = self._deadline(deadline), self.settings.scope_id
        return run(lambda: memories.get(self._blocking, scope_id, citation, by))

    @edge
    async def aget(self, citation: wire.Citation, *, deadline: Deadline | None = None) -> Memory:
        """As ``get``, without blocking the event loop."""
        by, scope_id = self._deadline(deadline), self.settings.scope_id
        return await memories.get(self._on_loop, scope_id, citation, by)

    @edge
    def head(self, citation: wire.Citation, *, deadline: Deadline | None = None) -> Memory:
        """The current revision of the memory that ``citation`` names a revision of. Raises as ``get`` does."""
        by, scope_id = self._deadline(deadline), self.settings.scope_id
        return run(lambda: memories.head(self._blocking, scope_id, citation, by))

    @edge
    async def ahead(self, citation: wire.Citation, *, deadline: Deadline | None = None) -> Memory:
        """As ``head``, without blocking the event loop."""
        by, scope_id = self._deadline(deadline), self.settings.scope_id
        return await memories.head(self._on_loop, scope_id, citation, by)

    @edge
    def history(
        self, citation: wire.Citation, limit: int = 100, *, deadline: Deadline | None = None
    ) -> list[Revision]:
        """The newest ``limit`` (1 to 100) revisions of the memory, the newest first; ``get`` reads what one says.

        Raises as ``get`` does, and NotSupportedByServer for servers up to 1.2.0.
        """
        by, scope_id = self._deadline(deadline), self.settings.scope_id
        return run(lambda: memories.history(self._blocking, scope_id, citation, limit, by))

    @edge
    async def ahistory(
        self, citation: wire.Citation, limit: int = 100, *, deadline: Deadline | None = None
    ) -> list[Revision]:
        """As ``history``, without blocking the event loop."""
        by, scope_id = self._deadline(deadline), self.settings.scope_id
        return await memories.history(self._on_loop, scope_id, citation, limit, by)

    @edge
    def revise(
        self,
        citation: wire.Citation,
        text: str,
        kind: wire.Kind | None = None,
        *,
        deadline: Deadline | None = None,
    ) -> ReviseOutcome:
        """Make the memory say ``text`` (at most 8192 UTF-8 bytes once normalised), if ``citation`` still names its
        current revision; else Conflict. ``kind`` stays if it is None.

        Of a lost answer it is found out, within the deadline, what became of the change; doing it again with the same
        citation is safe. Raises as ``get`` does, and has changed nothing then.
        """
        by, scope_id = self._deadline(deadline, writes=True), self.settings.scope_id
        return run(lambda: changes.revise(self._blocking, scope_id, citation, text, kind, by))

    @edge
    async def arevise(
        self,
        citation: wire.Citation,
        text: str,
        kind: wire.Kind | None = None,
        *,
        deadline: Deadline | None = None,
    ) -> ReviseOutcome:
        """As ``revise``, without blocking the event loop."""
        by, scope_id = self._deadline(deadline, writes=True), self.settings.scope_id
        return await changes.revise(self._on_loop, scope_id, citation, text, kind, by)

    @edge
    def forget(self, citation: wire.Citation, *, deadline: Deadline | None = None) -> ForgetOutcome:
        """Take the memory out of recall, if ``citation`` still names its current revision; else Conflict.

        Lost answers are dealt with as by ``revise``, and it raises as that does. Servers up to 1.2.0 also refuse the
        citation of an earlier head, as a save before the last one gave it: list or recall again.
        """
        by, scope_id = self._deadline(deadline, writes=True), self.settings.scope_id
        return run(lambda: changes.forget(self._blocking, scope_id, citation, by))

    @edge
    async def aforget(
        self, citation: wire.Citation, *, deadline: Deadline | None = None
    ) -> ForgetOutcome:
        """As ``forget``, without blocking the event loop."""
        by, scope_id = self._deadline(deadline, writes=True), self.settings.scope_id
        return await changes.forget(self._on_loop, scope_id, citation, by)

    @edge
    def restore(
        self,
        citation: wire.Citation,
        revision: int | None = None,
        *,
        deadline: Deadline | None = None,
    ) -> RestoreOutcome:
        """Take a change back, if ``citation`` still names the memory's current revision; else Conflict.

        A memory that was forgotten is recalled again. With ``revision``, an earlier one of it, it also says again what
        it said then; both make a new revision. Lost answers are dealt with as by ``revise``, and it raises as that
        does; also NotSupportedByServer for servers up to 1.2.0.
        """
        by, scope_id = self._deadline(deadline, writes=True), self.settings.scope_id
        return run(lambda: changes.restore(self._blocking, scope_id, citation, revision, by))

    @edge
    async def arestore(
        self,
        citation: wire.Citation,
        revision: int | None = None,
        *,
        deadline: Deadline | None = None,
    ) -> RestoreOutcome:
        """As ``restore``, without blocking the event loop."""
        by, scope_id = self._deadline(deadline, writes=True), self.settings.scope_id
        return await changes.restore(self._on_loop, scope_id, citation, revision, by)
