# SPDX-License-Identifier: Apache-2.0
"""What every operation of the SDK stands on: one engine, its threads, their deadlines and their end (DESIGN 4)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeVar

from powercontext_deerflow import arguments
from powercontext_deerflow.deadline import Deadline, checked_seconds
from powercontext_deerflow.fork import tell_after_fork
from powercontext_deerflow.outcomes import SaveOutcome
from powercontext_deerflow.settings import Settings
from powercontext_deerflow.transport import Engine
from powercontext_deerflow.workers import Workers

if TYPE_CHECKING:
    from powercontext_openapi import Client

C = TypeVar("C", bound="Lifecycle")
P = ParamSpec("P")
T = TypeVar("T")


class Lifecycle:
    """Opened by the first call; closed by ``close``, ``with`` or ``async with``; begun anew in a forked child."""

    def __init__(self, settings: Settings) -> None:
        self.settings = arguments.settings(settings)
        self._engine = Engine(self.settings)
        self._saves = Workers(1, "powercontext-save")  # older servers refuse parallel saves
        self.after_fork()
        tell_after_fork(self)

    def after_fork(self) -> None:
        """Forget the saves of the parent process; called in the child, before anything else runs there."""
        self._saving: dict[object, tuple[Future[SaveOutcome], Deadline]] = {}
        self._saving_lock = threading.Lock()

    def flush(self, budget: float) -> bool:
        """Wait at most ``budget`` seconds for saves under way; whether all of them have ended."""
        seconds = checked_seconds("budget", budget)
        return not wait([future for future, _ in list(self._saving.values())], seconds).not_done

    def close(self, budget: float = 2.0) -> None:
        """Refuse new calls, give those under way ``budget`` seconds, then cut them off. Idempotent."""
        deadline = Deadline.after(checked_seconds("budget", budget))
        self._saves.close()
        self.flush(deadline.remaining())
        self._engine.close(deadline.remaining())

    async def aclose(self, budget: float = 2.0) -> None:
        """As ``close``, without blocking the event loop."""
        import asyncio

        await asyncio.to_thread(self.close, budget)

    @cached_property
    def generated(self) -> Client:
        """The client generated from PowerContext's OpenAPI document, over this engine's bounds and credential.

        Its typed functions, ``sync`` and ``asyncio``, run any operation of the pinned slice; each has
        ``remember_timeout_seconds`` in all.
        """
        from powercontext_openapi import Client

        from powercontext_deerflow.transport.seam import httpx_clients

        url, seconds = self.settings.base_url, self.settings.remember_timeout_seconds
        plain, asynchronous = httpx_clients(self._engine, url, seconds)
        generated = Client(base_url=url).set_httpx_client(plain)
        return generated.set_async_httpx_client(asynchronous)

    def _deadline(self, *, writes: bool = False) -> Deadline:
        settings = self.settings
        return Deadline.after(
            settings.remember_timeout_seconds if writes else settings.recall_timeout_seconds
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def without_blocking(
    call: Callable[Concatenate[C, P], T], *, writes: bool = False
) -> Callable[Concatenate[C, P], Coroutine[object, object, T]]:
    """``call`` for event loops, on a thread of the client's; the wait for one counts against the deadline."""

    @wraps(call)
    async def run(self: C, /, *args: P.args, **kwargs: P.kwargs) -> T:
        by = arguments.deadline(kwargs.get("deadline")) or self._deadline(writes=writes)
        kwargs["deadline"] = by
        return await self._engine.workers.run(lambda: call(self, *args, **kwargs), by)

    return run
