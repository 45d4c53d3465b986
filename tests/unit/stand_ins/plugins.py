# SPDX-License-Identifier: Apache-2.0
"""A plugin of one tool, and its registration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from deerflow.extensions.registry import ExtensionRegistry, LoadedExtensions
from deerflow_extension_api import ModelTool, PluginContribution, ToolContext

SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string", "minLength": 1}},
    "required": ["text"],
    "additionalProperties": False,
}


async def echo(payload: Mapping[str, Any], context: ToolContext) -> object:
    return {"payload": dict(payload), "user": context.principal.user_id}


def contribution(**changes: Any) -> PluginContribution:
    changed = {
        key: changes.pop(key) for key in ("name", "handler", "description") if key in changes
    }
    tool = ModelTool("remember", "Save a fact.", changes.pop("schema", SCHEMA), echo)
    base = PluginContribution("powercontext", "PowerContext", enabled=True)
    return replace(base, tools=(replace(tool, **changed),), **changes)


def register(*plugins: PluginContribution) -> LoadedExtensions:
    registry = ExtensionRegistry()
    with registry.attributed_to("test"):
        for plugin in plugins:
            assert registry.plugin(plugin) is True
    return registry.build()
