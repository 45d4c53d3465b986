# SPDX-License-Identifier: Apache-2.0
"""The acceptance matrix: disabled integration; local installation and rollback."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import pytest
from deerflow.agents.memory.manager import MemoryManager

from tests.loopback.acceptance.deployment import (
    CONVENTION,
    OWNER,
    QUESTION,
    Deployment,
    failure,
    types,
)
from tests.support.answers import REMEMBER, SEARCH
from tests.support.gateway import MEMORY, PLUGINS, TOOL_NAME, Gateway, memory_block, owner, result

pytestmark = pytest.mark.anyio


class PreviousBackend(MemoryManager):
    """What the operator had before: it learns from every turn and keeps a file of its own."""

    @classmethod
    def from_config(cls, backend_config: dict[str, Any], **_: Any) -> Self:
        return cls(backend_config=backend_config)

    @property
    def _file(self) -> Path:
        return Path(self.backend_config["storage_path"]) / "memory.txt"

    def add(self, thread_id: str, messages: list[Any], **_: Any) -> None:
        with self._file.open("a") as file:
            file.write(f"{thread_id}\n")

    def get_context(self, user_id: str | None, **_: Any) -> str:
        return f"{user_id} was here {self._file.read_text().split()}" if self._file.exists() else ""


DISABLED = ({**PLUGINS[0], "enabled": False},)


@pytest.fixture
def previous(tmp_path: Path) -> dict[str, Any]:
    return {
        **MEMORY,
        "manager_class": f"{__name__}:{PreviousBackend.__name__}",
        "backend_config": {"storage_path": str(tmp_path)},
    }


async def test_disabled_integration_makes_no_request(
    deployment: Deployment, previous: dict[str, Any]
) -> None:
    """The environment is still there; plugin off and the previous backend back is what counts."""
    deployment.seed(CONVENTION)
    with Gateway(memory=previous, plugins=DISABLED) as gateway:
        assert types(await gateway.ask(QUESTION, owner(OWNER))) == ["system", "human"]
        outbound = await gateway.ask(QUESTION, owner(OWNER))

    assert memory_block(outbound) == f"<memory>\n{OWNER} was here ['thread-1']\n</memory>"
    assert gateway.tools == {}
    assert gateway.diagnostics == []
    assert deployment.seen == []


async def test_disabled_plugin_alone_leaves_recall(deployment: Deployment) -> None:
    """The two switches are separate, as the guide says: this is not yet a rollback."""
    deployment.seed(CONVENTION)
    with Gateway(plugins=DISABLED) as gateway:
        assert TOOL_NAME not in gateway.tools
        assert memory_block(await gateway.ask(QUESTION, owner(OWNER))) is not None
    assert deployment.seen == deployment.recalled


async def test_disabled_memory_alone_leaves_the_tool(deployment: Deployment) -> None:
    with Gateway(memory={**MEMORY, "enabled": False}) as gateway:
        assert types(await gateway.ask(QUESTION, owner(OWNER))) == ["system", "human"]
        saved = result(await gateway.remember(CONVENTION, owner(OWNER)))
    assert saved["status"] == "saved"
    assert deployment.seen == [SEARCH, REMEMBER]


def _files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*")}


async def test_local_installation_and_rollback_leaves_the_previous_data(
    deployment: Deployment, previous: dict[str, Any], tmp_path: Path
) -> None:
    """Before, with us, and back: no migration, no dual writing, nothing of ours in the host's folder."""
    with Gateway(memory=previous, plugins=()) as gateway:
        await gateway.ask(QUESTION, owner(OWNER))
    data = _files(tmp_path)
    with Gateway(memory={**MEMORY, "backend_config": previous["backend_config"]}) as gateway:
        assert gateway.diagnostics == []
        assert TOOL_NAME in gateway.tools
        await gateway.remember(CONVENTION, owner(OWNER))
        assert CONVENTION in str(memory_block(await gateway.ask(QUESTION, owner(OWNER))))
    assert _files(tmp_path) == data

    requests = len(deployment.seen)
    with Gateway(memory=previous, plugins=DISABLED) as gateway:
        block = memory_block(await gateway.ask(QUESTION, owner(OWNER)))
    assert block == f"<memory>\n{OWNER} was here ['thread-1']\n</memory>"
    assert len(deployment.seen) == requests
    assert [memory["text"] for memory in deployment.memories()] == [CONVENTION], "retained remotely"


async def test_local_installation_without_a_binding_does_not_break_the_chat(
    deployment: Deployment,
) -> None:
    """Installed before the environment was set: the operator sees why, the users see an ordinary chat."""
    for name in ("base_url", "owner_user_id", "scope_id", "token"):
        deployment.unbind(name)
    with Gateway() as gateway:
        assert types(await gateway.ask(QUESTION, owner(OWNER))) == ["system", "human"]
    (shown,) = gateway.diagnostics
    for name in ("BASE_URL", "OWNER_USER_ID", "SCOPE_ID", "TOKEN"):
        assert f"POWERCONTEXT_DEERFLOW_{name}" in shown.message
    assert deployment.seen == []


async def test_local_installation_with_the_server_down_does_not_break_the_chat(
    deployment_141: Deployment,
) -> None:
    deployment_141.proxy.__exit__(None, None, None)
    with Gateway() as gateway:
        assert gateway.warm is True
        assert gateway.diagnostics == []
        assert types(await gateway.ask(QUESTION, owner(OWNER))) == ["system", "human"]
        assert failure(await gateway.remember(CONVENTION, owner(OWNER))).startswith("not_sent:")
