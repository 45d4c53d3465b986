# SPDX-License-Identifier: Apache-2.0
"""The acceptance matrix: different/missing/fallback user; auth-disabled deployment; same-owner IM/scheduled run.

Every run goes through the host's own resolver, which turns a missing identity into the user "default".
"""

from __future__ import annotations

import asyncio
import logging
import unicodedata
from collections.abc import Callable

import pytest
from deerflow.runtime.launch import (
    im_run_bound,
    im_run_unbound,
    run_without_identity,
    scheduled_run,
    web_run,
)
from deerflow.runtime.user_context import Runtime, resolve_runtime_user_id

from tests.loopback.acceptance.deployment import (
    CONVENTION,
    OWNER,
    QUESTION,
    Deployment,
    diagnostics,
    failure,
    types,
)
from tests.support.answers import PREPARE
from tests.support.gateway import TOOL_NAME, Gateway, memory_block, owner, result

pytestmark = pytest.mark.anyio

OTHER = "b3a1d5f8-42c7-4e96-8d20-15f7a9c36e0b"
CLAIMS = {
    "user_id": OWNER,
    "langgraph_auth_user_id": OWNER,
    "langgraph_auth_user": {"identity": OWNER},
    "channel_user_id": OWNER,
}
STRANGERS = {
    "another_signed_in_user": web_run(OTHER),
    "another_user_with_spoofed_client_context": web_run(OTHER, client_context=CLAIMS),
    "no_identity": run_without_identity(),
    "no_identity_in_an_empty_run": Runtime({"thread_id": "thread-1"}),
    "literal_default": web_run("default"),
    "unbound_im": im_run_unbound("tg-42"),
    "unbound_im_with_unsafe_id": im_run_unbound(f"tg:{OWNER}"),
    "im_bound_to_another": im_run_bound(OTHER),
    "scheduled_for_another": scheduled_run(OTHER),
    "padded_before": web_run(f" {OWNER}"),
    "padded_after": web_run(f"{OWNER}\n"),
    "blank": web_run("   "),
    "upper_case": web_run(OWNER.upper()),
    "prefix": web_run(OWNER[:-1]),
}


@pytest.mark.parametrize("run", STRANGERS.values(), ids=STRANGERS)
async def test_different_missing_or_fallback_user(deployment_141: Deployment, run: Runtime) -> None:
    deployment_141.seed(CONVENTION)
    with Gateway() as gateway:
        outbound = await gateway.ask(QUESTION, run)
        refused = failure(await gateway.remember("Order service: a stranger was here.", run))
        assert diagnostics("recall") == diagnostics("remember") == {"not_owner": 1}

    assert types(outbound) == ["system", "human"]
    assert refused.startswith("rejected: not_owner")
    assert deployment_141.seen == []
    assert [memory["text"] for memory in deployment_141.memories()] == [CONVENTION]


def test_missing_user_is_the_hosts_default() -> None:
    """What the rows above rely on: the real fallback, not one that we made up."""
    assert resolve_runtime_user_id(run_without_identity()) == "default"
    assert resolve_runtime_user_id(STRANGERS["unbound_im"]) == "tg-42"


async def test_different_user_of_another_normalisation(deployment_141: Deployment) -> None:
    composed = unicodedata.normalize("NFC", "renée")
    decomposed = unicodedata.normalize("NFD", composed)
    deployment_141.seed(CONVENTION)
    for bound, stranger in ((composed, decomposed), (decomposed, composed)):
        deployment_141.bind(owner_user_id=bound)
        with Gateway() as gateway:
            assert memory_block(await gateway.ask(QUESTION, web_run(stranger))) is None
            refused = failure(await gateway.remember("Order service: no.", web_run(stranger)))
            assert refused.startswith("rejected: not_owner")
            assert deployment_141.seen == []
            assert memory_block(await gateway.ask(QUESTION, web_run(bound))) is not None
        deployment_141.proxy.clear()


BAD_OWNERS = {
    "default": "owner_is_fallback",
    "Default": "owner_is_fallback",
    " default": "padded",
    f"{OWNER} ": "padded",
    "": "blank",
    "  ": "blank",
    None: "missing",
}


