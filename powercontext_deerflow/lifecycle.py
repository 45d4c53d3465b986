# SPDX-License-Identifier: Apache-2.0
"""What every operation of the SDK stands on: one engine, its threads, their deadlines and their end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from powercontext_deerflow.deadline import Deadline, checked_seconds
from powercontext_deerflow.edge import edge
from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.fork import late_import
from powercontext_deerflow.operations import arguments
from powercontext_deerflow.settings import Settings
from powercontext_deerflow.transport import Blocking, Engine, OnLoop
from powercontext_deerflow.transport.calls import Call
from powercontext_deerflow.transport.threads import Workers, on_a_thread

if TYPE_CHECKING:
    from powercontext_openapi import Client

_SLACK = 0.05
"""Seconds that ``aclose`` gives ``close`` beyond its budget, to come back from its thread."""


@dataclass(frozen=True)
class Connections:
    """How many connections a client has, at one moment."""

    in_use: int
    idle: int


class Lifecycle:
    """Opened by the first call; closed by ``close``, ``with`` or ``async with``; begun anew in a forked child."""

    @edge
    def __init__(self, settings: Settings) -> None:
        self._settings = arguments.settings(settings)
        self._engine = Engine(self._settings)
        self._blocking = Blocking(self._engine)
        self._on_loop = OnLoop(self._engine)
        # One thread: servers before 1.4.1 refuse parallel saves.
        self._saves = Workers(1, "saves_ahead")
        self._generated: Client | None = None

    @property
    def settings(self) -> Settings:
        """The binding of this client; another one takes another client."""
        return self._settings

    @property
    def connections(self) -> Connections:
        """The places in use (of 32) and the connections that wait for their next use, as a health check may show."""
        return Connections(self._engine.pool.in_use, self._engine.pool.idle)

    def flush(self, budget: float) -> bool:
        """Wait at most ``budget`` seconds for saves under way; whether all of them have ended."""
        by = Deadline.after(checked_seconds("budget", budget))
        for save in self._saves.pending():
            save.wait(by.remaining())
        return not self._saves.pending()

    @edge
    async def aflush(self, budget: float) -> bool:
        """As ``flush``, without blocking the event loop."""
        by = Deadline.after(checked_seconds("budget", budget))
        for save in self._saves.pending():
            await save.awaited(by.remaining())
        return not self._saves.pending()

    def close(self, budget: float = 2.0) -> None:
        """Refuse new calls, give those under way ``budget`` seconds, then cut them off. Idempotent."""
        deadline = Deadline.after(checked_seconds("budget", budget))
        self._saves.close()
        self.flush(deadline.remaining())
        self._engine.close(deadline.remaining())

    @edge
    async def aclose(self, budget: float = 2.0) -> None:
        """As ``close``, without blocking the event loop; returns within ``budget`` seconds, whatever happens.

        On a thread of its own, if there is one: the event loop's executor may be full, or shut down.
        """
        by = Deadline.after(checked_seconds("budget", budget))
        self._saves.close()
        closing = Call(lambda: self._engine.close(by.remaining()), by)
        try:
            await self.aflush(by.remaining())
            on_a_thread(closing.carry_out)
            await closing.awaited(by.remaining() + _SLACK)
        except TransportError:
            self._engine.close(0)
        except BaseException:  # cancelled: nobody waits for those under way any more
            self._engine.close(0)
            raise

    @property
    def generated(self) -> Client:
        """The client generated from PowerContext's OpenAPI document, over this engine's bounds and credential.

        Its typed functions, ``sync`` and ``asyncio``, run any operation of the pinned slice; each has
        ``remember_timeout_seconds`` in all.
        """
        # Not cached_property: in Python 3.11 it holds a lock that no fork knows of.
        if self._generated is None:
            with late_import():
                from powercontext_openapi import Client

                from powercontext_deerflow.transport.httpx_transport import httpx_clients

                url, seconds = self.settings.base_url, self.settings.remember_timeout_seconds
                plain, asynchronous = httpx_clients(self._engine, url, seconds)
                made = Client(base_url=url).set_httpx_client(plain)
                self._generated = self._generated or made.set_async_httpx_client(asynchronous)
        return self._generated

    def _deadline(self, given: object = None, *, writes: bool = False) -> Deadline:
        """The caller's own, if one was ``given``. Raises InputError if it is none."""
        settings = self.settings
        usual = settings.remember_timeout_seconds if writes else settings.recall_timeout_seconds
        return arguments.deadline(given) or Deadline.after(usual)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
