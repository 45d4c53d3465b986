# SPDX-License-Identifier: Apache-2.0
"""Stand-in for the registry that `install()` receives, and for older ones."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from deerflow_extension_api import ExtensionRegistry as RegistryContract
from deerflow_extension_api import ExtensionService, ModelTool, PluginContribution

from deerflow.extensions.plugin_tools import validate_schema


@dataclass(frozen=True)
class LoadedExtensions:
    plugins: tuple[tuple[str, PluginContribution], ...] = ()
    services: tuple[tuple[str, ExtensionService], ...] = ()


class ExtensionRegistry(RegistryContract):
    def __init__(self) -> None:
        self._plugins: list[tuple[str, PluginContribution]] = []
        self._services: list[tuple[str, ExtensionService]] = []
        self._source: str | None = None

    @contextmanager
    def attributed_to(self, source: str) -> Iterator[None]:
        previous, self._source = self._source, source
        try:
            yield
        finally:
            self._source = previous

    def plugin(self, contribution: PluginContribution) -> bool:
        """Accept, or raise ValueError; a refused contribution leaves no trace."""
        if not isinstance(contribution, PluginContribution) or contribution.api_version != 1:
            raise ValueError("unsupported plugin contract")
        if not (contribution.frontend or contribution.backend or contribution.tools):
            raise ValueError("a plugin must contribute something")
        _check_tools(contribution.tools)
        _check_settings(contribution)
        if any(contribution.namespace == known.namespace for _, known in self._plugins):
            raise ValueError("duplicate plugin namespace")
        self._plugins.append((self._installing(), contribution))
        return True

    def service(self, service: ExtensionService) -> None:
        """Accept whatever it is: it is started and stopped, each with its failure held back."""
        self._services.append((self._installing(), service))

    def _installing(self) -> str:
        if self._source is None:
            raise RuntimeError("contributions are registered only while an extension installs")
        return self._source

    def mark(self) -> tuple[int, int]:
        return len(self._plugins), len(self._services)

    def rollback_to(self, mark: tuple[int, int]) -> None:
        plugins, services = mark
        del self._plugins[plugins:]
        del self._services[services:]

    def build(self) -> LoadedExtensions:
        return LoadedExtensions(tuple(self._plugins), tuple(self._services))


class RegistryWithoutPlugin:
    """A host of extension API 0.1.2: `plugin` does not exist at all, services do."""

    def service(self, service: ExtensionService) -> None:
        return None


class RegistryDroppingServices(ExtensionRegistry):
    """A host that knows the contract and keeps its default: `service` is taken, and never started or stopped."""

    def service(self, service: ExtensionService) -> None:
        return None


class RegistryRefusingPlugins(RegistryContract):
    """A host that knows the contract and keeps its default: `plugin` answers False."""


def _check_tools(tools: tuple[ModelTool, ...]) -> None:
    names = [tool.name for tool in tools]
    for tool in tools:
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", tool.name) or names.count(tool.name) > 1:
            raise ValueError("tool names must be plain and unique")
        # An object with an async __call__ is not accepted; a partial of an async function is.
        if not tool.description or not inspect.iscoroutinefunction(tool.handler):
            raise ValueError("a tool needs a description and an async handler")
        validate_schema(tool.input_schema)


def _check_settings(plugin: PluginContribution) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_.-]{0,95}", plugin.namespace) or not plugin.title:
        raise ValueError("a plugin needs a plain namespace and a title")
    keys = ["enabled", *(field.key for field in plugin.fields)]
    if len(keys) > 32 or len(set(keys)) < len(keys) or type(plugin.enabled) is not bool:
        raise ValueError("invalid or duplicate settings fields")