@pytest.mark.parametrize(("bound", "code"), BAD_OWNERS.items(), ids=map(repr, BAD_OWNERS))
async def test_invalid_configured_owner_is_rejected(
    deployment_141: Deployment,
    caplog: pytest.LogCaptureFixture,
    bound: str | None,
    code: str,
) -> None:
    """Neither component becomes usable, for nobody, and the chat goes on."""
    deployment_141.seed(CONVENTION)
    if bound is None:
        deployment_141.unbind("owner_user_id")
    else:
        deployment_141.bind(owner_user_id=bound)
    with Gateway() as gateway:
        for user in (OWNER, "default", bound or "default"):
            assert types(await gateway.ask(QUESTION, web_run(user))) == ["system", "human"]
    _assert_unusable(gateway, deployment_141, caplog, "POWERCONTEXT_DEERFLOW_OWNER_USER_ID")


@pytest.mark.parametrize("run", [owner(OWNER), run_without_identity(), web_run("default")])
async def test_auth_disabled_deployment(
    deployment_141: Deployment, caplog: pytest.LogCaptureFixture, run: Runtime
) -> None:
    """Unsupported: also a live session of the bound owner gets nothing, because nobody had to sign in."""
    deployment_141.seed(CONVENTION)
    deployment_141.environ.setenv("DEER_FLOW_AUTH_DISABLED", "1")
    with Gateway() as gateway:
        assert types(await gateway.ask(QUESTION, run)) == ["system", "human"]
    _assert_unusable(gateway, deployment_141, caplog, "DEER_FLOW_AUTH_DISABLED")


def _assert_unusable(
    gateway: Gateway, deployment: Deployment, caplog: pytest.LogCaptureFixture, setting: str
) -> None:
    assert gateway.warm is False
    assert TOOL_NAME not in gateway.tools
    (shown,) = gateway.diagnostics
    assert shown.level == "error"
    assert setting in shown.message
    errors = [record for record in caplog.records if record.name == "powercontext_deerflow"]
    assert [record.levelno for record in errors] == [logging.ERROR]
    assert setting in errors[0].getMessage()
    assert deployment.seen == []


SAME_OWNER: dict[str, Callable[[str], Runtime]] = {
    "web": web_run,
    "im": im_run_bound,
    "scheduled": scheduled_run,
}


@pytest.mark.parametrize("surface", SAME_OWNER)
async def test_same_owner_im_or_scheduled_run(deployment: Deployment, surface: str) -> None:
    """The same Scope and the same tool as on the web; a scheduled save asks nobody to confirm it."""
    run = SAME_OWNER[surface](OWNER)
    with Gateway() as gateway:
        saved = result(await gateway.remember(CONVENTION, run))
        on_the_web = memory_block(await gateway.ask(QUESTION, web_run(OWNER)))
        here = memory_block(await gateway.ask(QUESTION, run))

    (memory,) = deployment.memories()
    assert (saved["status"], saved["citation"]) == ("saved", memory["citation"])
    assert here == on_the_web
    assert here is not None
    assert {body["scope_id"] for body in deployment.bodies(PREPARE)} == {deployment.scope_id}


def test_scheduled_run_without_an_owner_is_refused_by_the_host() -> None:
    with pytest.raises(RuntimeError, match="needs an owner"):
        scheduled_run(None)


async def test_same_owner_save_from_the_event_loop_of_a_subagent(deployment: Deployment) -> None:
    """The host runs a delegated agent's tools on another loop: the same rule holds there."""
    with Gateway() as gateway:

        def delegated(run: Runtime) -> str:
            return str(asyncio.run(gateway.remember(CONVENTION, run)).content)

        refused = await asyncio.to_thread(delegated, web_run(OTHER))
        assert deployment.seen == []
        await asyncio.to_thread(delegated, web_run(OWNER))

    assert refused.startswith("rejected: not_owner")
    assert [memory["text"] for memory in deployment.memories()] == [CONVENTION]
