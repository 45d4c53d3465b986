# SPDX-License-Identifier: Apache-2.0
"""What `deerflow extensions install|upgrade|enable|disable|remove` does to a DeerFlow checkout.

Written from a run of the real one. The same uv commands, the same checks before and after, the
same rewriting of `plugins:`; left out are its recovery from failures and sources other than a directory.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.real.install.tree import IGNORED_FOLDERS, refused

GROUP = "deerflow.extensions"
# What the host's backend itself depends on, as far as its stand-ins need it. The host wants
# Python 3.12; the tests also run on 3.11.
BACKEND = """\
[project]
name = "backend"
version = "0"
requires-python = ">=3.11"
dependencies = ["pydantic>=2.12.5", "httpx>=0.28.0", "langchain-core>=1.4,<2", "pyyaml>=6", "jsonschema>=4"]

[dependency-groups]
extensions = []

[tool.uv]
default-groups = ["extensions"]
"""
_DISCOVER = """\
import json, sys
from importlib.metadata import distribution
found = [e for e in distribution(sys.argv[1]).entry_points if e.group == sys.argv[2]]
assert all(callable(e.load()) for e in found)
print(json.dumps([[e.name, e.value] for e in found]))
"""


class RefusedError(Exception):
    """The extension manager does not install this."""


@dataclass(frozen=True)
class DeerFlow:
    """A checkout: `backend/`, and `config.yaml` beside it. `host` is where its two packages are."""

    folder: Path
    host: Path

    @property
    def backend(self) -> Path:
        return self.folder / "backend"

    @property
    def config(self) -> Path:
        return self.folder / "config.yaml"

    @property
    def snapshot(self) -> Path:
        return self.backend / "extensions" / "sources" / "powercontext-deerflow"

    @property
    def lock(self) -> str:
        return (self.backend / "uv.lock").read_text()

    @property
    def plugins(self) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = yaml.safe_load(self.config.read_text())["plugins"]
        return listed

    def create(self, config: str) -> None:
        self.backend.mkdir(parents=True)
        (self.backend / "pyproject.toml").write_text(BACKEND)
        self.config.write_text(config)

    def install(self, source: Path) -> None:
        name, use = _entry_point(source)
        self._add(source)
        plugins = self.plugins
        known = [plugin for plugin in plugins if plugin["use"] == use]
        for plugin in known:
            plugin |= {"name": name, "package": "powercontext-deerflow", "enabled": True}
            plugin.setdefault("required", False)
        if not known:
            record = {"name": name, "package": "powercontext-deerflow", "use": use}
            plugins.append({**record, "enabled": True, "required": False, "config": {}})
        self._write(plugins)

    def upgrade(self, source: Path) -> None:
        shutil.rmtree(self.snapshot)
        self._add(source)
        self._write(self.plugins)

    def switch(self, name: str, *, enabled: bool) -> None:
        plugins = self.plugins
        for plugin in plugins:
            if plugin.get("name") == name:
                plugin["enabled"] = enabled
        self._write(plugins)

    def remove(self, name: str) -> None:
        self._write([plugin for plugin in self.plugins if plugin.get("name") != name])
        self._uv("remove", "--group", "extensions", "--no-sync", "--", "powercontext-deerflow")
        shutil.rmtree(self.snapshot)
        self._uv("sync", "--all-packages", "--locked")

    def python(self, *arguments: str | Path) -> str:
        """What the backend's own interpreter prints; it sees the host, and not this repository."""
        done = subprocess.run(
            [str(self.backend / ".venv" / "bin" / "python"), *map(str, arguments)],
            cwd=self.backend,
            env={**os.environ, "PYTHONPATH": str(self.host), "PYTHONWARNINGS": "error"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _add(self, source: Path) -> None:
        if found := refused(source):
            raise RefusedError(found)
        shutil.copytree(
            source, self.snapshot, ignore=shutil.ignore_patterns(*IGNORED_FOLDERS, "*.pyc")
        )
        relative = self.snapshot.relative_to(self.backend).as_posix()
        self._uv("add", "--group", "extensions", "--no-workspace", "--no-sync", "--", relative)
        for local in _local_references(tomllib.loads(self.lock)):
            if local not in (".", relative):
                raise RefusedError(local)
        self._uv("sync", "--all-packages", "--locked")
        installed = json.loads(self.python("-c", _DISCOVER, "powercontext-deerflow", GROUP))
        assert [tuple(found) for found in installed] == [_entry_point(source)]

    def _write(self, plugins: list[dict[str, Any]]) -> None:
        """Only the block is dumped anew; here it is the last one of the file."""
        before = self.config.read_text().partition("plugins:")[0]
        block = yaml.safe_dump({"plugins": plugins}, allow_unicode=True, sort_keys=False)
        self.config.write_text(before + block)

    def _uv(self, command: str, *arguments: str) -> None:
        # An environment active around the tests is not the backend's; any interpreter here will do.
        environ = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
        environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environ['PATH']}"
        done = subprocess.run(
            [sys.executable, "-m", "uv", command, "--project", str(self.backend), *arguments],
            cwd=self.backend,
            env={**environ, "UV_PYTHON_DOWNLOADS": "never"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def _entry_point(source: Path) -> tuple[str, str]:
    """Of PEP 621 metadata; there must be exactly one."""
    project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
    assert project["name"] == "powercontext-deerflow"
    ((name, use),) = project["entry-points"][GROUP].items()
    return name, use


def _local_references(node: object) -> Iterator[str]:
    """Where a lock file points on this machine; a Docker build has only the backend's folder."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("path", "directory", "editable", "virtual") or (
                key in ("registry", "url", "git") and value.startswith(("file:", "/", "."))
            ):
                yield value
            else:
                yield from _local_references(value)
    elif isinstance(node, list):
        for item in node:
            yield from _local_references(item)
