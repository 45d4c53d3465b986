# SPDX-License-Identifier: Apache-2.0
"""The stand-ins of DeerFlow's extension API: registering, loading, services."""

from __future__ import annotations

import asyncio
import functools
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from deerflow.extensions import gateway
from deerflow.extensions.gateway import start_services, stop_services
from deerflow.extensions.loader import ExtensionLoadError, ExtensionSpec, load_extensions
from deerflow.extensions.registry import (
    ExtensionRegistry,
    LoadedExtensions,
    RegistryDroppingServices,
    RegistryRefusingPlugins,
    RegistryWithoutPlugin,
)
from deerflow_extension_api import (
    API_VERSION,
    ExtensionPrincipal,
    ModelTool,
    PluginContribution,
    ToolContext,
    extension,
)
from pydantic import ValidationError

from tests.support.cases import each_case
from tests.unit.stand_ins.plugins import contribution, echo, register

# --- plugin registration


HERE = __name__


class AsyncCallable:
    async def __call__(self, payload: object, context: object) -> None: ...


@each_case(
    "changes",
    [
        {"api_version": 2},
        {"namespace": "PowerContext"},
        {"namespace": "x" * 97},
        {"title": ""},
        {"name": "Remember"},
        {"name": "re-member"},
        {"description": ""},
        {"handler": AsyncCallable()},
        {"handler": lambda payload, context: echo(payload, context)},
        {"schema": {"type": "string"}},
        {"schema": {}},
        {"schema": {"type": "object", "properties": {"runtime": {}}}},
        {"schema": {"type": "object", "properties": {"config": {}}}},
        {"schema": {"type": "object", "properties": {"a": {"$ref": "#"}}}},
        {"schema": {"type": "object", "properties": {"$ref": {}}}},
        {"schema": {"type": "object", "allOf": [{"$dynamicRef": "#a"}]}},
        {"schema": {"type": "object", "properties": {"a": {"type": "nonsense"}}}},
        {"schema": {"type": "object", "default": object()}},
    ],
)
def test_what_the_registry_refuses(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        register(contribution(**changes))


def test_an_empty_or_second_contribution_is_refused() -> None:
    with pytest.raises(ValueError, match="something"):
        register(PluginContribution("a", "A"))
    with pytest.raises(ValueError, match="duplicate"):
        register(contribution(), contribution())
    twice = contribution()
    with pytest.raises(ValueError, match="unique"):
        register(replace(twice, tools=twice.tools * 2))


def test_a_partial_of_an_async_function_is_accepted() -> None:
    assert register(contribution(handler=functools.partial(echo))).plugins


def test_older_registries() -> None:
    assert not hasattr(RegistryWithoutPlugin(), "plugin")
    assert hasattr(RegistryWithoutPlugin(), "service")
    assert RegistryRefusingPlugins().plugin(contribution()) is False


class Service:
    """Notes what the host does with it, and fails at it if told so."""

    def __init__(self, name: str, fails: bool = False) -> None:
        self.name, self.fails = name, fails

    async def start(self, deps: object) -> None:
        self._note("start")

    async def stop(self) -> None:
        self._note("stop")

    def _note(self, step: str) -> None:
        SEEN.append((step, self.name))
        if self.fails:
            raise RuntimeError("shown to the operator")


SEEN: list[tuple[str, str]] = []


def test_services_start_in_order_and_stop_in_reverse_and_a_failure_holds_up_nobody() -> None:
    async def life(loaded: LoadedExtensions) -> None:
        await start_services(loaded)
        await stop_services(loaded)

    registry = ExtensionRegistry()
    with registry.attributed_to("test"):
        for service in (Service("a", fails=True), Service("b")):
            registry.service(service)
    SEEN.clear()
    asyncio.run(life(registry.build()))
    assert SEEN == [("start", "a"), ("start", "b"), ("stop", "b"), ("stop", "a")]


def test_a_service_that_does_not_stop_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stuck(Service):
        async def stop(self) -> None:
            await asyncio.Event().wait()

    monkeypatch.setattr(gateway, "STOP_TIMEOUT_SECONDS", 0.05)
    registry = ExtensionRegistry()
    with registry.attributed_to("test"):
        registry.service(Stuck("stuck"))
    asyncio.run(stop_services(registry.build()))


def test_a_service_is_registered_only_while_an_extension_installs_and_may_be_dropped() -> None:
    with pytest.raises(RuntimeError, match="while an extension installs"):
        ExtensionRegistry().service(Service("a"))
    registry = RegistryDroppingServices()
    registry.service(Service("a"))
    assert registry.build().services == ()


def test_contracts_are_frozen_and_keep_their_positional_order() -> None:
    context = ToolContext(ExtensionPrincipal("u"), {"enabled": True}, "t")
    assert (context.principal.user_id, context.thread_id) == ("u", "t")
    assert (context.principal.is_admin, context.principal.is_internal) == (False, False)
    with pytest.raises(FrozenInstanceError):
        context.thread_id = "other"  # type: ignore[misc]
    assert PluginContribution("a", "A").enabled is False
    assert ModelTool("a", "A", {}, echo).group == "extensions"
    assert API_VERSION == "0.2.3"


# --- loading


def install_and_fail(registry: ExtensionRegistry, config: dict[str, Any]) -> None:
    registry.plugin(contribution())
    registry.service(Service("never"))
    raise RuntimeError("shown to the operator")


@extension(api="0.2.2", name="powercontext")
def install_well(registry: ExtensionRegistry, config: dict[str, Any]) -> None:
    registry.plugin(contribution(title=config.pop("title", "PowerContext")))


def test_a_failing_install_is_rolled_back_and_its_text_is_a_diagnostic() -> None:
    failing = ExtensionSpec(use=f"{HERE}:install_and_fail")
    loaded, (diagnostic,) = load_extensions([failing, ExtensionSpec(use=f"{HERE}:install_well")])
    assert [source for source, _ in loaded.plugins] == [f"{HERE}:install_well"]
    assert loaded.services == ()
    assert diagnostic.level == "error"
    assert diagnostic.message == "install() failed: shown to the operator"
    with pytest.raises(ExtensionLoadError):
        load_extensions([failing.model_copy(update={"required": True})])


def test_install_gets_a_copy_of_its_config_and_disabled_means_not_imported() -> None:
    spec = ExtensionSpec(use=f"{HERE}:install_well", config={"title": "Mine"})
    off = ExtensionSpec(use="no.such.module:install", enabled=False)
    loaded, diagnostics = load_extensions([off, spec])
    assert [plugin.title for _, plugin in loaded.plugins] == ["Mine"]
    assert (spec.config, diagnostics) == ({"title": "Mine"}, [])


@each_case(
    ("host", "loads"),
    [("0.2.1", False), ("0.2.2", True), ("0.2.10", True), ("0.3.0", False), ("1.2.2", False)],
)
def test_which_hosts_take_an_extension_written_for_0_2_2(host: str, loads: bool) -> None:
    spec = ExtensionSpec(use=f"{HERE}:install_well")
    loaded, diagnostics = load_extensions([spec], api_version=host)
    assert bool(loaded.plugins) is loads
    assert bool(diagnostics) is not loads


@each_case("use", ["no.such.module:install", f"{HERE}:missing", f"{HERE}:HERE", "x"])
def test_an_entry_point_that_does_not_resolve_is_a_diagnostic(use: str) -> None:
    loaded, diagnostics = load_extensions([ExtensionSpec(use=use)])
    assert loaded.plugins == ()
    assert [d.message.startswith("install() failed") for d in diagnostics] == [False]


def test_an_unknown_key_of_a_plugins_entry_is_an_error() -> None:
    with pytest.raises(ValidationError):
        ExtensionSpec.model_validate({"use": "a:b", "unknown": 1})
