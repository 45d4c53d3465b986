# SPDX-License-Identifier: Apache-2.0
"""DeerFlow's plugin: its tools, and the end of what they do when the host ends.

Refuses loudly a host that would lose the tools. Who may call one is the runtime's to say, of each by the same rule.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NoReturn

from powercontext_deerflow.edge import edge
from powercontext_deerflow.errors import ConfigurationError, HostError, InputError, Problem
from powercontext_deerflow.host import answers, hand
from powercontext_deerflow.host.answers import Answer
from powercontext_deerflow.host.definitions import DESCRIPTIONS, SCHEMAS
from powercontext_deerflow.host.runtime import Runtime, current
from powercontext_deerflow.setting_values import Tool

try:
    from deerflow_extension_api import extension
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "powercontext_deerflow.extension is DeerFlow's plugin: import it where DeerFlow is installed",
        name=error.name,
    ) from None

API: Final = "0.2.2"
"""The first version of DeerFlow's extension API that has model tools."""

_FOUND: Final = 10
"""Memories that find shows where it is not told how many."""
_END_BUDGET: Final = 8.0
"""Seconds; longer than a save by default, and with the cutting off short of the ten that containers are given."""


@extension(api=API, name="powercontext")
@edge
def install(registry: Any, config: Mapping[str, object]) -> None:  # the registry's type differs
    """``plugins[].use: powercontext_deerflow:install``.

    Raises HostError or ConfigurationError, so that the host reports why the tool is absent.
    """
    if config:
        advice = "leave it empty: the binding comes from the Gateway's environment only"
        raise ConfigurationError(Problem("plugins[].config", "binding_in_yaml", advice))
    offered = current().settings.tools
    try:
        from deerflow_extension_api import ModelTool, PluginContribution
    except ImportError:
        contribution = None
    else:
        tools = tuple(
            ModelTool(name, DESCRIPTIONS[name], SCHEMAS[name], _HANDLERS[name]) for name in offered
        )
        contribution = PluginContribution(
            namespace="powercontext", title="PowerContext memory", enabled=True, tools=tools
        )
    if contribution is None or not hasattr(registry, "plugin"):
        raise HostError(
            "host_too_old", f"DeerFlow's extension API is too old: {API} or later is needed"
        )
    if registry.plugin(contribution) is not True:
        raise HostError("host_refused_tool", "DeerFlow did not accept the tools")
    if hasattr(registry, "service"):
        registry.service(Ending())


class Ending:
    """The host's service that ends the saves: also with memory disabled, and after runs were drained or cancelled.

    The memory manager's ``close`` is neither: the host calls it only with memory enabled, and before.
    """

    async def start(self, deps: object) -> None:  # noqa: ARG002 - the host's signature
        """The host runs its services, so it will also stop this one."""
        current().outlives_manager = True

    async def stop(self) -> None:
        """Give saves under way eight seconds, cut off the rest, report each. The host allows thirty in all."""
        await current().aclose(_END_BUDGET)


@edge
async def remember(payload: Mapping[str, Any], context: Any) -> dict[str, object]:
    """Save ``text`` as ``kind``. Returns saved, already_saved and unknown as data. Never echoes the text."""

    async def call(runtime: Runtime, user_id: object) -> Answer:
        text, kind = payload.get("text"), payload.get("kind")
        given: Any = (text, "fact" if kind is None else kind)  # it is checked there
        return answers.saved(await runtime.remember(user_id, *given))

    return await _called("remember", answers.NOT_SAVED, payload, context, call)


@edge
async def find(payload: Mapping[str, Any], context: Any) -> dict[str, object]:
    """What there is by words of ``query``, or the newest without one, in a frame."""

    async def call(runtime: Runtime, user_id: object) -> Answer:
        limit = payload.get("limit")
        most = _FOUND if limit is None else limit
        return answers.found(await hand.find(runtime, user_id, payload.get("query"), most))

    return await _called("find", answers.NOT_FOUND_OUT, payload, context, call)


@edge
async def correct(payload: Mapping[str, Any], context: Any) -> dict[str, object]:
    """Let the memory that ``ref`` names say ``text``. Returns corrected and unknown as data."""

    async def call(runtime: Runtime, user_id: object) -> Answer:
        ref = payload.get("ref")
        outcome = await hand.correct(runtime, user_id, ref, payload.get("text"))
        return answers.corrected(outcome, ref)

    return await _called("correct", answers.NOT_CHANGED, payload, context, call)


@edge
async def forget(payload: Mapping[str, Any], context: Any) -> dict[str, object]:
    """Take the memory that ``ref`` names out of recall, or with ``undo`` bring back what it says."""

    async def call(runtime: Runtime, user_id: object) -> Answer:
        ref, undo = payload.get("ref"), payload.get("undo")
        if undo:
            return answers.restored(await hand.undo(runtime, user_id, ref, undo))
        return answers.forgotten(await hand.forget(runtime, user_id, ref))

    return await _called("forget", answers.NOT_CHANGED, payload, context, call)


_HANDLERS: Final = {"remember": remember, "find": find, "correct": correct, "forget": forget}


async def _called(
    name: Tool,
    nothing: str,
    payload: Mapping[str, Any],
    context: Any,
    call: Callable[[Runtime, object], Awaitable[Answer]],
) -> dict[str, object]:
    """``call`` for whoever the host says that asks. ``context`` is its ToolContext, whose principal it has resolved.

    Raises ToolException where nothing was done, because the host masks any other exception.
    """
    try:
        runtime = current()
        hand.takes_only(runtime, name, SCHEMAS[name]["properties"], payload)
        answer = await call(runtime, context.principal.user_id)
    except InputError as error:
        answer = answers.failed("rejected", error.code, nothing, f" {error}.")
    except ConfigurationError:
        answer = answers.failed("not_sent", "not_configured", nothing)
    if isinstance(answer, str):
        _fail(answer)
    return answer


def _fail(text: str) -> NoReturn:
    from langchain_core.tools import ToolException  # every host has it; the SDK does not need it

    raise ToolException(text)
