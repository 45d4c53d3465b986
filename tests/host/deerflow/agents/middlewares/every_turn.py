# SPDX-License-Identifier: Apache-2.0
"""Stand-in for a host of PR 4732: memory for the session once, without a query, then for each turn, with one.

Both are asked for on the event loop. What is recalled for a turn is put before its message in that one request, and
is not kept in the conversation.
"""

from __future__ import annotations

from dataclasses import dataclass

from langchain_core.messages import BaseMessage, HumanMessage

from deerflow.agents.memory.manager import get_memory_manager
from deerflow.agents.middlewares.outbound import Conversation
from deerflow.runtime.user_context import Runtime, resolve_runtime_user_id


@dataclass
class EveryTurn(Conversation):
    """One thread; its middleware has no memory of its own to give."""

    async def turn(self, text: str, runtime: Runtime) -> list[BaseMessage]:
        manager, user_id = get_memory_manager(), resolve_runtime_user_id(runtime)
        if not self.messages:
            assert await manager.aget_context(user_id, agent_name=None) == ""
        self.messages.append(HumanMessage(text))
        if not getattr(type(manager), "supports_query_aware_context", False):
            return [*self.messages]
        thread_id = runtime.context.get("thread_id")
        content = await manager.aget_context(user_id, thread_id=thread_id, query=text)
        block = HumanMessage(f"<memory>\n{content}\n</memory>", id=f"{len(self.messages)}__memory")
        return [*self.messages[:-1], *([block] if content else []), self.messages[-1]]
