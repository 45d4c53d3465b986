# SPDX-License-Identifier: Apache-2.0
"""A host that recalls on every turn: each conversation is given a memory once, and later what is new to it."""

from __future__ import annotations

import asyncio

import pytest
from deerflow.agents.middlewares.every_turn import EveryTurn

from tests.loopback.acceptance.deployment import CONVENTION, OWNER, Deployment, diagnostics
from tests.support.answers import PREPARE
from tests.support.gateway import Gateway, memory_block, owner

pytestmark = pytest.mark.anyio

LATER = "Order service: refunds are signed by two people."
QUESTION = "order service"


async def test_later_turns_are_given_only_what_is_new(deployment: Deployment) -> None:
    deployment.seed(CONVENTION)
    run = owner(OWNER, "thread-1")
    conversation = EveryTurn()
    with Gateway() as gateway:
        first = memory_block(await conversation.turn(QUESTION, run))
        again = memory_block(await conversation.turn(f"{QUESTION}?", run))
        deployment.seed(LATER)
        later = memory_block(await conversation.turn(f"{QUESTION}!", run))
        last = memory_block(await conversation.turn(f"{QUESTION}...", run))
        another = memory_block(await EveryTurn().turn(QUESTION, owner(OWNER, "thread-2")))
        assert gateway.warm

    assert CONVENTION in str(first)
    assert again is None
    assert LATER in str(later)
    assert CONVENTION in str(later), "the server's own text, whole: nothing is cut out of it"
    assert last is None
    assert another == later
    assert deployment.proxy.count(PREPARE) == 5


async def test_a_call_without_a_query_beside_calls_with_one_is_no_old_host(
    deployment_141: Deployment, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    deployment_141.seed(CONVENTION)
    with Gateway():
        runs = [owner(OWNER, f"thread-{at}") for at in range(5)]
        await asyncio.gather(*(EveryTurn().turn(QUESTION, run) for run in runs))
        counted = diagnostics("recall")
    assert counted == {"no_query": 5, "ready": 5}
    assert "host_passes_no_query" not in caplog.text


async def test_a_turn_that_is_said_again_is_given_its_memory_again(
    deployment_141: Deployment,
) -> None:
    """As a host does that regenerates an answer."""
    deployment_141.seed(CONVENTION)
    run = owner(OWNER, "thread-1")
    with Gateway():
        blocks = [memory_block(await EveryTurn().turn(QUESTION, run)) for _ in range(2)]
    assert blocks[0] == blocks[1]
    assert CONVENTION in str(blocks[0])
