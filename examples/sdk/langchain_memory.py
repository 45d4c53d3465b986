# SPDX-License-Identifier: Apache-2.0
"""For LangChain and LangGraph: a tool that remembers, and recall in front of any chat model.

    chain = recalling(memory) | model.bind_tools([remember_tool(memory)])

``recalling`` is a Runnable from messages to messages, so a graph takes it as it is: call it in the node that calls the
model, and do not put what it adds into the graph's state.
"""

from __future__ import annotations

from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import BaseTool, ToolException, tool

from powercontext_deerflow import (
    InputError,
    Kind,
    PowerContext,
    Recalled,
    SaveNotSent,
    SaveRejected,
)

Messages = list[BaseMessage]


def remember_tool(memory: PowerContext) -> BaseTool:
    @tool
    async def remember(text: str, kind: Kind = "fact") -> str:
        """Remember something beyond this conversation. Name in the text what it is about."""
        try:
            outcome = await memory.aremember(text, kind)
        except InputError as error:
            raise ToolException(error.code) from None
        if isinstance(outcome, SaveRejected | SaveNotSent):
            raise ToolException(outcome.code)
        return type(outcome).__name__

    remember.handle_tool_error = True
    return remember


def recalling(memory: PowerContext) -> Runnable[Messages, Messages]:
    async def recall(messages: Messages) -> Messages:
        """The memories go before the question that they are about; without any, nothing changes."""
        asked = max(
            (at for at, message in enumerate(messages) if message.type == "human"), default=None
        )
        if asked is None:
            return messages
        outcome = await memory.arecall(messages[asked].text)
        if not isinstance(outcome, Recalled):
            return messages
        return [*messages[:asked], HumanMessage(outcome.content), *messages[asked:]]

    return RunnableLambda(recall)
