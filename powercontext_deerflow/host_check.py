# SPDX-License-Identifier: Apache-2.0
"""The doctor's look at its own process: interpreter, packages, DeerFlow and its contracts, the plugin's entry point.

The host is imported by name, because it is optional here. Its import also loads the Gateway's ``.env`` (facts:
deerflow-host 6), so this comes before the settings are read.
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

from powercontext_deerflow.findings import Finding, finding

_NEEDS = ("powercontext-deerflow", "attrs", "certifi", "h11", "httpx", "msgspec")
_TOOLS_SINCE = (0, 2, 2)  # the first extension API with model tools (facts: deerflow-host 4.1)


def process() -> Iterator[Finding]:
    """Interpreter, packages, host, entry point."""
    yield finding("python", "python_ok", f"Python {platform.python_version()} at {sys.executable}")
    yield _packages()
    if find_spec("deerflow") is None:
        yield finding("host", "host_absent")
    else:
        with redirect_stdout(sys.stderr):  # whatever the host prints must not mix with our output
            faults = list(_host())
        yield from faults or [finding("host", "host_ok")]
    visible = {entry.value for entry in metadata.entry_points(group="deerflow.extensions")}
    found = "powercontext_deerflow:install" in visible
    yield finding("entry_point", "entry_point_ok" if found else "entry_point_missing")


def _packages() -> Finding:
    found, absent = [], []
    for name in _NEEDS:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            absent.append(name)
    if absent:
        return finding("packages", "package_missing", ", ".join(absent))
    return finding("packages", "packages_ok", ", ".join(found))


def _host() -> Iterator[Finding]:
    """What of the host's contracts (facts: deerflow-host 0.1, 4.1, 4.3) is not as this package needs it."""
    try:
        api = import_module("deerflow_extension_api")
        registry = import_module("deerflow.extensions.registry").ExtensionRegistry
        manager = import_module("deerflow.agents.memory.manager").MemoryManager
    except Exception as error:  # noqa: BLE001 - whatever the host's own modules raise
        yield finding("host", "host_not_importable", type(error).__name__)
        return
    version = tuple(int(part) for part in re.findall(r"\d+", str(getattr(api, "API_VERSION", "0"))))
    if version < _TOOLS_SINCE or not hasattr(api, "ModelTool"):
        yield finding("host", "host_too_old")
    elif version[:2] != _TOOLS_SINCE[:2]:
        yield finding("host", "host_too_new")
    if not hasattr(registry, "plugin"):
        yield finding("host", "registry_without_plugin")
    # Only a parameter of this very name makes the host pass the user's message (facts: deerflow-host 0.2).
    if "query" not in signature(manager.get_context).parameters:
        yield finding("host", "host_passes_no_query")
    try:
        import_module("powercontext_deerflow.memory")
    except Exception as error:  # noqa: BLE001 - as above
        yield finding("host", "manager_not_importable", type(error).__name__)
