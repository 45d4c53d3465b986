# SPDX-License-Identifier: Apache-2.0
"""The acceptance matrix: config rewrite and rotation. One snapshot per process, from the environment only."""

from __future__ import annotations

import itertools
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.loopback.acceptance.deployment import (
    CONVENTION,
    OWNER,
    QUESTION,
    Deployment,
    diagnostics,
    failure,
    types,
)
from tests.support.gateway import MEMORY, PLUGINS, TOOL_NAME, Gateway, memory_block, owner, result

pytestmark = pytest.mark.anyio

CONFIG = """\
# The operator's own comment.
models: [{name: some-model}]
memory:
  enabled: true
  mode: middleware
  injection_enabled: true
  manager_class: powercontext_deerflow.memory:PowerContextMemoryManager
  backend_config: {}
plugins:
  - use: another_vendor:install
    enabled: false
  - use: powercontext_deerflow:install  # ours
    enabled: true
    config: {}
"""


def _started_from(config: str) -> Gateway:
    loaded = yaml.safe_load(config)
    return Gateway(memory=loaded["memory"], plugins=tuple(loaded["plugins"]))


def _plugins_rewritten(config: str, **changes: object) -> str:
    """As the extension manager does it: the `plugins:` block is dumped anew, the rest keeps its bytes."""
    plugins = yaml.safe_load(config)["plugins"]
    for plugin in plugins:
        if plugin["use"] == "powercontext_deerflow:install":
            plugin.update(changes)
    return config[: config.index("plugins:")] + str(yaml.safe_dump({"plugins": plugins}))


def _all_rewritten(config: str) -> str:
    return str(yaml.safe_dump(yaml.safe_load(config)))


REWRITES: dict[str, Callable[[str], str]] = {
    "disable_and_enable": lambda config: _plugins_rewritten(
        _plugins_rewritten(config, enabled=False), enabled=True
    ),
    "upgrade": lambda config: _plugins_rewritten(
        config, name="powercontext", package="powercontext-deerflow", required=False
    ),
    "config_api": _all_rewritten,
}


