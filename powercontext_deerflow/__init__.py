# SPDX-License-Identifier: Apache-2.0
"""Bounded, strict, owner-bound memory for DeerFlow from PowerContext, and the typed SDK below it.

    from powercontext_deerflow import PowerContext, Recalled, Secret, Settings

    settings = Settings(base_url="https://...", scope_id="scp_...", token=Secret("..."))
    with PowerContext(settings) as memory:
        match memory.recall("What does the order service use for money?"):
            case Recalled(content):
                print(content)
            case nothing_or_failed:
                print(nothing_or_failed.code)

Names are imported on first use, so that importing the package costs nothing and needs no DeerFlow.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from powercontext_deerflow import version

if TYPE_CHECKING:
    from powercontext_deerflow.api.citations import Cited
    from powercontext_deerflow.api.wire import (
        ArtifactCitation,
        Citation,
        EntryCitation,
        Kind,
        MemoryRef,
        ServerInfo,
        Version,
    )
    from powercontext_deerflow.client import PowerContext
    from powercontext_deerflow.deadline import Deadline
    from powercontext_deerflow.errors import (
        AnswerError,
        ConfigurationError,
        HostError,
        InputError,
        NotSupportedByServer,
        PowerContextError,
        Problem,
        ServerError,
        TransportError,
    )
    from powercontext_deerflow.host.tools import install as install
    from powercontext_deerflow.outcomes import (
        AlreadySaved,
        Captured,
        CaptureOutcome,
        ChangeRejected,
        ChangeUnknown,
        Conflict,
        ForgetOutcome,
        Forgotten,
        Memory,
        MemoryState,
        NothingRecalled,
        Recall,
        Recalled,
        RecallFailed,
        Restored,
        RestoreOutcome,
        Revised,
        ReviseOutcome,
        Revision,
        Saved,
        SaveNotSent,
        SaveOutcome,
        SaveRejected,
        SaveUnknown,
    )
    from powercontext_deerflow.settings import Secret, Settings

__version__ = version.VERSION
"""The version of this package."""

_HOMES = {
    "AnswerError ConfigurationError HostError InputError NotSupportedByServer": "errors",
    "PowerContextError Problem ServerError TransportError": "errors",
    "Deadline": "deadline",
    "Secret Settings": "settings",
    "ArtifactCitation Citation EntryCitation Kind MemoryRef ServerInfo Version": "api.wire",
    "Cited": "api.citations",
    "AlreadySaved CaptureOutcome Captured Conflict ForgetOutcome Forgotten Memory": "outcomes",
    "MemoryState NothingRecalled Recall RecallFailed Recalled SaveNotSent SaveOutcome": "outcomes",
    "SaveRejected SaveUnknown Saved": "outcomes",
    "ChangeRejected ChangeUnknown RestoreOutcome Restored ReviseOutcome Revised Revision": "outcomes",
    "PowerContext": "client",
    "install": "host.tools",  # not in __all__, because it needs the host
}
_HOME = {name: module for names, module in _HOMES.items() for name in names.split()}

__all__ = [
    "AlreadySaved",
    "AnswerError",
    "ArtifactCitation",
    "CaptureOutcome",
    "Captured",
    "ChangeRejected",
    "ChangeUnknown",
    "Citation",
    "Cited",
    "ConfigurationError",
    "Conflict",
    "Deadline",
    "EntryCitation",
    "ForgetOutcome",
    "Forgotten",
    "HostError",
    "InputError",
    "Kind",
    "Memory",
    "MemoryRef",
    "MemoryState",
    "NotSupportedByServer",
    "NothingRecalled",
    "PowerContext",
    "PowerContextError",
    "Problem",
    "Recall",
    "RecallFailed",
    "Recalled",
    "RestoreOutcome",
    "Restored",
    "ReviseOutcome",
    "Revised",
    "Revision",
    "SaveNotSent",
    "SaveOutcome",
    "SaveRejected",
    "SaveUnknown",
    "Saved",
    "Secret",
    "ServerError",
    "ServerInfo",
    "Settings",
    "TransportError",
    "Version",
    "__version__",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from powercontext_deerflow.fork import late_import

    with late_import():
        found: object = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = found  # the next use does not come here
    return found


def __dir__() -> list[str]:
    return __all__
