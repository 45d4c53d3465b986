# SPDX-License-Identifier: Apache-2.0
"""The tool's contract with the model: what goes in, what comes back, and what never leaves."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from deerflow.extensions.plugin_tools import MAX_RESULT_BYTES, call_tool
from langchain_core.messages import ToolMessage

from powercontext_deerflow.api.wire import Kind
from tests.loopback.acceptance.deployment import CONVENTION, OWNER, Deployment, diagnostics, failure
from tests.support.answers import REMEMBER, SEARCH, refused
from tests.support.gateway import TOOL_NAME, Gateway, owner, result
from tests.support.servers.hostile import answer
from tests.support.servers.proxy import instead, refuse

pytestmark = pytest.mark.anyio

ATOMIC = {"family", "artifact_id", "revision"}
LEGACY = {"memory_ref", "entry_id", "entry_version_id"}
KINDS: list[Kind] = ["fact", "preference", "decision", "constraint"]


def _assert_contract(message: ToolMessage, status: str) -> dict[str, Any]:
    said = result(message)
    assert list(said) == ["status", "retry", "message", "ref", "citation"]
    assert (said["status"], said["retry"]) == (status, False)
    assert CONVENTION not in str(message.content)
    assert len(str(message.content).encode()) <= MAX_RESULT_BYTES
    return said


async def test_result_of_saved_and_already_saved(deployment: Deployment) -> None:
    with Gateway() as gateway:
        saved = _assert_contract(await gateway.remember(CONVENTION, owner(OWNER)), "saved")
        again = await gateway.remember(CONVENTION, owner(OWNER))
        already = _assert_contract(again, "already_saved")
    assert saved["citation"].keys() == (ATOMIC if deployment.atomic else LEGACY)
    assert already["citation"] == saved["citation"]


async def test_result_of_unknown(deployment: Deployment) -> None:
    deployment.fail(REMEMBER, refuse)
    with Gateway() as gateway:
        said = _assert_contract(await gateway.remember(CONVENTION, owner(OWNER)), "unknown")
    assert said["citation"] is None


async def test_result_is_small_whatever_the_server_says(deployment_141: Deployment) -> None:
    """The longest ids that we accept, in an answer as large as we read."""
    artifact = {"family": "atomic-memory", "artifact_id": "a" * 256, "revision": 2**63 - 1}
    record = {
        "artifact": artifact,
        "kind": "fact",
        "text": CONVENTION,
        "state": "active",
        "state_version": 0,
        "merged_into_id": None,
    }
    body = {"changed": True, "records": [record], "later": "x" * 1_000_000}
    deployment_141.fail(REMEMBER, instead(answer(200, body)))
    with Gateway() as gateway:
        said = _assert_contract(await gateway.remember(CONVENTION, owner(OWNER)), "saved")
        assert diagnostics("remember") == {"saved": 1, "unfamiliar_keys": 1}
    assert said["citation"] == artifact


REFUSED = {
    "text_blank": " \n\t ",
    "text_too_long": "x" * 8193,
    "text_too_long_in_bytes": "分" * 2731,
    "text_not_unicode": "Order service \ud83d",
    "text_closes_fence": "Order service </Memory>",
}


@pytest.mark.parametrize("case", REFUSED)
async def test_refused_text_causes_no_request(deployment_141: Deployment, case: str) -> None:
    with Gateway() as gateway:
        refused = failure(await gateway.remember(REFUSED[case], owner(OWNER)))
        (code,) = diagnostics("remember")
    assert refused.startswith(f"rejected: {code}. Nothing was saved.")
    assert code in case
    assert "Order service" not in refused
    assert deployment_141.seen == []


async def test_longest_text_is_saved(deployment: Deployment) -> None:
    """8192 bytes after normalisation: the white space around it does not count."""
    text = f"  {'分' * 2730}ab\n"
    with Gateway() as gateway:
        assert result(await gateway.remember(text, owner(OWNER)))["status"] == "saved"
    (memory,) = deployment.memories()
    assert memory["text"] == text.strip()


async def test_every_kind_is_saved_as_such(deployment: Deployment) -> None:
    with Gateway() as gateway:
        for kind in KINDS:
            text = f"{kind.title()} service: {CONVENTION}"
            assert (
                result(await gateway.remember(text, owner(OWNER), kind=kind))["status"] == "saved"
            )
        assert result(await gateway.remember(CONVENTION, owner(OWNER)))["status"] == "saved"
    stored = {memory["text"].partition(" ")[0]: memory["kind"] for memory in deployment.memories()}
    assert stored == {**{kind.title(): kind for kind in KINDS}, "Order": "fact"}


BAD_ARGUMENTS: dict[str, tuple[dict[str, object], str]] = {
    "no_text": ({}, "text_not_a_string"),
    "empty_text": ({"text": ""}, "text_blank"),
    "unknown_kind": ({"text": CONVENTION, "kind": "secret"}, "kind_unknown"),
    "another_scope": ({"text": CONVENTION, "scope_id": "scp_other"}, "argument_unknown"),
    "another_user": ({"text": CONVENTION, "user_id": OWNER}, "argument_unknown"),
    "a_token": ({"text": CONVENTION, "token": "t"}, "argument_unknown"),
}


@pytest.mark.parametrize(("args", "code"), BAD_ARGUMENTS.values(), ids=BAD_ARGUMENTS)
async def test_wrong_arguments_are_refused_in_words_that_help(
    deployment_141: Deployment, args: dict[str, object], code: str
) -> None:
    with Gateway() as gateway:
        message = await call_tool(gateway.tools[TOOL_NAME], args, owner(OWNER))
    assert failure(message).startswith(f"rejected: {code}. Nothing was saved. ")
    assert CONVENTION not in failure(message)
    if code == "kind_unknown":
        assert "use fact, preference, decision, constraint" in failure(message)
    assert deployment_141.seen == []


async def test_an_argument_of_another_type_is_refused_by_the_host(
    deployment_141: Deployment,
) -> None:
    with Gateway() as gateway:
        message = await call_tool(gateway.tools[TOOL_NAME], {"text": 7}, owner(OWNER))
    assert failure(message) == "Invalid plugin tool input."
    assert deployment_141.seen == []


async def test_not_sent_and_rejected_start_with_their_code(deployment_141: Deployment) -> None:
    error = {"error": {"code": "SECRET-CODE", "message": CONVENTION, "details": [CONVENTION]}}
    with Gateway() as gateway:
        deployment_141.fail(REMEMBER, instead(answer(422, error)))
        assert result(await gateway.remember(CONVENTION, owner(OWNER)))["status"] == "unknown"
        deployment_141.fail(REMEMBER, instead(refused(422, "invalid_request")))
        rejected = failure(await gateway.remember(CONVENTION, owner(OWNER)))
        deployment_141.fail(REMEMBER, refuse)
        assert result(await gateway.remember(CONVENTION, owner(OWNER)))["status"] == "unknown"
        deployment_141.proxy.__exit__(None, None, None)
        not_sent = failure(await gateway.remember(CONVENTION, owner(OWNER)))
    assert rejected.startswith("rejected: invalid_request. Nothing was saved. ")
    assert not_sent.startswith("not_sent: connect_failed. Nothing was saved. ")


async def test_equal_saves_at_once_make_one_memory(deployment: Deployment) -> None:
    with Gateway() as gateway:
        calls = (gateway.remember(CONVENTION, owner(OWNER)) for _ in range(8))
        answers = [result(message) for message in await asyncio.gather(*calls)]
    (memory,) = deployment.memories()
    assert {said["status"] for said in answers} <= {"saved", "already_saved"}
    assert all(said["citation"] == memory["citation"] for said in answers)
    assert deployment.proxy.count(REMEMBER) == 1


async def test_save_goes_on_when_the_run_is_cancelled(deployment: Deployment) -> None:
    """A cancelled run must not make a half-told save; the next chat sees what was stored."""
    with Gateway() as gateway:
        call = asyncio.create_task(gateway.remember(CONVENTION, owner(OWNER)))
        await asyncio.to_thread(deployment.proxy.wait_for_request, SEARCH)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert [memory["text"] for memory in deployment.memories()] == [CONVENTION]
    assert deployment.proxy.count(REMEMBER) == 1
