# SPDX-License-Identifier: Apache-2.0
"""Stand-in: a model never reads a tool call without a result, nor a result without its call."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

INTERRUPTED = "[Tool call was interrupted and did not return a result.]"


def answered(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """What the model reads of ``messages``: what a cancelled run left open is said to be interrupted.

    Only what the model is sent changes; the conversation itself keeps the gap.
    """
    results = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    read: list[BaseMessage] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            continue  # comes right after its call
        read.append(message)
        for call in message.tool_calls if isinstance(message, AIMessage) else ():
            call_id = str(call["id"])
            interrupted = ToolMessage(
                INTERRUPTED, tool_call_id=call_id, name=call["name"], status="error"
            )
            read.append(results.get(call_id, interrupted))
    return read
