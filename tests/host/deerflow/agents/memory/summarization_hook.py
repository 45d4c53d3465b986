# SPDX-License-Identifier: Apache-2.0
"""Stand-in: before a summary replaces messages, the host hands them to the manager."""

from __future__ import annotations

from dataclasses import dataclass

from langchain_core.messages import BaseMessage

from deerflow.agents.memory.manager import get_memory_manager
from deerflow.config.memory_config import get_memory_config
from deerflow.runtime.user_context import Runtime, resolve_runtime_user_id


@dataclass(frozen=True)
class SummarizationEvent:
    messages_to_summarize: tuple[BaseMessage, ...]
    preserved_messages: tuple[BaseMessage, ...]
    thread_id: str | None
    agent_name: str | None
    runtime: Runtime


def memory_flush_hook(event: SummarizationEvent) -> None:
    if not get_memory_config().enabled or not event.thread_id:
        return
    get_memory_manager().add_nowait(
        event.thread_id,
        list(event.messages_to_summarize),
        agent_name=event.agent_name,
        user_id=resolve_runtime_user_id(event.runtime),
    )
