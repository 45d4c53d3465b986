# SPDX-License-Identifier: Apache-2.0
"""Stand-in: after every run the host offers the whole conversation for writing.

Nothing guards these calls in the host: what the manager raises ends the run as an error.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from langchain_core.messages import BaseMessage

from deerflow.agents.memory.manager import get_memory_manager
from deerflow.agents.middlewares.dynamic_context_middleware import State
from deerflow.config.memory_config import get_memory_config
from deerflow.runtime.user_context import Runtime, get_config, resolve_runtime_user_id


class _Write(NamedTuple):
    thread_id: str
    messages: list[BaseMessage]
    user_id: str
    trace_id: str | None


class MemoryMiddleware:
    def __init__(self, agent_name: str | None = None) -> None:
        self._agent_name = agent_name

    def _resolve(self, state: State, runtime: Runtime) -> _Write | None:
        if not get_memory_config().enabled:
            return None
        thread_id = runtime.context.get("thread_id")
        if thread_id is None:
            thread_id = get_config().get("configurable", {}).get("thread_id")
        messages = list(state.get("messages", ()))
        if not thread_id or not messages:
            return None
        trace_id = runtime.context.get("deerflow_trace_id")
        return _Write(thread_id, messages, resolve_runtime_user_id(runtime), trace_id)

    def after_agent(self, state: State, runtime: Runtime) -> None:
        if write := self._resolve(state, runtime):
            get_memory_manager().add(
                write.thread_id,
                write.messages,
                agent_name=self._agent_name,
                user_id=write.user_id,
                trace_id=write.trace_id,
            )

    async def aafter_agent(self, state: State, runtime: Runtime) -> None:
        if write := self._resolve(state, runtime):
            manager = await asyncio.to_thread(get_memory_manager)
            await manager.aadd(
                write.thread_id,
                write.messages,
                agent_name=self._agent_name,
                user_id=write.user_id,
                trace_id=write.trace_id,
            )
