# SPDX-License-Identifier: Apache-2.0
"""The stand-in of a tool call: what reaches the handler, and what of it reaches the model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
from deerflow.extensions import plugin_tools
from deerflow.extensions.plugin_tools import MASKED, build_plugin_tools, call_tool
from deerflow.runtime import launch
from deerflow_extension_api import ExtensionPrincipal, ToolContext
from langchain_core.messages import ToolMessage
from langchain_core.tools import ToolException

from tests.support.cases import each_case
from tests.unit.stand_ins.plugins import contribution, echo, register


def call(handler: Any = echo, args: Mapping[str, object] | None = None) -> ToolMessage:
    (tool,) = build_plugin_tools(register(contribution(handler=handler)))
    runtime = launch.web_run("owner", thread_id="thread-9")
    return asyncio.run(call_tool(tool, {"text": "x"} if args is None else args, runtime))


def test_the_name_the_model_sees() -> None:
    (tool,) = build_plugin_tools(register(contribution()))
    assert tool.name == "ext_powercontext_remember_6d79c933d297"


def test_tools_of_a_disabled_plugin_or_another_group_are_absent() -> None:
    assert build_plugin_tools(register(contribution(enabled=False))) == []
    assert build_plugin_tools(register(contribution()), groups=["web"]) == []
    assert len(build_plugin_tools(register(contribution()), groups=["extensions"])) == 1


def test_a_result_is_json_in_a_successful_message() -> None:
    message = call(args={"text": "记住"})
    assert (message.status, message.tool_call_id) == ("success", "call-1")
    assert message.name == "ext_powercontext_remember_6d79c933d297"
    assert message.content == '{"payload": {"text": "记住"}, "user": "owner"}'


def test_what_a_handler_is_given() -> None:
    seen: list[Any] = []

    async def handler(payload: Mapping[str, Any], context: ToolContext) -> str:
        seen.append((payload, context))
        return "quoted"

    assert call(handler).content == '"quoted"'
    ((payload, context),) = seen
    with pytest.raises(TypeError):
        payload["text"] = "changed"
    assert context == ToolContext(ExtensionPrincipal("owner"), {"enabled": True}, "thread-9")


@each_case(
    "args", [{}, {"text": ""}, {"text": 1}, {"text": "x", "more": 1}, {"text": "x" * 262_144}]
)
def test_bad_input_never_reaches_the_handler(args: dict[str, object]) -> None:
    message = call(args=args)
    assert (message.status, message.content) == ("error", "Invalid plugin tool input.")


def test_input_bytes_are_counted_after_ascii_escaping() -> None:
    refused = call(lambda_result("ok"), {"text": "记" * 44_000})  # 132 kB as UTF-8, 264 kB escaped
    assert refused.content == "Invalid plugin tool input."
    assert call(lambda_result("ok"), {"text": "x" * 200_000}).status == "success"


def lambda_result(result: object) -> Any:
    async def handler(payload: object, context: object) -> object:
        return result

    return handler


def lambda_raise(error: BaseException) -> Any:
    async def handler(payload: object, context: object) -> object:
        raise error

    return handler


@each_case("result", [object(), float("nan"), b"bytes"])
def test_a_result_that_is_not_json_is_masked(result: object) -> None:
    assert call(lambda_result(result)).content == MASKED


def test_exceptions_are_masked_and_logged_by_type_only(caplog: pytest.LogCaptureFixture) -> None:
    message = call(lambda_raise(ValueError("secret")))
    assert (message.status, message.content) == (
        "error",
        "Plugin tool unavailable or input rejected.",
    )
    assert "ValueError" in caplog.text
    assert "secret" not in caplog.text


def test_a_tool_exception_reaches_the_model_word_for_word() -> None:
    message = call(lambda_raise(ToolException("rejected: text_too_long")))
    assert (message.status, message.content) == ("error", "rejected: text_too_long")


def test_cancellation_is_not_masked() -> None:
    with pytest.raises(asyncio.CancelledError):
        call(lambda_raise(asyncio.CancelledError()))


def test_the_hosts_timeout_is_masked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert plugin_tools.TOOL_TIMEOUT_SECONDS == 30.0
    monkeypatch.setattr(plugin_tools, "TOOL_TIMEOUT_SECONDS", 0.01)

    async def never(payload: object, context: object) -> None:
        await asyncio.Event().wait()

    assert call(never).content == MASKED


def test_results_are_capped_in_utf8_bytes() -> None:
    fits = "x" * (64 * 1024 - 2)
    assert "of 65536 characters" in call(lambda_result(fits)).text, "and is too long for a model"
    for too_long in (fits + "x", "记" * 22_000):
        message = call(lambda_result(too_long))
        assert (message.status, message.content) == ("error", "Plugin result exceeds 64 KiB.")


def test_a_call_without_identity_is_the_default_user() -> None:
    (tool,) = build_plugin_tools(register(contribution()))
    message = asyncio.run(call_tool(tool, {"text": "x"}, launch.run_without_identity()))
    assert json.loads(message.text)["user"] == "default"


def test_the_model_cannot_supply_the_runtime() -> None:
    forged = {"text": "x", "runtime": launch.web_run("someone-else")}
    assert json.loads(call(args=forged).text)["user"] == "owner"
