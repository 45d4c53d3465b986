# SPDX-License-Identifier: Apache-2.0
"""Stand-in for what the model receives.

In the host three parts do this: LangGraph's message reducer, the coalescing of system messages
and the sanitising of user input. The memory block passes all of them verbatim, outside the
markers that set user input apart.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from deerflow.agents.middlewares.dynamic_context_middleware import (
    DynamicContextMiddleware,
    Update,
    is_dynamic_context_reminder,
)
from deerflow.runtime.user_context import Runtime

BEGIN, END = "--- BEGIN USER INPUT ---", "--- END USER INPUT ---"
# The host's list is longer; these are the tags its own injections use.
_RESERVED_TAG = re.compile(r"<\s*/?\s*(memory|system-reminder|current_date|system)\b[^>]*>?", re.I)


def add_messages(messages: Sequence[BaseMessage], update: Update | None) -> list[BaseMessage]:
    """LangGraph's reducer: a known id is replaced where it stands, a new one is appended."""
    new = (update or {}).get("messages", [])
    return list({message.id or uuid.uuid4(): message for message in [*messages, *new]}.values())


def outbound_messages(
    messages: Sequence[BaseMessage], system_prompt: str = "You are DeerFlow."
) -> list[BaseMessage]:
    """One leading system message (of the reminders the last), then the rest in order.

    Of the user's messages only the last is framed: the host reframes for each call and stores
    none of it.
    """
    systems = [m for m in messages if isinstance(m, SystemMessage)]
    history = [m for m in messages if not isinstance(m, SystemMessage)]
    reminders = [m for m in systems if is_dynamic_context_reminder(m)]
    parts = [m for m in systems if m not in reminders] + reminders[-1:]
    leading = SystemMessage("\n\n".join([system_prompt, *(m.text for m in parts)]))
    for index in reversed(range(len(history))):
        message = history[index]
        if isinstance(message, HumanMessage) and _is_genuine(message):
            history[index] = message.model_copy(update={"content": _framed(message)})
            break
    return [leading, *history]


def _is_genuine(message: HumanMessage) -> bool:
    return message.name != "summary" and not message.additional_kwargs.get("hide_from_ui")


def _framed(message: HumanMessage) -> object:
    """Only what the user typed is framed; what uploads put before it stays as it is."""
    text = message.content
    if not isinstance(text, str):
        return text
    typed = message.additional_kwargs.get("original_user_content", text)
    if not isinstance(typed, str):
        typed = text
    if not typed.strip():
        return text
    safe = _RESERVED_TAG.sub(lambda m: m[0].replace("<", "&lt;").replace(">", "&gt;"), typed)
    for marker in (BEGIN, END):
        safe = safe.replace(marker, f"[{marker.strip('- ')}]")
    return f"{text[: max(text.rfind(typed), 0)]}{BEGIN}\n{safe}\n{END}"


@dataclass
class Conversation:
    """One thread of the lead agent, without the model: each turn returns what it would read."""

    middleware: DynamicContextMiddleware = field(default_factory=DynamicContextMiddleware)
    messages: list[BaseMessage] = field(default_factory=list)

    async def turn(self, text: str, runtime: Runtime) -> list[BaseMessage]:
        self.messages.append(HumanMessage(text, id=str(uuid.uuid4())))
        update = await self.middleware.abefore_agent({"messages": self.messages}, runtime)
        self.messages = add_messages(self.messages, update)
        return outbound_messages(self.messages)
