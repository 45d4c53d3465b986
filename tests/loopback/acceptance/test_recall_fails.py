# SPDX-License-Identifier: Apache-2.0
"""The acceptance matrix: recall timeout, 401/403, malformed/oversized response.

Each time the chat goes on within the budget, no new memory is injected, and one content-free diagnostic says why.
"""

from __future__ import annotations

import time

import pytest

from tests.loopback.acceptance.deployment import (
    CONVENTION,
    MAX_BYTES,
    OWNER,
    QUESTION,
    Deployment,
    diagnostics,
    failure,
    types,
)
from tests.support import answers
from tests.support.answers import PREPARE
from tests.support.gateway import Gateway, memory_block, owner
from tests.support.servers import hostile
from tests.support.servers.proxy import Fault, instead, lose_answer, refuse, replace, truncate

pytestmark = pytest.mark.anyio

RECALL_SECONDS = 1.0
AMPLE_SECONDS = 2.5
"""Of a deadline that is not what ends the call, on a busy machine either."""
SLACK_SECONDS = 2.0  # still under the host's own five seconds


def prepared(content: object, **changes: object) -> dict[str, object]:
    """What 1.4.1 answers, with a `content` of ours and one thing or another wrong."""
    if isinstance(content, str):
        return answers.prepared(content, **changes)
    return {**answers.prepared(""), "content": content, **changes}


def error(code: str) -> dict[str, object]:
    return answers.refusal(code, "SECRET-OF-THE-SERVER")


