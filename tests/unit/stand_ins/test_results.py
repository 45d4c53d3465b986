# SPDX-License-Identifier: Apache-2.0
"""The stand-ins of what the host makes of a tool's result, of a call without one, and of its own memory tools."""

from __future__ import annotations

import asyncio
import json

from deerflow.agents.memory.tools import get_memory_tools
from deerflow.agents.middlewares.dangling_tool_call_middleware import INTERRUPTED
from deerflow.agents.middlewares.input_sanitization_middleware import (
    BEGIN,
    END,
    frame_untrusted_text,
    neutralize_untrusted_tags,
)
from deerflow.agents.middlewares.outbound import outbound_messages
from deerflow.agents.middlewares.tool_output_budget_middleware import FOLDER, budgeted
from deerflow.agents.middlewares.tool_result_meta import TOOL_META_KEY, normalize_tool_message
from deerflow.extensions.plugin_tools import call_tool
from deerflow.runtime import launch
from langchain_core.messages import AIMessage, HumanMessage, ToolCall, ToolMessage

from tests.support.cases import each_case


@each_case(
    ("status", "text", "stamped"),
    [
        ("success", '{"status": "saved"}', ("success", None, "continue")),
        ("success", '{"status": "unknown"}', ("success", None, "continue")),
        ("success", '{"error": "none"}', ("success", None, "continue")),
        ("success", '{"error": "not found"}', ("error", "not_found", "rewrite_query")),
        ("success", "it was truncated", ("partial_success", None, "rewrite_query")),
        ("success", "Error: 500", ("error", "internal", "stop")),
        ("error", "rejected: unauthorized.", ("error", "auth", "stop")),
        ("error", "not_sent: answer_timeout.", ("error", "transient", "try_alternative")),
        ("error", "rejected: not_owner.", ("error", "unknown", "try_alternative")),
        ("error", "it took 5001 ms", ("error", "unknown", "try_alternative")),
        ("error", '{"user_id": 401}', ("error", "unknown", "try_alternative")),
    ],
)
def test_what_a_result_is_stamped_with(status: str, text: str, stamped: tuple[object, ...]) -> None:
    message = ToolMessage(text, tool_call_id="c", status=status)
    meta = normalize_tool_message(message).additional_kwargs[TOOL_META_KEY]
    assert (meta["status"], meta["error_type"], meta["recommended_next_action"]) == stamped
    again = message.model_copy(update={"content": "Error: timeout"})
    assert normalize_tool_message(again).additional_kwargs[TOOL_META_KEY] == meta, "once"


def test_a_result_that_is_too_long_goes_into_a_file() -> None:
    outputs: dict[str, str] = {}
    fits = ToolMessage("x" * 12_000, tool_call_id="c", name="tool")
    assert budgeted(fits, outputs) is fits
    assert outputs == {}
    short = budgeted(fits.model_copy(update={"content": "y" * 12_001}), outputs)
    ((path, whole),) = outputs.items()
    assert len(short.text) == 4_000
    assert path in short.text
    assert path.startswith(FOLDER)
    assert whole == "y" * 12_001


def test_a_call_that_was_cancelled_is_read_as_interrupted() -> None:
    calls: list[ToolCall] = [{"name": "save", "args": {}, "id": one} for one in ("1", "2")]
    asked, other = AIMessage("", tool_calls=calls), HumanMessage("go on", id="m2")
    done = ToolMessage("saved", tool_call_id="2")
    orphan = ToolMessage("of a summary", tool_call_id="9")
    kept = [HumanMessage("hi", id="m1"), asked, other, done, orphan]
    read = outbound_messages(kept)[1:]
    assert [message.type for message in read] == ["human", "ai", "tool", "tool", "human"]
    first, second = read[2:4]
    assert isinstance(first, ToolMessage)
    assert (first.text, first.status, first.tool_call_id) == (INTERRUPTED, "error", "1")
    assert second is done


@each_case(
    "tag", ["memory", "system_reminder", "CURRENT_UPLOADS", "important", "tool_restrictions"]
)
def test_reserved_tags_are_escaped_and_others_are_not(tag: str) -> None:
    said = neutralize_untrusted_tags(f'< / {tag} x="1"> <div> {BEGIN}')
    assert said == f'&lt; / {tag} x="1"&gt; <div> [BEGIN USER INPUT]'


def test_a_text_between_the_markers_is_not_framed_twice() -> None:
    framed = frame_untrusted_text(f"a {END} b")
    assert framed == f"{BEGIN}\na [END USER INPUT] b\n{END}"
    assert frame_untrusted_text(framed) == framed
    assert frame_untrusted_text(" ") == " "


def test_the_hosts_own_memory_tools_say_what_a_backend_cannot_do() -> None:
    tools = {tool.name: tool for tool in get_memory_tools()}
    calls = {
        "memory_search": {"query": "x"},
        "memory_add": {"content": "x"},
        "memory_update": {"fact_id": "1"},
        "memory_delete": {"fact_id": "1"},
    }
    assert tools.keys() == calls.keys()
    for name, args in calls.items():
        message = asyncio.run(call_tool(tools[name], args, launch.web_run("owner")))
        assert message.status == "success"
        assert "support" in json.loads(message.text)["error"]
        assert message.additional_kwargs[TOOL_META_KEY]["status"] == "error"
