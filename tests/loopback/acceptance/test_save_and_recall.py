# SPDX-License-Identifier: Apache-2.0
"""The acceptance matrix: explicit save → new chat; repeat the identical save; other host → DeerFlow."""

from __future__ import annotations

import pytest

from powercontext_deerflow.api.wire import Kind
from tests.loopback.acceptance.deployment import (
    CONVENTION,
    MAX_BYTES,
    OWNER,
    QUESTION,
    Deployment,
    diagnostics,
    names_in,
    types,
)
from tests.support.answers import PREPARE, REMEMBER, SEARCH
from tests.support.gateway import Gateway, memory_block, owner, result

pytestmark = pytest.mark.anyio


async def test_explicit_save_then_new_chat(deployment: Deployment) -> None:
    with Gateway() as gateway:
        saved = result(await gateway.remember(CONVENTION, owner(OWNER, "thread-1")))
        outbound = await gateway.ask(QUESTION, owner(OWNER, "thread-2"))

    (memory,) = deployment.memories()
    assert (saved["status"], saved["citation"]) == ("saved", memory["citation"])
    (prepared,) = deployment.prepared
    assert prepared["content_bytes"] == len(prepared["content"].encode()) <= MAX_BYTES
    block = memory_block(outbound)
    assert block == f"<memory>\n{prepared['content']}\n</memory>"
    assert all(text in block for text in [CONVENTION, *names_in(saved["citation"])])
    assert types(outbound) == ["system", "human", "human"]
    assert deployment.seen == [SEARCH, REMEMBER, *deployment.recalled]


async def test_explicit_save_then_new_chat_sends_exactly_the_documented_requests(
    deployment: Deployment,
) -> None:
    with Gateway() as gateway:
        await gateway.remember(CONVENTION, owner(OWNER), kind="decision")
        await gateway.ask(QUESTION, owner(OWNER))

    scope_id = deployment.scope_id
    assert deployment.bodies(REMEMBER) == [
        {"scope_id": scope_id, "kind": "decision", "text": CONVENTION}
    ]
    assert deployment.bodies(PREPARE) == [
        {
            "scope_id": scope_id,
            "query": QUESTION,
            "max_bytes": MAX_BYTES,
            "assembly": {"format": "markdown", "sections": [{"family": "memory", "limit": 6}]},
        }
    ]
    credentials = {request.header("authorization") for request in deployment.proxy.requests}
    assert credentials == {f"Bearer {deployment.server.token}"}


async def test_repeat_the_identical_explicit_save(deployment: Deployment) -> None:
    with Gateway() as gateway:
        saved = result(await gateway.remember(CONVENTION, owner(OWNER)))
        again = result(await gateway.remember(f"\n {CONVENTION} ", owner(OWNER)))

    (memory,) = deployment.memories()
    assert (again["status"], again["citation"]) == ("already_saved", saved["citation"])
    assert saved["citation"] == memory["citation"]
    # 1.4.1 would store it twice, so it is never asked; 1.2.0 is asked once and says `entry: null`.
    assert len(deployment.bodies(REMEMBER)) == (1 if deployment.atomic else 2)


async def test_repeat_the_identical_save_invents_no_citation(deployment: Deployment) -> None:
    """The text exists as two kinds, so 1.2.0, which names neither kind nor entry, leaves it open which one it is."""
    kinds: list[Kind] = ["fact", "preference"]
    with Gateway() as gateway:
        first, _ = [
            result(await gateway.remember(CONVENTION, owner(OWNER), kind=kind)) for kind in kinds
        ]
        again = result(await gateway.remember(CONVENTION, owner(OWNER), kind="fact"))

    assert sorted(memory["kind"] for memory in deployment.memories()) == kinds
    assert again["status"] == "already_saved"
    assert again["citation"] == (first["citation"] if deployment.atomic else None)


async def test_repeat_of_what_another_host_saved(deployment: Deployment) -> None:
    deployment.seed(CONVENTION)
    with Gateway() as gateway:
        again = result(await gateway.remember(CONVENTION, owner(OWNER)))

    (memory,) = deployment.memories()
    assert (again["status"], again["citation"]) == ("already_saved", memory["citation"])


async def test_other_host_to_deerflow(deployment: Deployment) -> None:
    deployment.seed(CONVENTION)
    with Gateway() as gateway:
        outbound = await gateway.ask(QUESTION, owner(OWNER))
        assert diagnostics("recall") == {"ready": 1}

    (memory,), (prepared,) = deployment.memories(), deployment.prepared
    assert prepared["content_bytes"] <= MAX_BYTES
    block = memory_block(outbound)
    assert block == f"<memory>\n{prepared['content']}\n</memory>"
    assert all(text in block for text in [CONVENTION, *names_in(dict(memory["citation"]))])
    assert deployment.seen == deployment.recalled


async def test_deerflow_to_other_host(deployment: Deployment) -> None:
    with Gateway() as gateway:
        await gateway.remember(CONVENTION, owner(OWNER), kind="constraint")

    (memory,) = deployment.memories()  # as a plain HTTP client lists it
    assert (memory["text"], memory["kind"]) == (CONVENTION, "constraint")
