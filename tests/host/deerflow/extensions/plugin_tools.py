# SPDX-License-Identifier: Apache-2.0
"""Stand-in for how the host turns a plugin's tools into the model's tools."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
from collections.abc import Collection, Mapping, MutableMapping
from copy import deepcopy
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from deerflow_extension_api import ExtensionPrincipal, ModelTool, PluginContribution, ToolContext
from jsonschema import Draft202012Validator
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, StructuredTool, ToolException

from deerflow.agents.middlewares.tool_output_budget_middleware import budgeted
from deerflow.agents.middlewares.tool_result_meta import normalize_tool_message
from deerflow.runtime.user_context import Runtime, resolve_runtime_user_id

if TYPE_CHECKING:
    from deerflow.extensions.registry import LoadedExtensions

logger = logging.getLogger(__name__)

TOOL_TIMEOUT_SECONDS = 30.0
MAX_INPUT_BYTES = 256 * 1024
MAX_RESULT_BYTES = 64 * 1024
MASKED = "Plugin tool unavailable or input rejected."


def validate_schema(schema: Mapping[str, Any]) -> None:
    """The host's rules for a tool's input; every breach is the same ValueError."""
    try:
        plain = json.loads(json.dumps(schema))
        Draft202012Validator.check_schema(plain)
        refers = {"$ref", "$dynamicRef", "$recursiveRef"} & set(_names(plain))
        reserved = {"runtime", "config"} & set(plain.get("properties", {}))
        usable = plain.get("type") == "object" and not refers and not reserved
    except Exception as error:
        raise ValueError("invalid tool input schema") from error
    if not usable:
        raise ValueError("invalid tool input schema")


def _names(value: object) -> list[str]:
    """Every key at every depth, so that also a property may not be called `$ref`."""
    if isinstance(value, dict):
        return [*value, *(name for child in value.values() for name in _names(child))]
    return [name for child in value for name in _names(child)] if isinstance(value, list) else []


def plugin_tool_name(namespace: str, name: str) -> str:
    digest = hashlib.sha256(f"{namespace}:{name}".encode()).hexdigest()[:12]
    return f"ext_{re.sub('[^a-z0-9_]', '_', namespace)[:20]}_{name[:25]}_{digest}"


def build_plugin_tools(
    loaded: LoadedExtensions, *, groups: Collection[str] | None = None
) -> list[BaseTool]:
    """All tools of enabled plugins; an agent with `tool_groups` gets only those groups."""
    return [
        _build(plugin, tool)
        for _, plugin in loaded.plugins
        if plugin.enabled
        for tool in plugin.tools
        if groups is None or tool.group in groups
    ]


def _build(plugin: PluginContribution, tool: ModelTool) -> BaseTool:
    schema = deepcopy(dict(tool.input_schema))
    validator = Draft202012Validator(schema)

    async def invoke(runtime: Runtime, **payload: Any) -> str:
        try:
            size = len(json.dumps(payload, allow_nan=False).encode())
            if size > MAX_INPUT_BYTES or not validator.is_valid(payload):
                raise ToolException("Invalid plugin tool input.")  # noqa: TRY301 - one way out
            context = _tool_context(plugin, runtime)
            async with asyncio.timeout(TOOL_TIMEOUT_SECONDS):
                result = await tool.handler(MappingProxyType(payload), context)
            return _encoded(result)
        except ToolException:
            raise
        except Exception as error:  # noqa: BLE001 - the model never sees what went wrong
            failed = f"{plugin.namespace}/{tool.name}"
            logger.warning("plugin tool %s failed (%s)", failed, type(error).__name__)
            raise ToolException(MASKED) from None

    return StructuredTool(
        name=plugin_tool_name(plugin.namespace, tool.name),
        description=tool.description,
        args_schema=schema,
        coroutine=invoke,
        handle_tool_error=True,
    )


def _tool_context(plugin: PluginContribution, runtime: Runtime) -> ToolContext:
    """Only the user id is known about the principal: no role, no admin, no internal flag."""
    settings = {"enabled": plugin.enabled, **{f.key: f.default for f in plugin.fields}}
    principal = ExtensionPrincipal(resolve_runtime_user_id(runtime))
    return ToolContext(principal, MappingProxyType(settings), runtime.context.get("thread_id"))


def _encoded(result: object) -> str:
    text = json.dumps(result, ensure_ascii=False, allow_nan=False)
    if len(text.encode()) > MAX_RESULT_BYTES:
        raise ToolException("Plugin result exceeds 64 KiB.")
    return text


async def call_tool(
    tool: BaseTool,
    args: Mapping[str, object],
    runtime: Runtime,
    *,
    tool_call_id: str = "call-1",
    outputs: MutableMapping[str, str] | None = None,
) -> ToolMessage:
    """LangGraph's tool node: the model's call with the runtime put in, answered as a message.

    Stamped and bounded as the host does it; what is too long goes to ``outputs``, the conversation's files.
    """
    call = {
        "type": "tool_call",
        "id": tool_call_id,
        "name": tool.name,
        "args": {**args, "runtime": runtime},
    }
    message = await tool.ainvoke(call)
    assert isinstance(message, ToolMessage)
    return budgeted(normalize_tool_message(message), {} if outputs is None else outputs)
