# SPDX-License-Identifier: Apache-2.0
"""The typed SDK: every operation on one bound Scope, synchronous and asynchronous, each by a total deadline.

Reading has ``recall_timeout_seconds`` in all, writing ``remember_timeout_seconds``, unless the caller brings a
deadline. An argument of another type or size is InputError, before anything is sent. Besides what it names, every
method but ``recall`` and ``remember`` raises TransportError, ServerError (``scope_not_found``, ...) and AnswerError.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from powercontext_deerflow.api import calls, wire
from powercontext_deerflow.curation import Curation
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.edge import edge
from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.limits import memory_text
from powercontext_deerflow.operations import arguments, memories, recall, save, sources
from powercontext_deerflow.outcomes import (
    CaptureOutcome,
    Memory,
    Recall,
    SaveNotSent,
    SaveOutcome,
    SaveUnknown,
)
from powercontext_deerflow.settings import Settings
from powercontext_deerflow.transport import run
from powercontext_deerflow.transport.calls import Call


class PowerContext(Curation):
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

        Raises InputError for a query that is not text. Every failure is a RecallFailed. One request, and if
        ``recall_focus`` is on up to two more where the literal one found nothing that is meant.
        """
        by = self._deadline(deadline)
        return run(lambda: recall.recall(self._blocking, self.settings, query, by))

    @edge
    async def arecall(self, query: object, *, deadline: Deadline | None = None) -> Recall:
        """As ``recall``, without blocking the event loop; the wait for a thread counts against the deadline."""
        by = self._deadline(deadline)
        return await recall.recall(self._on_loop, self.settings, query, by)

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
            begun = self._begin_save(text, kind, check_duplicates, read_back, deadline)
            return begun.outcome()
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
            begun = self._begin_save(text, kind, check_duplicates, read_back, deadline)
            return await begun.aoutcome()
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
        key = (request, looks, reads)
        useful = save.useful_rest(by)
        return self._saves.submit(
            lambda: run(lambda: save.in_turn(self._blocking, *key, useful, by)), by, key=key
        )

    @edge
    def search(
        self, query: str, limit: int = 10, *, deadline: Deadline | None = None
    ) -> list[Memory]:
        """At most ``limit`` (1 to 50) active memories that share words with ``query``, the best first.

        At most 8192 code points of ``query`` are sent; nothing is if it is blank. Raises InputError for a query that is
        not text.
        """
        by, scope_id = self._deadline(deadline), self.settings.scope_id
        return run(lambda: memories.search(self._blocking, scope_id, query, limit, by))

    @edge
    async def asearch(
        self, query: str, limit: int = 10, *, deadline: Deadline | None = None
    ) -> list[Memory]:
        """As ``search``, without blocking the event loop."""
        by, scope_id = self._deadline(deadline), self.settings.scope_id
        return await memories.search(self._on_loop, scope_id, query, limit, by)

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
        by, scope_id = self._deadline(deadline, writes=True), self.settings.scope_id
        return run(
            lambda: sources.capture(self._blocking, scope_id, source_id, content, metadata, by)
        )

    @edge
    async def acapture_source(
        self,
        source_id: str,
        content: str,
        metadata: Mapping[str, object] | None = None,
        *,
        deadline: Deadline | None = None,
    ) -> CaptureOutcome:
        """As ``capture_source``, without blocking the event loop."""
        by, scope_id = self._deadline(deadline, writes=True), self.settings.scope_id
        return await sources.capture(self._on_loop, scope_id, source_id, content, metadata, by)

    @edge
    def server_info(self, *, deadline: Deadline | None = None) -> wire.ServerInfo:
        """The server's product, version and API contract.

        Raises NotSupportedByServer (``http_404``) from servers up to 1.2.0, and ServerError ``forbidden`` for a
        principal that may not ask.
        """
        return run(lambda: calls.server_info(self._blocking, self._deadline(deadline)))

    @edge
    async def aserver_info(self, *, deadline: Deadline | None = None) -> wire.ServerInfo:
        """As ``server_info``, without blocking the event loop."""
        return await calls.server_info(self._on_loop, self._deadline(deadline))

    @edge
    def check_scope(self, *, deadline: Deadline | None = None) -> bool:
        """Whether the server has exactly the bound Scope, byte for byte; storage may fold case or accents.

        Raises ServerError (``scope_not_found``, ``forbidden``, ...), TransportError or AnswerError.
        """
        by, scope_id = self._deadline(deadline), self.settings.scope_id
        return run(lambda: calls.has_scope(self._blocking, scope_id, by))

    @edge
    async def acheck_scope(self, *, deadline: Deadline | None = None) -> bool:
        """As ``check_scope``, without blocking the event loop."""
        by, scope_id = self._deadline(deadline), self.settings.scope_id
        return await calls.has_scope(self._on_loop, scope_id, by)


def _unconfirmed(error: TransportError) -> SaveOutcome:
    return SaveUnknown(error.code) if error.sent else SaveNotSent(error.code)
