# SPDX-License-Identifier: Apache-2.0
"""Stand-in for what the model receives.

In the host three parts do this: LangGraph's message reducer, the coalescing of system messages
and the sanitising of user input. The memory block passes all of them verbatim, outside the
markers that set user input apart.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from deerflow.agents.middlewares.dangling_tool_call_middleware import answered
from deerflow.agents.middlewares.dynamic_context_middleware import (
    DynamicContextMiddleware,
    Update,
    is_dynamic_context_reminder,
)
from deerflow.agents.middlewares.input_sanitization_middleware import frame_untrusted_text
from deerflow.runtime.user_context import Runtime


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
    history = answered([m for m in messages if not isinstance(m, SystemMessage)])
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
    if not isinstance(message.content, str):
        return _framed_parts(message.content)
    text = message.content
    typed = message.additional_kwargs.get("original_user_content", text)
    if not isinstance(typed, str):
        typed = text
    if not typed.strip():
        return text
    return f"{text[: max(text.rfind(typed), 0)]}{frame_untrusted_text(typed)}"


def _framed_parts(content: Sequence[object]) -> list[object]:
    """Of a message in parts, as one that is said again is, the text is framed as one."""
    texts = [str(part["text"]) for part in content if _is_text(part)]
    others = [part for part in content if not _is_text(part)]
    return [{"type": "text", "text": frame_untrusted_text("\n".join(texts))}, *others]


def _is_text(part: object) -> TypeGuard[dict[str, object]]:
    return isinstance(part, dict) and part.get("type") == "text"


@dataclass
class Conversation:
    """One thread of the lead agent, without the model: each turn returns what it would read."""

    middleware: DynamicContextMiddleware = field(default_factory=DynamicContextMiddleware)
    messages: list[BaseMessage] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    """The thread's files, by their paths."""
    _before: list[BaseMessage] = field(default_factory=list)
    """The checkpoint before the last turn."""

    async def turn(self, text: str, runtime: Runtime) -> list[BaseMessage]:
        return await self._said(HumanMessage(text, id=str(uuid.uuid4())), runtime)

    async def regenerate(self, runtime: Runtime) -> list[BaseMessage]:
        """The last turn again, from the checkpoint before it: the same message, of the client's own id."""
        said = self._last_said()
        again = {"id": (said.id or "").removesuffix("__user"), "content": _parts(said.text)}
        return await self._from_before(said.model_copy(update=again), runtime)

    async def edit(self, text: str, runtime: Runtime) -> list[BaseMessage]:
        """The last turn with another text: a message of a new id."""
        said = HumanMessage(_parts(text), id=str(uuid.uuid4()))
        return await self._from_before(said, runtime)

    def branch(self) -> Conversation:
        """Another thread with the same messages, of the same ids."""
        return Conversation(self.middleware, [*self.messages], _before=[*self._before])

    async def _from_before(self, said: HumanMessage, runtime: Runtime) -> list[BaseMessage]:
        self.messages = [*self._before]
        return await self._said(said, runtime)

    async def _said(self, message: HumanMessage, runtime: Runtime) -> list[BaseMessage]:
        self._before = [*self.messages]
        self.messages.append(message)
        update = await self.middleware.abefore_agent({"messages": self.messages}, runtime)
        self.messages = add_messages(self.messages, update)
        return outbound_messages(self.messages)

    def _last_said(self) -> HumanMessage:
        return next(
            message
            for message in reversed(self.messages)
            if isinstance(message, HumanMessage) and _is_genuine(message)
        )


def _parts(text: str) -> list[str | dict[str, object]]:
    return [{"type": "text", "text": text}]
