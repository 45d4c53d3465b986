# SPDX-License-Identifier: Apache-2.0
"""The deployments of the acceptance matrix: both server generations, or the newer one where they cannot differ."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from tests.loopback.acceptance.deployment import Deployment
from tests.support.servers.proxy import RecordingProxy
from tests.support.servers.real import PowerContextServer


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["1.4.1", "1.2.0"])
def deployment(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> Iterator[Deployment]:
    """The row holds on both generations."""
    fixture = f"powercontext_{request.param.replace('.', '')}"
    yield from _deployment(request.getfixturevalue(fixture), request, monkeypatch, caplog)


@pytest.fixture
def deployment_141(
    powercontext_141: PowerContextServer,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> Iterator[Deployment]:
    """What the row is about happens before, or instead of, an answer of the server."""
    yield from _deployment(powercontext_141, request, monkeypatch, caplog)


def _deployment(
    server: PowerContextServer,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> Iterator[Deployment]:
    caplog.set_level(logging.DEBUG)
    scope_id = server.create_scope(request.node.name[:64])
    with RecordingProxy(server.base_url) as proxy:
        deployed = Deployment(server, proxy, scope_id, monkeypatch)
        yield deployed
    deployed.assert_nothing_private_in(caplog.get_records("call"))
