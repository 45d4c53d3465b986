# SPDX-License-Identifier: Apache-2.0
"""Ours among those that `make bench` compares: the SDK, the host's memory manager, and the engine that was not kept."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from unittest import mock

from powercontext_deerflow import PowerContext, Recalled, Saved
from powercontext_deerflow.api import wire
from powercontext_deerflow.deadline import Deadline
from scripts.bench.callers import BUDGET, OWNER, PATH, QUERY, SCOPE, TOKEN, settings
from scripts.bench.contender_httpcore import PoolEngine
from scripts.bench.stub import SAVED
from scripts.bench.timing import AsyncCall, Call, expect
from tests.support.gateway import Gateway


@contextmanager
def httpcore_pool(base_url: str, **given: Any) -> Iterator[Call]:
    bound = settings(base_url, **given)
    engine = PoolEngine(bound)

    def call() -> tuple[str, int] | None:
        request = wire.PrepareRequest(SCOPE, QUERY, BUDGET)
        deadline = Deadline.after(bound.recall_timeout_seconds)
        return wire.decode_prepared(
            engine.exchange(PATH, wire.encode(request), deadline), request.max_bytes
        )

    try:
        yield call
    finally:
        engine.close()


@contextmanager
def ours(base_url: str, **given: Any) -> Iterator[Call]:
    with PowerContext(settings(base_url, **given)) as client:
        yield lambda: expect(isinstance(client.recall(QUERY), Recalled))


@contextmanager
def ours_saving(base_url: str) -> Iterator[Call]:
    with PowerContext(settings(base_url)) as client:
        yield lambda: expect(isinstance(client.remember(SAVED), Saved))


@asynccontextmanager
async def ours_in_the_host(gateway: Gateway) -> AsyncIterator[AsyncCall]:
    async def call() -> None:
        expect(await gateway.manager.aget_context(OWNER, query=QUERY))

    yield call


@contextmanager
def gateway(base_url: str) -> Iterator[Gateway]:
    """A host process as an operator sets it up; its settings come from the environment."""
    given = {"BASE_URL": base_url, "OWNER_USER_ID": OWNER, "SCOPE_ID": SCOPE, "TOKEN": TOKEN}
    given["MAX_BYTES"] = str(BUDGET)
    environment = {f"POWERCONTEXT_DEERFLOW_{name}": value for name, value in given.items()}
    with mock.patch.dict(os.environ, environment), Gateway() as entered:
        yield entered
