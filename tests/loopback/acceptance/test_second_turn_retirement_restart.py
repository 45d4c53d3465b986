# SPDX-License-Identifier: Apache-2.0
"""The acceptance matrix: second turn, retirement and restart; passive capture excluded."""

from __future__ import annotations

import pytest
from deerflow.agents.memory.summarization_hook import SummarizationEvent, memory_flush_hook
from deerflow.agents.middlewares.outbound import Conversation

from tests.loopback.acceptance.deployment import (
    CONVENTION,
    LOOK,
    OWNER,
    QUESTION,
    Deployment,
    types,
)
from tests.support.answers import PREPARE, REMEMBER, SEARCH
from tests.support.gateway import Gateway, memory_block, owner, result

pytestmark = pytest.mark.anyio

LATER = "Order service: refunds are signed by two people."


async def test_second_turn_is_not_refreshed(deployment: Deployment) -> None:
    deployment.seed(CONVENTION)
    conversation = Conversation()
    with Gateway() as gateway:
        first = await gateway.say(conversation, QUESTION, owner(OWNER))
        deployment.seed(LATER)
        second = await gateway.say(conversation, "Order service: and refunds?", owner(OWNER))

    assert memory_block(second) == memory_block(first)
    assert LATER not in str(memory_block(second))
    assert deployment.seen == deployment.recalled


async def test_second_turn_after_an_empty_first_one_asks_nothing(deployment: Deployment) -> None:
    """The host's reminder stands in the conversation, so a memory saved in between is not for it."""
    conversation = Conversation()
    with Gateway() as gateway:
        await gateway.say(conversation, QUESTION, owner(OWNER))
        asked = deployment.seen
        deployment.seed(CONVENTION)
        second = await gateway.say(conversation, QUESTION, owner(OWNER))
    assert types(second) == ["system", "human", "human"]
    assert memory_block(second) is None
    assert deployment.seen == asked


async def test_retirement_reaches_fresh_chats_only(deployment: Deployment) -> None:
    old = Conversation()
    with Gateway() as gateway:
        await gateway.remember(CONVENTION, owner(OWNER))
        before = memory_block(await gateway.say(old, QUESTION, owner(OWNER)))
        (memory,) = deployment.memories()
        deployment.server.forget(deployment.scope_id, memory)
        fresh = await gateway.ask(QUESTION, owner(OWNER))
        after = memory_block(await gateway.say(old, "And then?", owner(OWNER)))

    assert before is not None
    assert CONVENTION in before
    assert after == before, "what a conversation has been given stays in it"
    assert types(fresh) == ["system", "human"]


async def test_retirement_allows_saving_it_again(deployment: Deployment) -> None:
    with Gateway() as gateway:
        first = result(await gateway.remember(CONVENTION, owner(OWNER)))
        (memory,) = deployment.memories()
        deployment.server.forget(deployment.scope_id, memory)
        again = result(await gateway.remember(CONVENTION, owner(OWNER)))
        block = memory_block(await gateway.ask(QUESTION, owner(OWNER)))

    (memory,) = deployment.memories()
    assert (again["status"], again["citation"]) == ("saved", memory["citation"])
    assert again["citation"] != first["citation"]
    assert CONVENTION in str(block)


async def test_restart_of_the_server_preserves_the_binding(deployment: Deployment) -> None:
    with Gateway() as gateway:
        await gateway.remember(CONVENTION, owner(OWNER))
        deployment.server.restart()
        if deployment.atomic:
            deployment.server.warm_han(deployment.scope_id)  # for the tests after this one
        block = memory_block(await gateway.ask(QUESTION, owner(OWNER)))
        again = result(await gateway.remember(CONVENTION, owner(OWNER)))
    assert CONVENTION in str(block)
    assert again["status"] == "already_saved"


async def test_restart_of_the_host_preserves_the_binding(deployment: Deployment) -> None:
    blocks = []
    with Gateway() as gateway:
        saved = result(await gateway.remember(CONVENTION, owner(OWNER)))
    for _ in range(2):
        with Gateway() as gateway:
            blocks.append(memory_block(await gateway.ask(QUESTION, owner(OWNER))))
            again = result(await gateway.remember(CONVENTION, owner(OWNER)))
            assert (again["status"], again["citation"]) == ("already_saved", saved["citation"])
    assert blocks[0] == blocks[1]
    assert CONVENTION in str(blocks[0])


async def test_passive_capture_excluded_from_turns_and_compaction(deployment: Deployment) -> None:
    """Whole conversations are offered after every turn and before every summary; none is sent."""
    conversation, run = Conversation(), owner(OWNER)
    with Gateway() as gateway:
        await gateway.say(conversation, "Remember: I live in Lyon.", run)
        asked = deployment.seen
        for text in ("My favourite colour is green.", "Thanks."):
            await gateway.say(conversation, text, run)
        memory_flush_hook(
            SummarizationEvent(tuple(conversation.messages), (), "thread-1", "lead_agent", run)
        )
        gateway.manager.add("thread-1", conversation.messages, user_id=OWNER, trace_id="t")
        assert gateway.manager.shutdown_flush(1.0) is True

    assert deployment.seen == asked, "the recall of the first turn, and nothing else"
    assert set(asked) <= {PREPARE, SEARCH, LOOK}
    assert deployment.server.sources(deployment.scope_id) == 0
    assert deployment.memories() == []


async def test_passive_capture_excluded_around_an_explicit_save(deployment: Deployment) -> None:
    """From 1.3.0 on a server makes a Source of each save itself; the turns around it add none."""
    conversation, run = Conversation(), owner(OWNER)
    with Gateway() as gateway:
        await gateway.say(conversation, "Please remember our convention.", run)
        asked = deployment.seen
        await gateway.remember(CONVENTION, run)
        await gateway.say(conversation, "Thanks, that is all.", run)

    assert deployment.seen == [*asked, SEARCH, REMEMBER]
    assert deployment.server.sources(deployment.scope_id) == (1 if deployment.atomic else 0)
    assert [memory["text"] for memory in deployment.memories()] == [CONVENTION]
