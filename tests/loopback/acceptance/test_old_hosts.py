# SPDX-License-Identifier: Apache-2.0
"""Hosts that would lose the tool or the query say so instead."""

from __future__ import annotations

import logging

import deerflow_extension_api
import pytest
from deerflow.agents.middlewares.dynamic_context_middleware import (
    DynamicContextMiddlewareBeforeQuery,
)
from deerflow.agents.middlewares.outbound import Conversation
from deerflow.extensions.loader import ExtensionSpec, load_extensions
from deerflow.extensions.registry import (
    ExtensionRegistry,
    RegistryRefusingPlugins,
    RegistryWithoutPlugin,
)

from powercontext_deerflow import HostError
from powercontext_deerflow.extension import install
from powercontext_deerflow.host import runtime
from tests.loopback.acceptance.deployment import (
    CONVENTION,
    OWNER,
    QUESTION,
    Deployment,
    diagnostics,
    types,
)
from tests.support.gateway import Gateway, owner

pytestmark = pytest.mark.anyio

USE = "powercontext_deerflow:install"


@pytest.mark.parametrize(
    ("registry", "code", "says"),
    [
        (RegistryWithoutPlugin(), "host_too_old", "0.2.2 or later is needed"),
        (RegistryRefusingPlugins(), "host_refused_tool", "did not accept the tools"),
    ],
    ids=["without_plugin", "answering_false"],
)
def test_registry_of_an_old_host_is_refused_loudly(
    deployment_141: Deployment, registry: object, code: str, says: str
) -> None:
    with pytest.raises(HostError, match=says) as caught:
        install(registry, {})
    assert caught.value.code == code


def test_registry_answering_none_is_refused_loudly(deployment_141: Deployment) -> None:
    class Silent:
        def plugin(self, contribution: object) -> None:
            return None

    with pytest.raises(HostError, match="did not accept"):
        install(Silent(), {})


def test_extension_api_without_model_tools_is_refused_loudly(deployment_141: Deployment) -> None:
    deployment_141.environ.delattr(deerflow_extension_api, "ModelTool")
    with pytest.raises(HostError, match=r"0\.2\.2 or later is needed"):
        install(ExtensionRegistry(), {})


@pytest.mark.parametrize("version", ["0.1.2", "0.2.1", "1.0.0"])
def test_extension_api_of_another_version_shows_a_diagnostic(
    deployment_141: Deployment, version: str
) -> None:
    loaded, found = load_extensions([ExtensionSpec(use=USE)], api_version=version)
    assert loaded.plugins == ()
    (shown,) = found
    assert (shown.level, shown.source) == ("error", USE)
    assert "requires extension-api 0.2.2" in shown.message


async def test_host_that_passes_no_query_is_reported(
    deployment_141: Deployment, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recall would be empty for ever and nobody would know why."""
    monkeypatch.setattr(runtime, "QUERY_COMES_WITHIN", 0.0)
    deployment_141.seed(CONVENTION)
    with Gateway() as gateway:
        for _ in range(2):
            conversation = Conversation(DynamicContextMiddlewareBeforeQuery())
            outbound = await gateway.say(conversation, QUESTION, owner(OWNER))
            assert types(outbound) == ["system", "human"]
        assert diagnostics("recall") == {"host_passes_no_query": 2}
    warned = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    assert len([text for text in warned if "host_passes_no_query" in text]) == 1
    assert deployment_141.seen == []


async def test_blank_first_message_of_a_current_host_is_not_an_old_host(
    deployment_141: Deployment,
) -> None:
    with Gateway() as gateway:
        await gateway.ask(QUESTION, owner(OWNER))
        await gateway.ask("   ", owner(OWNER))
        assert diagnostics("recall") == {"empty": 1, "no_query": 1}
