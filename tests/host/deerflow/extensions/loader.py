# SPDX-License-Identifier: Apache-2.0
"""Stand-in for the host's loading of the `plugins:` list of config.yaml."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from deerflow_extension_api import API_VERSION
from pydantic import BaseModel, ConfigDict, Field

from deerflow.extensions.registry import ExtensionRegistry, LoadedExtensions

logger = logging.getLogger(__name__)


class ExtensionSpec(BaseModel):
    model_config = ConfigDict(extra="forbid")

    enabled: bool = True
    name: str | None = None
    package: str | None = None
    use: str
    config: dict[str, Any] = Field(default_factory=dict)
    required: bool = False
    table_prefix: str | None = None


@dataclass(frozen=True)
class Diagnostic:
    """What an operator is shown; an exception's text from `install()` is part of it."""

    level: Literal["debug", "info", "warning", "error"]
    source: str
    message: str


class ExtensionLoadError(RuntimeError):
    """An extension marked `required: true` did not load; the gateway does not start."""


class _RefusedError(Exception):
    """Why an extension is skipped before its `install()` runs."""


def load_extensions(
    specs: Sequence[ExtensionSpec], *, api_version: str = API_VERSION
) -> tuple[LoadedExtensions, list[Diagnostic]]:
    """Install in list order. A failure is undone, reported and skipped, unless it is required."""
    registry, diagnostics = ExtensionRegistry(), []
    for spec in (spec for spec in specs if spec.enabled):
        mark = registry.mark()
        try:
            _install(spec, registry, api_version)
        except Exception as error:
            registry.rollback_to(mark)
            refused = isinstance(error, _RefusedError)
            message = str(error) if refused else f"install() failed: {error}"
            diagnostics.append(Diagnostic("error", spec.use, message))
            logger.exception("extension %s is not loaded", spec.use)
            if spec.required:
                raise ExtensionLoadError(f"required extension {spec.use} is missing") from error
    return registry.build(), diagnostics


def _install(spec: ExtensionSpec, registry: ExtensionRegistry, api_version: str) -> None:
    try:
        module_name, _, attribute = spec.use.rpartition(":")
        install = getattr(import_module(module_name), attribute)
    except Exception as error:
        raise _RefusedError(f"could not resolve extension entry point: {error}") from error
    if not callable(install):
        raise _RefusedError("the extension entry point is not callable")
    declared = getattr(install, "__deerflow_api__", None)
    if declared is not None and not _compatible(declared, api_version):
        raise _RefusedError(
            f"extension requires extension-api {declared}, host provides {api_version}"
        )
    with registry.attributed_to(spec.use):
        install(registry, dict(spec.config))


def _compatible(declared: object, current: str) -> bool:
    """The host is at least as new within the same major, before 1.0 the same minor."""
    try:
        wanted, have = _parts(declared), _parts(current)
    except (AttributeError, ValueError):
        return False
    fixed = 2 if have[0] == 0 else 1
    return wanted[:fixed] == have[:fixed] and have >= wanted


def _parts(version: object) -> tuple[int, int, int]:
    if not isinstance(version, str):
        raise ValueError("a version is a dotted string")  # noqa: TRY004 - one kind of refusal
    numbers = [int(part) for part in version.split(".")]
    major, minor, patch = (*numbers, 0, 0)[:3]
    return major, minor, patch
