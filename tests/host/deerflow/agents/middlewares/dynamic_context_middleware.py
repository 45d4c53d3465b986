# SPDX-License-Identifier: Apache-2.0
"""Stand-in for the middleware that recalls once per conversation as of PR 5251.

The reminder takes the id of the user's message, the memory block `<id>__memory` and the user's
message `<id>__user`. A reminder in the history means: no recall in this conversation any more.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from deerflow.agents.lead_agent.prompt import _get_memory_context
from deerflow.agents.memory.manager import MemoryReadError, memory_read_failures_are_fatal
from deerflow.config.memory_config import get_memory_config
from deerflow.runtime.user_context import Runtime, resolve_runtime_user_id

logger = logging.getLogger(__name__)

State = Mapping[str, Sequence[BaseMessage]]
Update = dict[str, list[BaseMessage]]

_INJECT_TIMEOUT_SECONDS = 5.0
_INJECTION_QUERY_MAX_CHARS = 1000
_REMINDER_KEY = "dynamic_context_reminder"


def _today() -> str:
    return datetime.now().astimezone().strftime("%Y-%m-%d, %A")


def is_dynamic_context_reminder(message: BaseMessage) -> bool:
    injectable = isinstance(message, HumanMessage | SystemMessage)
    return injectable and bool(message.additional_kwargs.get(_REMINDER_KEY))


def _last_injected_date(messages: Sequence[BaseMessage]) -> str | None:
    for message in reversed(messages):
        date = message.additional_kwargs.get("reminder_date")
        if is_dynamic_context_reminder(message) and isinstance(date, str) and date:
            return date
    return None


def _injection_target(messages: Sequence[BaseMessage]) -> HumanMessage | None:
    """The last message of the user that no earlier injection produced."""
    for message in reversed(messages):
        if (
            isinstance(message, HumanMessage)
            and not is_dynamic_context_reminder(message)
            and message.name != "summary"
            and not (message.id or "").endswith("__user")
        ):
            return message
    return None


def _derive_injection_query(message: HumanMessage) -> str | None:
    """What the user typed (not what uploads put around it), bounded; None when that is blank."""
    original = message.additional_kwargs.get("original_user_content")
    if isinstance(original, str):
        text = original
    elif isinstance(message.content, str):
        text = message.content
    else:
        parts = [part.get("text") for part in message.content if isinstance(part, dict)]
        text = " ".join(part.strip() for part in parts if isinstance(part, str) and part.strip())
    return text.strip()[:_INJECTION_QUERY_MAX_CHARS] or None


def _reminder(date: str, message_id: str) -> SystemMessage:
    return SystemMessage(
        f"<system-reminder>\n<current_date>{date}</current_date>\n</system-reminder>",
        id=message_id,
        additional_kwargs={
            "hide_from_ui": True,
            _REMINDER_KEY: True,
            "reminder_date": date,
            "deerflow_content_kind": "middleware_injection",
            "deerflow_producer_kind": "dynamic_context",
        },
    )


def _memory_message(block: str, message_id: str) -> HumanMessage:
    return HumanMessage(
        block,
        id=f"{message_id}__memory",
        additional_kwargs={
            "hide_from_ui": True,
            _REMINDER_KEY: True,
            "deerflow_content_kind": "memory",
            "deerflow_producer_kind": "dynamic_context_memory",
        },
    )


class DynamicContextMiddleware:
    def __init__(self, agent_name: str | None = None) -> None:
        self._agent_name = agent_name

    def _query(self, message: HumanMessage) -> str | None:
        return _derive_injection_query(message)

    def _recall(self, target: HumanMessage, runtime: Runtime) -> str:
        if not get_memory_config().injection_enabled:
            return ""
        user_id = resolve_runtime_user_id(runtime)
        query = self._query(target)
        return _get_memory_context(self._agent_name, user_id=user_id, query=query).strip()

    def _inject(self, state: State, runtime: Runtime) -> Update | None:
        messages = state.get("messages", ())
        today, last_date = _today(), _last_injected_date(messages)
        target = _injection_target(messages)
        if target is None or last_date == today:
            return None
        # A conversation that crosses midnight gets a new date and no new recall.
        block = "" if last_date else self._recall(target, runtime)
        message_id = target.id or str(uuid.uuid4())
        update: list[BaseMessage] = [_reminder(today, message_id)]
        if block:
            update.append(_memory_message(block, message_id))
        user = HumanMessage(
            target.content,
            id=f"{message_id}__user",
            name=target.name,
            additional_kwargs=target.additional_kwargs,
        )
        return {"messages": [*update, user]}

    def before_agent(self, state: State, runtime: Runtime) -> Update | None:
        """The synchronous graph: on the caller's thread and without any timeout."""
        return self._inject(state, runtime)

    async def abefore_agent(self, state: State, runtime: Runtime) -> Update | None:
        """The asynchronous graph. On timeout the run goes on and the worker is not stopped."""
        config = get_memory_config()
        active = config.enabled and config.injection_enabled
        selected = config.manager_class, config.backend_config
        strict = memory_read_failures_are_fatal(*selected, resolved_only=True) if active else False

        def work() -> Update | None:
            nonlocal strict
            if strict is None:
                strict = memory_read_failures_are_fatal(*selected)
            return self._inject(state, runtime)

        try:
            return await asyncio.wait_for(asyncio.to_thread(work), _INJECT_TIMEOUT_SECONDS)
        except TimeoutError as error:
            if strict is not False:
                raise MemoryReadError("required memory context timed out") from error
            logger.warning("dynamic context timed out; nothing is injected in this turn")
            return None


class DynamicContextMiddlewareBeforeQuery(DynamicContextMiddleware):
    """A host before PR 5251: it never hands the user's text to the backend."""

    def _query(self, message: HumanMessage) -> str | None:
        return None
