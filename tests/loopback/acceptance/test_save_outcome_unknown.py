# SPDX-License-Identifier: Apache-2.0
"""The acceptance matrix: save timeout after possible commit. The mutation is sent exactly once, whatever happens."""

from __future__ import annotations

import threading

import pytest

from tests.loopback.acceptance.deployment import CONVENTION, OWNER, Deployment, diagnostics, failure
from tests.support.answers import REMEMBER, SEARCH, refused
from tests.support.gateway import Gateway, owner, result
from tests.support.servers.loopback import Request
from tests.support.servers.proxy import (
    Exchange,
    Fault,
    hold_until,
    instead,
    lose_answer,
    refuse,
    replace,
    truncate,
)

pytestmark = pytest.mark.anyio

NEVER = threading.Event()
COMMITTED: dict[str, Fault] = {
    "timeout": hold_until(NEVER),
    "answer_lost": lose_answer,
    "answer_cut": truncate(10),
    "answer_unreadable": replace(200, "<html>"),
    "answer_about_something_else": replace(200, {"changed": True, "records": []}),
    "503_of_a_gateway_before_it": replace(503, "<html>"),
}


def _without_read_back(deployment: Deployment, fault: Fault) -> None:
    """Once the save is on its way, no look-up is answered either."""

    def choose(request: Request) -> Fault | None:
        if request.is_for(REMEMBER):
            return fault
        sent = deployment.proxy.count(REMEMBER)
        return refuse if request.is_for(SEARCH) and sent else None

    deployment.proxy.fault = choose


@pytest.mark.parametrize("fault", COMMITTED.values(), ids=COMMITTED)
async def test_save_timeout_after_commit_is_visibly_unknown(
    deployment: Deployment, fault: Fault
) -> None:
    deployment.bind(remember_timeout_seconds=2)
    _without_read_back(deployment, fault)
    with Gateway() as gateway:
        said = result(await gateway.remember(CONVENTION, owner(OWNER)))
        assert sum(diagnostics("remember").values()) == 1

    assert (said["status"], said["retry"], said["citation"]) == ("unknown", False, None)
    assert "Do not save it again" in said["message"]
    assert deployment.proxy.count(REMEMBER) == 1
    assert [memory["text"] for memory in deployment.memories()] == [CONVENTION]


@pytest.mark.parametrize("lost", ["timeout", "answer_lost", "answer_unreadable"])
async def test_save_timeout_after_commit_is_read_back(deployment: Deployment, lost: str) -> None:
    """The server did store it, so one look-up within the same deadline finds the exact citation."""
    deployment.seed("Billing service: invoices are numbered per calendar year.")
    deployment.bind(remember_timeout_seconds=6)
    deployment.fail(REMEMBER, COMMITTED[lost])
    with Gateway() as gateway:
        said = result(await gateway.remember(CONVENTION, owner(OWNER)))

    (citation,) = [m["citation"] for m in deployment.memories() if m["text"] == CONVENTION]
    assert (said["status"], said["citation"]) == ("saved", citation)
    assert deployment.seen == [SEARCH, REMEMBER, SEARCH]


async def test_save_timeout_of_the_first_memory_of_a_scope_is_read_back(
    deployment: Deployment,
) -> None:
    """Before it, servers up to 1.2.0 answer the look-up with null for what they do not have yet."""
    deployment.fail(REMEMBER, lose_answer)
    with Gateway() as gateway:
        said = result(await gateway.remember(CONVENTION, owner(OWNER)))

    (memory,) = deployment.memories()
    assert (said["status"], said["citation"]) == ("saved", memory["citation"])
    assert deployment.seen == [SEARCH, REMEMBER, SEARCH]


async def test_save_lost_before_commit_stays_unknown(deployment: Deployment) -> None:
    """The read-back finds nothing, and that proves nothing: the server may still be at it."""
    deployment.fail(REMEMBER, refuse)
    with Gateway() as gateway:
        said = result(await gateway.remember(CONVENTION, owner(OWNER)))

    assert (said["status"], said["citation"]) == ("unknown", None)
    assert deployment.seen == [SEARCH, REMEMBER, SEARCH]
    assert deployment.memories() == []


async def test_save_timeout_of_a_paused_server(deployment: Deployment) -> None:
    """It commits after we gave up: unknown was the truth, and there is one memory of it, not two."""
    committed = threading.Event()

    def late(exchange: Exchange) -> None:
        exchange.forward()
        committed.set()
        exchange.connection.close()

    deployment.seed("Billing service: invoices are numbered per calendar year.")
    deployment.bind(remember_timeout_seconds=1)
    deployment.fail(REMEMBER, late)
    with Gateway() as gateway:
        deployment.server.pause()
        try:
            said = result(await gateway.remember(CONVENTION, owner(OWNER)))
        finally:
            deployment.server.resume()
        assert said["status"] == "unknown"
        assert committed.wait(10)

    assert deployment.proxy.count(REMEMBER) == 1
    assert [memory["text"] for memory in deployment.memories()].count(CONVENTION) == 1


async def test_save_again_after_unknown_finds_the_first_one(deployment: Deployment) -> None:
    """Should a user insist all the same, 1.4.1 would store it twice; we look first."""
    _without_read_back(deployment, lose_answer)
    with Gateway() as gateway:
        assert result(await gateway.remember(CONVENTION, owner(OWNER)))["status"] == "unknown"
        deployment.work_faithfully()
        again = result(await gateway.remember(CONVENTION, owner(OWNER)))

    (memory,) = deployment.memories()
    assert (again["status"], again["citation"]) == ("already_saved", memory["citation"])


async def test_failed_look_up_never_blocks_the_save(deployment: Deployment) -> None:
    deployment.fail(SEARCH, refuse)
    with Gateway() as gateway:
        said = result(await gateway.remember(CONVENTION, owner(OWNER)))

    (memory,) = deployment.memories()
    assert (said["status"], said["citation"]) == ("saved", memory["citation"])
    assert deployment.seen == [SEARCH, REMEMBER]


async def test_rejected_save_is_shown_as_failed(deployment: Deployment) -> None:
    """A refusal in PowerContext's own words: nothing was stored, and nothing is read back."""
    deployment.fail(REMEMBER, instead(refused(403, "forbidden")))
    with Gateway() as gateway:
        shown = failure(await gateway.remember(CONVENTION, owner(OWNER)))

    assert shown.startswith("rejected: forbidden. Nothing was saved. ")
    assert deployment.seen == [SEARCH, REMEMBER]
    assert deployment.memories() == []