@pytest.mark.parametrize("rewrite", REWRITES.values(), ids=REWRITES)
async def test_config_rewrite_keeps_the_one_binding(
    deployment: Deployment, tmp_path: Path, rewrite: Callable[[str], str]
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(CONFIG)
    with _started_from(file.read_text()) as gateway:
        saved = result(await gateway.remember(CONVENTION, owner(OWNER)))
        file.write_text(rewrite(file.read_text()))
        assert memory_block(await gateway.ask(QUESTION, owner(OWNER))) is not None
    with _started_from(file.read_text()) as gateway:
        again = result(await gateway.remember(CONVENTION, owner(OWNER)))
        assert CONVENTION in str(memory_block(await gateway.ask(QUESTION, owner(OWNER))))

    assert (again["status"], again["citation"]) == ("already_saved", saved["citation"])
    assert {r.scope_id for r in deployment.proxy.requests} == {deployment.scope_id}
    binding = (deployment.scope_id, deployment.server.token, OWNER, deployment.proxy.base_url)
    assert not [value for value in binding if value in file.read_text()]


async def test_config_rewrite_that_disables_takes_the_tool_away_at_the_next_start(
    deployment: Deployment,
) -> None:
    with _started_from(_plugins_rewritten(CONFIG, enabled=False)) as gateway:
        assert TOOL_NAME not in gateway.tools
    assert deployment.seen == []


async def test_rotation_needs_a_restart_and_reaches_both_consumers(deployment: Deployment) -> None:
    old, new = deployment.scope_id, deployment.server.create_scope("rotated")
    successor = "6c1f5d0e-successor"
    with Gateway() as gateway:
        deployment.bind(scope_id=new, owner_user_id=successor, max_bytes=1000, token="t" * 40)
        await gateway.remember(CONVENTION, owner(OWNER))
        assert CONVENTION in str(memory_block(await gateway.ask(QUESTION, owner(OWNER))))
        assert failure(await gateway.remember("No.", owner(successor))).startswith("rejected:")
    assert {request.scope_id for request in deployment.proxy.requests} == {old}
    deployment.proxy.clear()

    deployment.bind(token=deployment.server.token)
    with Gateway() as gateway:
        assert types(await gateway.ask(QUESTION, owner(successor))) == ["system", "human"]
        await gateway.remember(CONVENTION, owner(successor))
        assert CONVENTION in str(memory_block(await gateway.ask(QUESTION, owner(successor))))
        assert failure(await gateway.remember("No.", owner(OWNER))).startswith("rejected:")
    assert {request.scope_id for request in deployment.proxy.requests} == {new}
    assert len(deployment.memories()) == len(deployment.server.memories(new)) == 1


async def test_rotation_of_the_credential_needs_a_restart(deployment: Deployment) -> None:
    right, wrong = deployment.server.token, "revoked-" + "0" * 32
    with Gateway() as gateway:
        deployment.bind(token=wrong)
        await gateway.ask(QUESTION, owner(OWNER))
    with Gateway() as gateway:
        await gateway.ask(QUESTION, owner(OWNER))
        assert diagnostics("recall") == {"unauthorized": 1}
    deployment.bind(token=right)
    with Gateway() as gateway:
        await gateway.ask(QUESTION, owner(OWNER))
        assert diagnostics("recall") == {"empty": 1}
    sent = [request.header("authorization") for request in deployment.proxy.requests]
    in_turn = [credential for credential, _ in itertools.groupby(sent)]
    assert in_turn == [f"Bearer {token}" for token in (right, wrong, right)]


OVERRIDES = {
    "base_url": "http://127.0.0.1:1",
    "scope_id": "scp_other",
    "owner_user_id": "somebody-else",
    "token": "CANARY-TOKEN",
    "max_bytes": 32768,
    "recall_timeout_seconds": 60,
    "remember_timeout_seconds": 60,
    "ca_file": "/nowhere",
    "POWERCONTEXT_DEERFLOW_SCOPE_ID": "scp_other",
}


@pytest.mark.parametrize("key", OVERRIDES)
async def test_override_in_backend_config_is_refused(
    deployment_141: Deployment, caplog: pytest.LogCaptureFixture, key: str
) -> None:
    """Recall is off rather than bound to something else; the chat goes on."""
    deployment_141.seed(CONVENTION)
    memory = {**MEMORY, "backend_config": {key: OVERRIDES[key]}}
    with Gateway(memory=memory) as gateway:
        assert gateway.warm is False
        assert types(await gateway.ask(QUESTION, owner(OWNER))) == ["system", "human"]
    errors = [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR]
    assert len(errors) == 1
    assert f"memory.backend_config.{key}" in errors[0]
    assert str(OVERRIDES[key]) not in errors[0]
    assert deployment_141.seen == []


@pytest.mark.parametrize("key", [*OVERRIDES, "anything"])
async def test_override_in_plugin_config_is_refused(
    deployment_141: Deployment, caplog: pytest.LogCaptureFixture, key: str
) -> None:
    value = OVERRIDES.get(key, "at all")
    with Gateway(plugins=({**PLUGINS[0], "config": {key: value}},)) as gateway:
        assert TOOL_NAME not in gateway.tools
        (shown,) = gateway.diagnostics
        assert (shown.level, "plugins[].config" in shown.message) == ("error", True)
        assert str(value) not in shown.message
    assert deployment_141.seen == []


async def test_mode_tool_is_inert_and_the_chat_goes_on(
    deployment_141: Deployment, caplog: pytest.LogCaptureFixture
) -> None:
    """The host's tool mode needs a search that this backend does not have; raising would end every run."""
    deployment_141.seed(CONVENTION)
    with Gateway(memory={**MEMORY, "mode": "tool"}) as gateway:
        assert gateway.warm is False
        assert types(await gateway.ask(QUESTION, owner(OWNER))) == ["system", "human"]
    errors = [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR]
    assert len(errors) == 1
    assert "memory.mode: set it to middleware" in errors[0]
    assert deployment_141.seen == []


@pytest.mark.parametrize(
    "memory",
    [
        {**MEMORY, "max_facts": 100, "debounce_seconds": 30, "model_name": "some-model"},
        {**MEMORY, "backend_config": {"max_facts": 100, "debounce_seconds": 30, "model": {}}},
    ],
    ids=["moved_by_the_host", "in_backend_config"],
)
async def test_leftover_keys_of_the_previous_backend_are_warned_about_once(
    deployment_141: Deployment, caplog: pytest.LogCaptureFixture, memory: dict[str, Any]
) -> None:
    deployment_141.seed(CONVENTION)
    with Gateway(memory=memory) as gateway:
        for _ in range(2):
            assert memory_block(await gateway.ask(QUESTION, owner(OWNER))) is not None
    warned = [
        record.getMessage()
        for record in caplog.records
        if record.name == "powercontext_deerflow" and record.levelno == logging.WARNING
    ]
    assert len(warned) == 1
    assert "ignores 3 keys of memory.backend_config" in warned[0]


async def test_storage_path_of_the_host_is_accepted(
    deployment_141: Deployment, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """The host puts it in whether or not the operator did."""
    deployment_141.seed(CONVENTION)
    for backend_config in ({}, {"storage_path": str(tmp_path)}):
        with Gateway(memory={**MEMORY, "backend_config": backend_config}) as gateway:
            assert gateway.warm is True
            assert memory_block(await gateway.ask(QUESTION, owner(OWNER))) is not None
    ours = [record for record in caplog.records if record.name == "powercontext_deerflow"]
    assert [record for record in ours if record.levelno > logging.INFO] == []
    assert os.listdir(tmp_path) == []
