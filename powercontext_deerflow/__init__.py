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
    from powercontext_deerflow.citations import Cited
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
    from powercontext_deerflow.extension import install as install
    from powercontext_deerflow.outcomes import (
        AlreadySaved,
        Captured,
        CaptureOutcome,
        Conflict,
        ForgetOutcome,
        Forgotten,
        Memory,
        MemoryState,
        NothingRecalled,
        Recall,
        Recalled,
        RecallFailed,
        Saved,
        SaveNotSent,
        SaveOutcome,
        SaveRejected,
        SaveUnknown,
    )
    from powercontext_deerflow.settings import Secret, Settings
    from powercontext_deerflow.wire import (
        ArtifactCitation,
        Citation,
        EntryCitation,
        Kind,
        MemoryRef,
        ServerInfo,
        Version,
    )

__version__ = version.VERSION
"""The version of this package."""

_ROOMS = ("errors", "deadline", "settings", "wire", "citations", "outcomes", "client", "extension")

__all__ = [
    "AlreadySaved",
    "AnswerError",
    "ArtifactCitation",
    "CaptureOutcome",
    "Captured",
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
    if name in __all__ or name == "install":  # not in __all__, because it needs the host
        from powercontext_deerflow.fork import late_import

        for room in _ROOMS:
            with late_import():
                names = vars(import_module(f"{__name__}.{room}"))
            if name in names:
                return names[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
