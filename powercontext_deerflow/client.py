# SPDX-License-Identifier: Apache-2.0
"""The typed SDK: recall and remember for one bound Scope, synchronous and asynchronous, each by a total deadline."""

from __future__ import annotations

import threading
from concurrent.futures import Future, wait
from functools import cached_property
from typing import TYPE_CHECKING, Self, get_args

from powercontext_deerflow import exchanges, recalling, saving, wire
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import InputError, TransportError
from powercontext_deerflow.fork import tell_after_fork
from powercontext_deerflow.outcomes import (
    NothingRecalled,
    Recall,
    RecallFailed,
    SaveNotSent,
    SaveOutcome,
)
from powercontext_deerflow.settings import Settings
from powercontext_deerflow.text import memory_text, recall_query
from powercontext_deerflow.transport import Engine
from powercontext_deerflow.workers import Workers

if TYPE_CHECKING:
    from powercontext_openapi import Client

_ASYNC_RECALLS = 32  # threads; as many as connections


class PowerContext:
    """One Scope of one server, with one credential. Thread-safe, fork-safe, usable from any event loop.

    Nothing is opened before the first call. ``close`` (or ``with`` / ``async with``) releases sockets and threads.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._engine = Engine(settings)
        self._recalls = Workers(_ASYNC_RECALLS, "powercontext-recall")
        self._saves = Workers(1, "powercontext-save")  # older servers refuse parallel saves
        self.after_fork()
        tell_after_fork(self)

    def after_fork(self) -> None:
        self._saving: dict[wire.RememberRequest, Future[SaveOutcome]] = {}
        self._saving_lock = threading.Lock()

    def recall(self, query: object, *, deadline: Deadline | None = None) -> Recall:
        """Prepared context for ``query`` (at most 8192 code points are sent), within ``max_bytes`` UTF-8 bytes.

        Raises InputError for a query that is not text. Every failure is a RecallFailed. One request, unless a long
        query found nothing literally and ``recall_focus`` is on.
        """
        bounded = recall_query(query)
        if bounded is None:
            return NothingRecalled("no_query")
        return recalling.recall(
            self._engine, self.settings, bounded, deadline or self._recall_deadline()
        )

    async def arecall(self, query: object) -> Recall:
        """As ``recall``, without blocking the event loop; the wait for a thread counts against the deadline."""
        import asyncio  # whoever runs an event loop has it already

        deadline = self._recall_deadline()
        try:
            future = self._recalls.submit(lambda: self.recall(query, deadline=deadline))
            return await asyncio.wrap_future(future)
        except TransportError as error:
            return RecallFailed(error.code)

    def remember(
        self, text: str, kind: wire.Kind = "fact", *, deadline: Deadline | None = None
    ) -> SaveOutcome:
        """Save ``text`` (at most 8192 UTF-8 bytes once normalised) as one memory of ``kind``, once.

        Raises InputError for a text or kind that is refused here. Equal saves that are under way are one save.
        """
        return self._begin_save(text, kind, deadline).result()

    async def aremember(self, text: str, kind: wire.Kind = "fact") -> SaveOutcome:
        """As ``remember``, without blocking the event loop. A submitted save goes on if its caller is cancelled."""
        import asyncio

        return await asyncio.shield(asyncio.wrap_future(self._begin_save(text, kind)))

    def _begin_save(
        self, text: str, kind: str, deadline: Deadline | None = None
    ) -> Future[SaveOutcome]:
        if kind not in get_args(wire.Kind):
            raise InputError("kind_unknown", "kind", "use " + ", ".join(get_args(wire.Kind)))
        request = wire.RememberRequest(self.settings.scope_id, kind, memory_text(text))
        by = deadline or Deadline.after(self.settings.remember_timeout_seconds)
        with self._saving_lock:
            under_way = self._saving.get(request)
            if under_way is not None:
                return under_way
            try:
                future = self._saves.submit(lambda: saving.save(self._engine, request, by))
            except TransportError as error:
                return _settled(SaveNotSent(error.code))
            self._saving[request] = future
        future.add_done_callback(lambda _: self._saving.pop(request, None))
        return future

    def server_info(self, *, deadline: Deadline | None = None) -> wire.ServerInfo:
        """The server's product, version and API contract.

        Raises ServerError: ``http_404`` from servers up to 1.2.0, ``forbidden`` for a principal that may not ask.
        """
        return exchanges.server_info(self._engine, deadline or self._recall_deadline())

    def check_scope(self, *, deadline: Deadline | None = None) -> bool:
        """Whether the server has exactly the bound Scope, byte for byte; storage may fold case or accents.

        Raises ServerError (``scope_not_found``, ``forbidden``, ...), TransportError or AnswerError.
        """
        scope_id, by = self.settings.scope_id, deadline or self._recall_deadline()
        return exchanges.scope(self._engine, scope_id, by).scope_id == scope_id

    def flush(self, budget: float) -> bool:
        """Wait at most ``budget`` seconds for saves under way; whether all of them have ended."""
        return not wait(list(self._saving.values()), budget).not_done

    def close(self, budget: float = 2.0) -> None:
        """Refuse new calls, give those under way ``budget`` seconds, then cut them off. Idempotent."""
        deadline = Deadline.after(budget)
        self._saves.close()
        self.flush(deadline.remaining())
        self._engine.close(deadline.remaining())
        self._recalls.close()

    async def aclose(self, budget: float = 2.0) -> None:
        """As ``close``, without blocking the event loop."""
        import asyncio

        await asyncio.to_thread(self.close, budget)

    @cached_property
    def generated(self) -> Client:
        """The client generated from PowerContext's OpenAPI document, over this engine's bounds and credential.

        Its typed functions run any operation of the pinned slice; each has ``remember_timeout_seconds`` in all.
        """
        from powercontext_openapi import Client

        from powercontext_deerflow.transport.seam import httpx_client

        generated = Client(base_url=self.settings.base_url)
        return generated.set_httpx_client(
            httpx_client(
                self._engine, self.settings.base_url, self.settings.remember_timeout_seconds
            )
        )

    def _recall_deadline(self) -> Deadline:
        return Deadline.after(self.settings.recall_timeout_seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _settled(outcome: SaveOutcome) -> Future[SaveOutcome]:
    future: Future[SaveOutcome] = Future()
    future.set_result(outcome)
    return future
