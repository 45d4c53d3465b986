# SPDX-License-Identifier: Apache-2.0
"""A DeerFlow Gateway made of the stand-ins in tests/host, with this package installed as an operator does it.

Tests and the demo talk to it the way a user, an IM channel or the scheduler would: start a conversation, say
something, let the model call the tool, compact, shut down.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Self

from deerflow.agents.memory.manager import MemoryManager, get_memory_manager, reset_memory_manager
from deerflow.agents.middlewares.memory_middleware import MemoryMiddleware
from deerflow.agents.middlewares.outbound import Conversation
from deerflow.config.memory_config import get_memory_config, load_memory_config_from_dict
from deerflow.extensions.gateway import start_services, stop_services
from deerflow.extensions.loader import Diagnostic, ExtensionSpec, load_extensions
from deerflow.extensions.plugin_tools import build_plugin_tools, call_tool
from deerflow.extensions.registry import LoadedExtensions
from deerflow.runtime.launch import web_run
from deerflow.runtime.user_context import Runtime
from langchain_core.messages import BaseMessage, ToolMessage
from langchain_core.tools import BaseTool

from powercontext_deerflow.host import runtime as process

TOOL_NAME = "ext_powercontext_remember_6d79c933d297"
TOOL_NAMES = {
    "remember": TOOL_NAME,
    "find": "ext_powercontext_find_6958187a0596",
    "correct": "ext_powercontext_correct_89b68b3eeee7",
    "forget": "ext_powercontext_forget_20380da3db60",
}
DRAIN_SECONDS = 5.0
"""What runs are given to end when the Gateway ends."""
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
    """``with Gateway():`` is one Gateway process: it reads the environment at its start, once.

    ``async with`` is the same with its event loop: runs begun by ``begin`` are drained at the end.
    """

    memory: Mapping[str, Any] = field(default_factory=lambda: MEMORY)
    plugins: tuple[Mapping[str, Any], ...] = PLUGINS
    tools: dict[str, BaseTool] = field(init=False, default_factory=dict)
    diagnostics: list[Diagnostic] = field(init=False, default_factory=list)
    warm: bool | None = field(init=False, default=None)
    _loaded: LoadedExtensions = field(init=False, default_factory=LoadedExtensions)
    _runs: set[asyncio.Task[Any]] = field(init=False, default_factory=set)

    def __enter__(self) -> Self:
        _on_a_loop_of_its_own(self.__aenter__())
        return self

    def __exit__(self, *_: object) -> None:
        _on_a_loop_of_its_own(self.__aexit__())

    async def __aenter__(self) -> Self:
        _forget()
        load_memory_config_from_dict(self.memory)
        self._loaded, self.diagnostics = load_extensions(
            [ExtensionSpec(**plugin) for plugin in self.plugins]
        )
        self.tools = {tool.name: tool for tool in build_plugin_tools(self._loaded)}
        self.warm = self.manager.warm()
        await start_services(self._loaded)
        return self

    async def __aexit__(self, *_: object) -> None:
        """In the host's order: its memory, if it is enabled; the runs; the services."""
        config = get_memory_config()
        if config.enabled:
            manager, seconds = self.manager, config.shutdown_flush_timeout_seconds
            await asyncio.to_thread(manager.shutdown_flush, seconds)
            await asyncio.to_thread(manager.close)
        if self._runs:
            still = (await asyncio.wait(self._runs, timeout=DRAIN_SECONDS))[1]
            for run in still:
                run.cancel()
            await asyncio.gather(*still, return_exceptions=True)
        await stop_services(self._loaded)
        _forget()
        load_memory_config_from_dict(None)

    def begin(self, run: Coroutine[Any, Any, object]) -> asyncio.Task[Any]:
        """A run in the background, as the Gateway carries them out."""
        task = asyncio.ensure_future(run)
        self._runs.add(task)
        task.add_done_callback(self._runs.discard)
        return task

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
        return await self.call("remember", run, text=text, **args)

    async def call(self, tool: str, run: Runtime, **args: object) -> ToolMessage:
        """The model calls ``tool``, by its short name."""
        return await call_tool(self.tools[TOOL_NAMES[tool]], args, run)


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


def seen(message: ToolMessage) -> list[dict[str, Any]]:
    """The memories that find shows."""
    memories: list[dict[str, Any]] = result(message)["found"]["memories"]
    return memories


def _on_a_loop_of_its_own(step: Coroutine[Any, Any, object]) -> None:
    """For ``with``, also where a loop runs already."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, step).result()


def _forget() -> None:
    """What a new process has not inherited."""
    reset_memory_manager()
    process.forget()
