# SPDX-License-Identifier: Apache-2.0
"""A DeerFlow Gateway made of the stand-ins in tests/host, with this package installed as an operator does it (RFC 5).

Tests and the demo talk to it the way a user, an IM channel or the scheduler would: start a conversation, say
something, let the model call the tool, compact, shut down.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from deerflow.agents.memory.manager import MemoryManager, get_memory_manager, reset_memory_manager
from deerflow.agents.middlewares.memory_middleware import MemoryMiddleware
from deerflow.agents.middlewares.outbound import Conversation
from deerflow.config.memory_config import load_memory_config_from_dict
from deerflow.extensions.loader import Diagnostic, ExtensionSpec, load_extensions
from deerflow.extensions.plugin_tools import build_plugin_tools, call_tool
from deerflow.runtime.launch import web_run
from deerflow.runtime.user_context import Runtime
from langchain_core.messages import BaseMessage, ToolMessage
from langchain_core.tools import BaseTool

from powercontext_deerflow import runtime as process

TOOL_NAME = "ext_powercontext_remember_6d79c933d297"  # facts: deerflow-host 4.5
MEMORY = {
    "enabled": True,
    "mode": "middleware",
    "injection_enabled": True,
    "manager_class": "powercontext_deerflow.memory:PowerContextMemoryManager",
    "backend_config": {},
}
PLUGINS = ({"use": "powercontext_deerflow:install", "enabled": True, "config": {}},)


@dataclass
class Gateway:
    """``with Gateway():`` is one Gateway process: it reads the environment at its start, once."""

    memory: Mapping[str, Any] = field(default_factory=lambda: MEMORY)
    plugins: tuple[Mapping[str, Any], ...] = PLUGINS
    tools: dict[str, BaseTool] = field(init=False, default_factory=dict)
    diagnostics: list[Diagnostic] = field(init=False, default_factory=list)
    warm: bool | None = field(init=False, default=None)

    def __enter__(self) -> Self:
        _forget()
        load_memory_config_from_dict(self.memory)
        loaded, self.diagnostics = load_extensions(
            [ExtensionSpec(**plugin) for plugin in self.plugins]
        )
        self.tools = {tool.name: tool for tool in build_plugin_tools(loaded)}
        self.warm = self.manager.warm()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.manager.shutdown_flush(30.0)
        self.manager.close()
        _forget()
        load_memory_config_from_dict(None)

    @property
    def manager(self) -> MemoryManager:
        return get_memory_manager()

    async def say(self, conversation: Conversation, text: str, run: Runtime) -> list[BaseMessage]:
        """One turn: the messages that the model receives; afterwards the host offers the turn for capture."""
        outbound = await conversation.turn(text, run)
        await MemoryMiddleware().aafter_agent({"messages": conversation.messages}, run)
        return outbound

    async def ask(self, text: str, run: Runtime) -> list[BaseMessage]:
        """The first turn of a new conversation."""
        return await self.say(Conversation(), text, run)

    async def remember(self, text: str, run: Runtime, **args: object) -> ToolMessage:
        """The model calls the tool."""
        return await call_tool(self.tools[TOOL_NAME], {"text": text, **args}, run)


def owner(user_id: str, thread_id: str = "thread-1") -> Runtime:
    """A run of a signed-in user in the browser."""
    return web_run(user_id, thread_id=thread_id)


def memory_block(outbound: list[BaseMessage]) -> str | None:
    """The recalled text, as the model sees it, or None."""
    blocks = [
        str(message.content) for message in outbound if (message.id or "").endswith("__memory")
    ]
    assert len(blocks) <= 1
    return blocks[0] if blocks else None


def result(message: ToolMessage) -> dict[str, Any]:
    """The tool's JSON result."""
    assert message.status == "success", message.content
    answer: dict[str, Any] = json.loads(str(message.content))
    return answer


def _forget() -> None:
    """What a new process has not inherited."""
    reset_memory_manager()
    process.forget()
