# SPDX-License-Identifier: Apache-2.0
"""Stand-in for the host's `deerflow_extension_api` 0.2.3: the part a model tool needs.

And what a service needs. Field order and defaults are the real ones, because the host builds `ToolContext`
positionally.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

__all__ = [
    "API_VERSION",
    "ActionContext",
    "ExtensionPrincipal",
    "ExtensionRegistry",
    "ExtensionRuntimeDeps",
    "ExtensionService",
    "ModelTool",
    "PluginContribution",
    "SettingsField",
    "ToolContext",
    "extension",
]

API_VERSION = "0.2.3"

SettingValue = bool | int | str
Install = TypeVar("Install", bound=Callable[..., Any])


@dataclass(frozen=True)
class ExtensionPrincipal:
    user_id: str
    is_admin: bool = False
    is_internal: bool = False
    roles: tuple[str, ...] = ()


@dataclass(frozen=True)
class ActionContext:
    principal: ExtensionPrincipal
    settings: Mapping[str, SettingValue]
    agent_runs: object | None = field(default=None, kw_only=True)
    batch_results: Callable[[], object] | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class ToolContext(ActionContext):
    thread_id: str | None


# Payloads and results are arbitrary JSON, which has no useful static type here.
ToolHandler = Callable[[Mapping[str, Any], ToolContext], Awaitable[Any]]


@dataclass(frozen=True)
class ModelTool:
    name: str
    description: str
    input_schema: Mapping[str, Any]
    handler: ToolHandler
    group: str = "extensions"


@dataclass(frozen=True)
class SettingsField:
    key: str
    title: str
    kind: Literal["boolean", "integer", "string"]
    default: SettingValue
    description: str = ""
    minimum: int | None = None
    maximum: int | None = None
    max_length: int = 256


@dataclass(frozen=True)
class PluginContribution:
    """`enabled` is False unless the plugin says otherwise, and then the tool is absent."""

    namespace: str
    title: str
    description: str = ""
    enabled: bool = False
    fields: tuple[SettingsField, ...] = ()
    frontend: object | None = None
    backend: tuple[object, ...] = ()
    api_version: int = 1
    tools: tuple[ModelTool, ...] = ()

    def __post_init__(self) -> None:
        for name in ("fields", "backend", "tools"):
            object.__setattr__(self, name, tuple(getattr(self, name)))


@dataclass(frozen=True)
class ExtensionRuntimeDeps:
    """What the host hands to a service when it starts; ours needs none of it."""

    app_store: object | None = None
    session_factory: object | None = None


class ExtensionService(Protocol):
    async def start(self, deps: ExtensionRuntimeDeps) -> None:
        return None

    async def stop(self) -> None:
        return None


@runtime_checkable
class ExtensionRegistry(Protocol):
    """What `install()` receives. A host without plugin support answers False; one without services drops them."""

    def plugin(self, contribution: PluginContribution) -> bool:
        return False

    def service(self, service: ExtensionService) -> None:
        return None


def extension(*, api: str, name: str | None = None) -> Callable[[Install], Install]:
    """Mark an install function with the API version it was written against."""

    def mark(install: Install) -> Install:
        vars(install).update(__deerflow_api__=api, __deerflow_name__=name)
        return install

    return mark