FAILURES: dict[str, tuple[Fault, str]] = {
    "timeout_silent": (instead(hostile.silent()), "answer_timeout"),
    "timeout_header_drip": (instead(hostile.header_drip()), "answer_timeout"),
    "timeout_body_drip": (instead(hostile.body_drip()), "answer_timeout"),
    "timeout_error_body_drip": (instead(hostile.error_body_drip(401)), "answer_timeout"),
    "timeout_1xx_flood": (instead(hostile.flood_1xx()), "answer_timeout"),
    "connection_refused_service": (refuse, "connection_lost"),
    "answer_lost": (lose_answer, "connection_lost"),
    "answer_cut": (truncate(20), "protocol_error"),
    "401": (replace(401, error("unauthorized")), "unauthorized"),
    "403": (replace(403, error("forbidden")), "forbidden"),
    "403_of_a_gateway_before_it": (replace(403, "<html>SECRET-OF-THE-SERVER"), "http_403"),
    "500_with_unknown_code": (replace(500, error("SECRET_OF_THE_SERVER")), "http_500"),
    "redirect": (replace(307, b"", [("Location", "http://127.0.0.1:1/")]), "http_307"),
    "malformed_json": (replace(200, '{"schema":"powercontext.prepared-'), "malformed"),
    "malformed_html": (replace(200, "<html>SECRET-OF-THE-SERVER</html>"), "malformed"),
    "malformed_empty": (replace(200, b""), "malformed"),
    "malformed_unknown_schema": (
        replace(200, prepared("SECRET-OF-THE-SERVER", schema="powercontext.prepared-context.v2")),
        "malformed",
    ),
    "malformed_extra_key": (
        replace(200, prepared("SECRET-OF-THE-SERVER", trust="SECRET")),
        "malformed",
    ),
    "malformed_ready_without_content": (replace(200, prepared(None)), "status_mismatch"),
    "malformed_byte_count": (
        replace(200, prepared("SECRET-OF-THE-SERVER", content_bytes=1)),
        "byte_count_mismatch",
    ),
    "oversized_by_one_byte": (replace(200, prepared("é" * (MAX_BYTES // 2) + "x")), "over_budget"),
    "oversized_body": (instead(hostile.huge_body(2 << 20)), "answer_too_large"),
    "oversized_error_body": (instead(hostile.huge_body(2 << 20, 403)), "answer_too_large"),
    "oversized_compressed": (instead(hostile.gzip_bomb()), "answer_encoded"),
}


@pytest.mark.parametrize(("fault", "code"), FAILURES.values(), ids=FAILURES)
async def test_recall_fails_and_the_chat_continues(
    deployment_141: Deployment, caplog: pytest.LogCaptureFixture, fault: Fault, code: str
) -> None:
    deployment_141.seed(CONVENTION)
    seconds = RECALL_SECONDS if code == "answer_timeout" else AMPLE_SECONDS
    deployment_141.bind(recall_timeout_seconds=seconds)
    with Gateway() as gateway:
        await _assert_chat_continues(gateway, deployment_141, fault, code, seconds)
        # The fault over, the next conversation is served; nothing of it is left behind.
        deployment_141.work_faithfully()
        assert memory_block(await gateway.ask(QUESTION, owner(OWNER))) is not None
    assert "SECRET" not in caplog.text


async def _assert_chat_continues(
    gateway: Gateway, deployment: Deployment, fault: Fault, code: str, seconds: float
) -> None:
    deployment.fail(PREPARE, fault)
    started = time.monotonic()
    outbound = await gateway.ask(QUESTION, owner(OWNER))
    elapsed = time.monotonic() - started
    assert types(outbound) == ["system", "human"]
    assert QUESTION in str(outbound[-1].content)
    assert elapsed < seconds + SLACK_SECONDS
    assert diagnostics("recall") == {code: 1}
    assert deployment.seen == [PREPARE], "one request, no retry"


async def test_recall_timeout_of_a_paused_server(deployment: Deployment) -> None:
    deployment.seed(CONVENTION)
    deployment.bind(recall_timeout_seconds=RECALL_SECONDS, base_url=deployment.server.base_url)
    with Gateway() as gateway:
        deployment.server.pause()
        try:
            started = time.monotonic()
            outbound = await gateway.ask(QUESTION, owner(OWNER))
            elapsed = time.monotonic() - started
        finally:
            deployment.server.resume()
        assert diagnostics("recall") == {"answer_timeout": 1}
    assert types(outbound) == ["system", "human"]
    assert elapsed < RECALL_SECONDS + SLACK_SECONDS


async def test_recall_401_with_a_wrong_token(
    deployment: Deployment, caplog: pytest.LogCaptureFixture
) -> None:
    deployment.seed(CONVENTION)
    deployment.bind(token="wrong-token-of-the-operator")
    with Gateway() as gateway:
        assert types(await gateway.ask(QUESTION, owner(OWNER))) == ["system", "human"]
        refused = failure(await gateway.remember("Order service: no.", owner(OWNER)))
        assert diagnostics("recall") == diagnostics("remember") == {"unauthorized": 1}
    assert refused.startswith("rejected: unauthorized")
    assert "wrong-token" not in caplog.text
    assert [memory["text"] for memory in deployment.memories()] == [CONVENTION]


async def test_recall_404_of_an_unknown_scope(deployment: Deployment) -> None:
    deployment.bind(scope_id="scp_0000000000000000000000000")
    with Gateway() as gateway:
        assert types(await gateway.ask(QUESTION, owner(OWNER))) == ["system", "human"]
        refused = failure(await gateway.remember("Order service: no.", owner(OWNER)))
        assert diagnostics("recall") == diagnostics("remember") == {"scope_not_found": 1}
    assert refused.startswith("rejected: scope_not_found")


async def test_recall_of_a_server_that_is_not_there(deployment_141: Deployment) -> None:
    deployment_141.proxy.__exit__(None, None, None)
    with Gateway() as gateway:
        assert types(await gateway.ask(QUESTION, owner(OWNER))) == ["system", "human"]
        refused = failure(await gateway.remember("Order service: nobody hears.", owner(OWNER)))
        assert diagnostics("recall") == diagnostics("remember") == {"connect_failed": 1}
    assert refused.startswith("not_sent: connect_failed")
