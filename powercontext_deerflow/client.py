# SPDX-License-Identifier: Apache-2.0
"""The typed SDK: every operation on one bound Scope, synchronous and asynchronous, each by a total deadline.

Reading has ``recall_timeout_seconds`` in all, writing ``remember_timeout_seconds``, unless the caller brings a
deadline. An argument of another type or size is InputError, before anything is sent. Besides what it names, every
method but ``recall`` and ``remember`` raises TransportError, ServerError (``scope_not_found``, ...) and AnswerError.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Final, Self

from powercontext_deerflow import arguments, exchanges, recalling, records, saving, wire
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.edge import edge
from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.lifecycle import Lifecycle, without_blocking
from powercontext_deerflow.outcomes import (
    CaptureOutcome,
    ForgetOutcome,
    Memory,
    NothingRecalled,
    Recall,
    SaveNotSent,
    SaveOutcome,
    SaveUnknown,
)
from powercontext_deerflow.settings import Settings
from powercontext_deerflow.text import memory_text, recall_query
from powercontext_deerflow.transport.calls import Call

_USEFUL_SHARE: Final = 0.05
"""Of its deadline, what must be left of a save's time when its turn comes; later it might end unknown."""


class PowerContext(Lifecycle):
    """One Scope of one server, with one credential. Thread-safe, fork-safe, usable from any event loop.

    Nothing is opened before the first call. ``close`` (or ``with`` / ``async with``) releases sockets and threads.
    """

    @classmethod
    @edge
    def from_environment(cls) -> Self:
        """A client with the settings of this process (``Settings.from_environment``). Raises ConfigurationError."""
        return cls(Settings.from_environment())

    @edge
    def recall(self, query: object, *, deadline: Deadline | None = None) -> Recall:
        """Prepared context for ``query`` (at most 8192 code points are sent), within ``max_bytes`` UTF-8 bytes.

        Raises InputError for a query that is not text. Every failure is a RecallFailed. One request, unless a long
        query found nothing literally and ``recall_focus`` is on.
        """
        by = self._deadline(deadline)
        bounded = recall_query(query)
        if bounded is None:
            return NothingRecalled("no_query")
        return recalling.recall(self._engine, self.settings, bounded, by)

    @edge
    async def arecall(self, query: object, *, deadline: Deadline | None = None) -> Recall:
        """As ``recall``, without blocking the event loop; the wait for a thread counts against the deadline."""
        by = self._deadline(deadline)
        bounded = recall_query(query)
        if bounded is None:
            return NothingRecalled("no_query")
        return await recalling.arecall(self._engine, self.settings, bounded, by)

    @edge
    def remember(
        self,
        text: str,
        kind: wire.Kind = "fact",
        *,
        check_duplicates: bool = True,
        read_back: bool = True,
        deadline: Deadline | None = None,
    ) -> SaveOutcome:
        """Save ``text`` (at most 8192 UTF-8 bytes once normalised) as one memory of ``kind``, sent once.

        ``check_duplicates`` looks first whether it is there, ``read_back`` looks for it after a lost answer; without
        the first, the second cannot tell this save from an equal one before. Raises InputError for a text or kind that
        is refused here. Saves go one at a time; equal ones under way are one save, by the first one's deadline.
        """
        try:
            save = self._begin_save(text, kind, check_duplicates, read_back, deadline)
            return save.outcome()
        except TransportError as error:
            return _unconfirmed(error)

    @edge
    async def aremember(
        self,
        text: str,
        kind: wire.Kind = "fact",
        *,
        check_duplicates: bool = True,
        read_back: bool = True,
        deadline: Deadline | None = None,
    ) -> SaveOutcome:
        """As ``remember``, without blocking the event loop. A submitted save goes on if its caller is cancelled."""
        try:
            save = self._begin_save(text, kind, check_duplicates, read_back, deadline)
            return await save.aoutcome()
        except TransportError as error:
            return _unconfirmed(error)

    def _begin_save(
        self,
        text: str,
        kind: str,
        check_duplicates: bool = True,
        read_back: bool = True,
        deadline: Deadline | None = None,
    ) -> Call[SaveOutcome]:
        by = self._deadline(deadline, writes=True)
        looks = arguments.flag("check_duplicates", check_duplicates)
        reads = arguments.flag("read_back", read_back)
        known = arguments.kind_to_save(kind)
        request = wire.RememberRequest(self.settings.scope_id, known, memory_text(text))
        save = (request, looks, reads)
        useful = by.remaining() * _USEFUL_SHARE

        def carried_out() -> SaveOutcome:
            try:
                if by.remaining() < useful:  # sent now, it might end unknown
                    return SaveNotSent("saves_ahead")
                return saving.save(self._engine, *save, by)
            except MemoryError:
                return SaveUnknown("out_of_memory")

        return self._saves.submit(carried_out, by, key=save)

    @edge
    def search(
        self, query: str, limit: int = 10, *, deadline: Deadline | None = None
    ) -> list[Memory]:
        """At most ``limit`` (1 to 50) active memories that share words with ``query``, the best first.

        At most 8192 code points of ``query`` are sent; nothing is if it is blank. Raises InputError for a query that is
        not text.
        """
        by, most = self._deadline(deadline), arguments.limit(limit)
        bounded = recall_query(query)
        if bounded is None:
            return []
        request = wire.SearchRequest(self.settings.scope_id, bounded, most)
        return records.search(self._engine, request, by)

    @edge
    def list_memories(
        self, kind: str | None = None, *, deadline: Deadline | None = None
    ) -> Iterator[Memory]:
        """Every active memory, or those of ``kind`` (1 to 128 code points, of any client), in no meaningful order.

        Asks as it goes; each page has a deadline of its own unless ``deadline`` is given. Servers up to 1.2.0 give all
        at once: over 1 MiB it is TransportError ``answer_too_large``. Raises InputError at once.
        """
        return self._listed(arguments.kind_to_list(kind), arguments.deadline(deadline))

    @edge
    def alist_memories(
        self, kind: str | None = None, *, deadline: Deadline | None = None
    ) -> AsyncIterator[Memory]:
        """As ``list_memories``, without blocking the event loop."""
        return self._alisted(arguments.kind_to_list(kind), arguments.deadline(deadline))

    @edge
    def _listed(self, kind: str | None, deadline: Deadline | None) -> Iterator[Memory]:
        scope_id = self.settings.scope_id
        for page in records.pages(self._engine, scope_id, kind, lambda: self._deadline(deadline)):
            yield from page

    @edge
    async def _alisted(self, kind: str | None, deadline: Deadline | None) -> AsyncIterator[Memory]:
        by = self._deadline(deadline)
        pages = records.pages(self._engine, self.settings.scope_id, kind, lambda: by)
        while (page := await self._engine.workers.run(lambda: next(pages, None), by)) is not None:
            for memory in page:
                yield memory
            by = self._deadline(deadline)

    @edge
    def get(self, citation: wire.Citation, *, deadline: Deadline | None = None) -> Memory:
        """The very revision that ``citation`` names. Its ``state`` is the memory's now; servers up to 1.2.0 give the
        state at that revision.

        Raises ServerError ``artifact_not_found`` or ``memory_not_found``, and NotSupportedByServer for a citation of
        the other server generation.
        """
        by, which = self._deadline(deadline), arguments.citation(citation)
        return records.get(self._engine, self.settings.scope_id, which, by)

    @edge
    def forget(self, citation: wire.Citation, *, deadline: Deadline | None = None) -> ForgetOutcome:
        """Take the memory out of recall, if ``citation`` still names its current revision; else Conflict.

        Doing it again is harmless, so a lost answer may be repeated. Servers up to 1.2.0 also refuse the citation of an
        earlier head, as a save before the last one gave it: list or recall again. Raises as ``get`` does.
        """
        by, which = self._deadline(deadline, writes=True), arguments.citation(citation)
        return records.forget(self._engine, self.settings.scope_id, which, by)

    @edge
    def capture_source(
        self,
        source_id: str,
        content: str,
        metadata: Mapping[str, object] | None = None,
        *,
        deadline: Deadline | None = None,
    ) -> CaptureOutcome:
        """Store ``content`` (1 to 200000 code points) under ``source_id`` (1 to 256), once: an equal capture again is
        the same Source, so a lost answer may be repeated. Other content or ``metadata`` is Conflict.

        ``metadata`` is a ``dict`` of plain JSON: dicts with ``str`` keys, lists, ``str``, ``int``, ``float``, ``bool``
        and None, no subclasses; numbers within 2**53 - 1 of zero, at most 64 levels, 262144 characters and values in
        all. Everything else is InputError, nothing is converted. Makes no memory by itself.
        """
        by = self._deadline(deadline, writes=True)
        source = arguments.source(self.settings.scope_id, source_id, content, metadata)
        return records.capture(self._engine, source, by)

    @edge
    def server_info(self, *, deadline: Deadline | None = None) -> wire.ServerInfo:
        """The server's product, version and API contract.

        Raises NotSupportedByServer (``http_404``) from servers up to 1.2.0, and ServerError ``forbidden`` for a
        principal that may not ask.
        """
        return exchanges.server_info(self._engine, self._deadline(deadline))

    @edge
    def check_scope(self, *, deadline: Deadline | None = None) -> bool:
        """Whether the server has exactly the bound Scope, byte for byte; storage may fold case or accents.

        Raises ServerError (``scope_not_found``, ``forbidden``, ...), TransportError or AnswerError.
        """
        scope_id, by = self.settings.scope_id, self._deadline(deadline)
        return exchanges.scope(self._engine, scope_id, by).scope_id == scope_id

    asearch = without_blocking(search)
    aget = without_blocking(get)
    aforget = without_blocking(forget, writes=True)
    acapture_source = without_blocking(capture_source, writes=True)
    aserver_info = without_blocking(server_info)
    acheck_scope = without_blocking(check_scope)


def _unconfirmed(error: TransportError) -> SaveOutcome:
    return SaveUnknown(error.code) if error.sent else SaveNotSent(error.code)
