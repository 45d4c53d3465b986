# SPDX-License-Identifier: Apache-2.0
"""DeerFlow's plugin: the ``remember`` tool, and the end of its saves when the host ends.

Refuses loudly a host that would lose the tool.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn, assert_never, get_args

import msgspec

from powercontext_deerflow.api.wire import Kind
from powercontext_deerflow.edge import edge
from powercontext_deerflow.errors import ConfigurationError, HostError, InputError, Problem
from powercontext_deerflow.host.runtime import current
from powercontext_deerflow.limits import MAX_MEMORY_BYTES
from powercontext_deerflow.outcomes import (
    AlreadySaved,
    Saved,
    SaveNotSent,
    SaveOutcome,
    SaveRejected,
    SaveUnknown,
)

try:
    from deerflow_extension_api import extension
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "powercontext_deerflow.extension is DeerFlow's plugin: import it where DeerFlow is installed",
        name=error.name,
    ) from None

API: Final = "0.2.2"
"""The first version of DeerFlow's extension API that has model tools."""

_END_BUDGET: Final = 8.0
"""Seconds; longer than a save by default, and with the cutting off short of the ten that containers are given."""

DESCRIPTION: Final = (
    "Save one durable memory for this user, to be recalled in later conversations. Call it only when the user"
    " explicitly asks to remember or save something. Never save passwords, tokens, keys or other secrets."
    " Write `text` so that it can be understood and found alone, months later: a complete sentence that names its"
    " subject (the project, service, file or person it is about), because it is found by the words it contains."
    " One fact a call. Report to the user exactly the status that comes back: `saved`, `already_saved`, or"
    " `unknown`, which means that it may or may not have been saved. Never call it again for the same text."
)
SCHEMA: Final[dict[str, Any]] = {  # JSON Schema; the host wants a plain mapping
    "type": "object",
    "additionalProperties": False,
    "required": ["text"],
    "properties": {
        "text": {
            "type": "string",
            "minLength": 1,
            "description": f"What to remember, self-contained; at most {MAX_MEMORY_BYTES} bytes of UTF-8.",
        },
        "kind": {
            "type": "string",
            "enum": list(get_args(Kind)),
            "description": "What it is; `fact` if left out.",
        },
    },
}


@extension(api=API, name="powercontext")
@edge
def install(registry: Any, config: Mapping[str, object]) -> None:  # the registry's type differs
    """``plugins[].use: powercontext_deerflow:install``.

    Raises HostError or ConfigurationError, so that the host reports why the tool is absent.
    """
    if config:
        advice = "leave it empty: the binding comes from the Gateway's environment only"
        raise ConfigurationError(Problem("plugins[].config", "binding_in_yaml", advice))
    current()
    try:
        from deerflow_extension_api import ModelTool, PluginContribution
    except ImportError:
        contribution = None
    else:
        tool = ModelTool("remember", DESCRIPTION, SCHEMA, remember)
        contribution = PluginContribution(
            namespace="powercontext", title="PowerContext memory", enabled=True, tools=(tool,)
        )
    if contribution is None or not hasattr(registry, "plugin"):
        raise HostError(
            "host_too_old", f"DeerFlow's extension API is too old: {API} or later is needed"
        )
    if registry.plugin(contribution) is not True:
        raise HostError("host_refused_tool", "DeerFlow did not accept the remember tool")
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
    """The tool's handler. ``context`` is the host's ToolContext, whose principal the host has resolved.

    Returns saved, already_saved and unknown as data; raises ToolException for rejected and not_sent, because the host
    masks any other exception. Never echoes the text.
    """
    try:
        outcome = await current().remember(
            context.principal.user_id, payload["text"], payload.get("kind", "fact")
        )
    except InputError as error:
        failure = f"rejected: {error.code}. Nothing was saved. {error}."
    except ConfigurationError:
        failure = "not_sent: not_configured. Nothing was saved."
    else:
        return _result(outcome)
    _fail(failure)


def _result(outcome: SaveOutcome) -> dict[str, object]:
    match outcome:
        case Saved():
            message = "PowerContext confirmed that this is saved."
            return _answer("saved", message + _advice(outcome), outcome.citation)
        case AlreadySaved():
            message = "PowerContext already has exactly this; nothing new was added."
            return _answer("already_saved", message + _advice(outcome), outcome.citation)
        case SaveUnknown():
            message = (
                "The save may or may not have happened: no answer confirms it. Do not save it again;"
                " tell the user that it is unconfirmed."
            )
            return _answer("unknown", message, None)
        case SaveRejected():
            wait = outcome.retry_after
            later = (
                ""
                if wait is None
                else f" The server asks to wait {wait:.0f} s before it is sent again."
            )
            _fail(f"rejected: {outcome.code}. Nothing was saved.{later}")
        case SaveNotSent():
            _fail(f"not_sent: {outcome.code}. Nothing was saved.")
        case _:
            assert_never(outcome)


def _advice(outcome: Saved | AlreadySaved) -> str:
    if outcome.searchable:
        return ""
    return (
        " But no word finds it, so it will not be recalled: tell the user, and suggest saving a sentence that names its"
        " subject."
    )


def _answer(status: str, message: str, citation: object) -> dict[str, object]:
    cited = None if citation is None else msgspec.to_builtins(citation)
    return {"status": status, "retry": False, "message": message, "citation": cited}


def _fail(text: str) -> NoReturn:
    from langchain_core.tools import ToolException  # every host has it; the SDK does not need it

    raise ToolException(text)
