# SPDX-License-Identifier: Apache-2.0
"""The doctor's look at its own process: interpreter, packages, DeerFlow and its contracts, the plugin's entry point.

The host is imported by name, because it is optional here. Its import also loads the Gateway's ``.env``, so this
comes before the settings are read.
"""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from importlib import import_module, metadata
from importlib.util import find_spec
from inspect import signature
from pathlib import PurePath

from powercontext_deerflow.doctor.findings import Finding, finding, found_by

_NEEDS = ("powercontext-deerflow", "attrs", "certifi", "h11", "httpx", "msgspec")
_GROUP = "deerflow.extensions"
_VERSION = re.compile(r"[0-9A-Za-z.+!_-]{1,64}\Z")
_TOOLS_SINCE = (0, 2, 2)  # the first extension API with model tools


def process() -> list[Finding]:
    """Interpreter, packages, host, entry point. Never raises."""
    found = []
    for check, look in (
        ("python", _python),
        ("packages", _packages),
        ("host", _host),
        ("entry_point", _entry_point),
    ):
        found += found_by(check, look)
    return found


def _python() -> Iterator[Finding]:
    yield finding("python", "python_ok", f"Python {platform.python_version()} at {sys.executable}")


def _packages() -> Iterator[Finding]:
    found: list[str] = []
    unreadable: list[str] = []
    absent: list[str] = []
    for name in _NEEDS:
        try:
            version: object = metadata.version(name)
        except metadata.PackageNotFoundError:
            absent.append(name)
            continue
        except Exception:  # noqa: BLE001 - others may have left any bytes there
            version = None
        if isinstance(version, str) and _VERSION.match(version):
            found.append(f"{name} {version}")
        else:
            (unreadable if _is_importable(name.replace("-", "_")) else absent).append(name)
    if absent:
        yield finding("packages", "package_missing", ", ".join(absent))
    if unreadable:
        yield finding("packages", "metadata_malformed", ", ".join(unreadable))
    if not absent and not unreadable:
        yield finding("packages", "packages_ok", ", ".join(found))


def _is_importable(name: str) -> bool:
    spec = find_spec(name)
    return spec is not None and spec.origin is not None  # else only an empty folder is left of it


def _entry_point() -> Iterator[Finding]:
    try:
        visible = {entry.value for entry in metadata.entry_points(group=_GROUP)}
    except Exception:  # noqa: BLE001 - one malformed package hides the entry points of all
        yield finding("entry_point", "metadata_malformed", ", ".join(_malformed()))
        ours = metadata.distribution("powercontext-deerflow").entry_points
        visible = {entry.value for entry in ours.select(group=_GROUP)}
    found = "powercontext_deerflow:install" in visible
    yield finding("entry_point", "entry_point_ok" if found else "entry_point_missing")


def _malformed() -> Iterator[str]:
    """The folders whose names or entry points cannot be read."""
    for installed in metadata.distributions():
        try:
            list(installed.entry_points)
            name: object = installed.metadata["Name"]
        except Exception:  # noqa: BLE001 - that is the question
            name = None
        if not isinstance(name, str):
            yield PurePath(str(getattr(installed, "_path", "unnamed"))).name


def _host() -> Iterator[Finding]:
    if find_spec("deerflow") is None:
        yield finding("host", "host_absent")
        return
    with redirect_stdout(sys.stderr):  # whatever the host prints must not mix with our output
        faults = list(_host_faults())
    yield from faults or [finding("host", "host_ok")]


def _host_faults() -> Iterator[Finding]:
    """What of the host's contracts is not as this package needs it."""
    try:
        api = import_module("deerflow_extension_api")
        registry = import_module("deerflow.extensions.registry").ExtensionRegistry
        manager = import_module("deerflow.agents.memory.manager").MemoryManager
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever the host's own modules raise, SystemExit included
        yield finding("host", "host_not_importable", type(error).__name__)
        return
    version = tuple(int(part) for part in re.findall(r"\d+", str(getattr(api, "API_VERSION", "0"))))
    if version < _TOOLS_SINCE or not hasattr(api, "ModelTool"):
        yield finding("host", "host_too_old")
    elif version[:2] != _TOOLS_SINCE[:2]:
        yield finding("host", "host_too_new")
    if not hasattr(registry, "plugin"):
        yield finding("host", "registry_without_plugin")
    # Only a parameter of this very name makes the host pass the user's message.
    if "query" not in signature(manager.get_context).parameters:
        yield finding("host", "host_passes_no_query")
    try:
        import_module("powercontext_deerflow.memory")
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - as above
        yield finding("host", "manager_not_importable", type(error).__name__)
