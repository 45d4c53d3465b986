# SPDX-License-Identifier: Apache-2.0
"""This directory, installed as DeerFlow's extension manager does it: with uv, into a scratch DeerFlow."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from powercontext_deerflow.settings import PREFIX
from powercontext_deerflow.version import VERSION
from tests.real.install.extension_manager import DeerFlow, RefusedError
from tests.real.install.tree import ROOT, refused
from tests.support.servers.proxy import RecordingProxy
from tests.support.servers.real import PowerContextServer

OWNER = "4f0c2d9a-2f0e-4c53-9a55-1d9a0c5d7a11"
TEXT = "Order service: money amounts are integer cents."
QUESTION = "Add a refund to the order service; how are money amounts stored?"
NEXT = "99.0.1"

BEFORE = """\
# The operator's own comment.
models: [{name: some-model}]
memory:
  enabled: true
  mode: middleware
  injection_enabled: true
  manager_class: powercontext_deerflow.memory:PowerContextMemoryManager
  backend_config: {}
"""
CONFIG = (
    BEFORE
    + """\
plugins:
  - use: another_vendor:install  # not installed, and not to be touched
    enabled: false
    config: {greeting: 你好}
"""
)
OTHERS = yaml.safe_load(CONFIG)["plugins"]
OURS = {
    "name": "powercontext",
    "package": "powercontext-deerflow",
    "use": "powercontext_deerflow:install",
    "enabled": True,
    "required": False,
    "config": {},
}


def _process(deerflow: DeerFlow) -> dict[str, Any]:
    script = ROOT / "tests" / "real" / "install" / "gateway_process.py"
    told: dict[str, Any] = json.loads(deerflow.python(script, deerflow.config, TEXT, QUESTION))
    assert Path(told["package"]).is_relative_to(deerflow.backend / ".venv")
    return told


def test_from_install_to_removal_with_one_binding(
    tree: Path,
    tmp_path: Path,
    powercontext_141: PowerContextServer,
    scope: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deerflow = DeerFlow(tmp_path / "deer-flow", host=ROOT / "tests" / "host")
    deerflow.create(CONFIG)
    with RecordingProxy(powercontext_141.base_url) as proxy:
        for name, value in {
            "BASE_URL": proxy.base_url,
            "OWNER_USER_ID": OWNER,
            "SCOPE_ID": scope,
            "TOKEN": powercontext_141.token,
            "RECALL_TIMEOUT_SECONDS": "4.5",
            "REMEMBER_TIMEOUT_SECONDS": "20",
        }.items():
            monkeypatch.setenv(PREFIX + name, value)

        deerflow.install(tree)
        first = _process(deerflow)
        assert (first["version"], first["status"]) == (VERSION, "saved")
        assert TEXT in first["memory"]

        installed = deerflow.config.read_text()
        assert installed.startswith(BEFORE)
        assert deerflow.plugins == [*OTHERS, OURS]
        deerflow.upgrade(_newer(tree, tmp_path / "newer"))
        assert deerflow.config.read_text() == installed
        upgraded = _process(deerflow)
        assert (upgraded["version"], upgraded["status"]) == (NEXT, "already_saved")

        deerflow.switch("powercontext", enabled=False)
        disabled = _process(deerflow)
        assert disabled["status"] is None
        assert TEXT in disabled["memory"]  # the memory backend has a switch of its own

        deerflow.switch("powercontext", enabled=True)
        deerflow.config.write_text(yaml.safe_dump(yaml.safe_load(deerflow.config.read_text())))
        enabled = _process(deerflow)
        assert (enabled["status"], enabled["citation"]) == ("already_saved", first["citation"])
        assert TEXT in enabled["memory"]

    assert {request.scope_id for request in proxy.requests} == {scope}
    credentials = {request.header("authorization") for request in proxy.requests}
    assert credentials == {f"Bearer {powercontext_141.token}"}
    assert len(powercontext_141.memories(scope)) == 1

    deerflow.remove("powercontext")
    assert deerflow.plugins == OTHERS
    assert not deerflow.snapshot.exists()
    assert "powercontext" not in deerflow.lock
    assert "powercontext" not in (deerflow.backend / "pyproject.toml").read_text()
    find = "from importlib.util import find_spec as f; print(f('powercontext_deerflow'))"
    assert deerflow.python("-c", find) == "None\n"


def _newer(tree: Path, to: Path) -> Path:
    """A tree whose only news is in a module; pyproject.toml is as old as before, which must not fool uv's cache."""
    shutil.copytree(tree, to)
    version = to / "powercontext_deerflow" / "version.py"
    version.write_text(version.read_text().replace(f'"{VERSION}"', f'"{NEXT}"'))
    return to


def test_an_operators_own_entry_is_adopted(tree: Path, tmp_path: Path) -> None:
    """The block of the README first, the command after: there must not be two entries then."""
    deerflow = DeerFlow(tmp_path / "deer-flow", host=ROOT / "tests" / "host")
    own = "plugins:\n  - use: powercontext_deerflow:install\n    enabled: true\n    config: {}\n"
    deerflow.create(BEFORE + own)
    deerflow.install(tree)
    (plugin,) = deerflow.plugins
    assert (plugin["use"], plugin["config"]) == ("powercontext_deerflow:install", {})


# --- what the extension manager refuses


def test_nothing_in_the_tree_is_refused(tree: Path) -> None:
    assert refused(tree) == []


def test_nothing_that_make_and_the_tests_leave_behind_is_refused() -> None:
    """Caches and the servers' environments included: this very directory stays installable."""
    assert refused(ROOT) == []


@pytest.mark.parametrize(
    "name", [".env", ".env.example", "server.pem", "docs/Client.KEY", ".npmrc", "link", "folder"]
)
def test_what_is_refused(tree: Path, tmp_path: Path, name: str) -> None:
    """So that the two tests above can fail."""
    source = tmp_path / "source"
    (source / "docs").mkdir(parents=True)
    (source / "pyproject.toml").write_bytes((tree / "pyproject.toml").read_bytes())
    if name == "link":
        (source / name).symlink_to("pyproject.toml")
    elif name == "folder":
        (source / name).symlink_to("docs")
    else:
        (source / name).touch()
    deerflow = DeerFlow(tmp_path / "deer-flow", host=tmp_path)
    deerflow.create(CONFIG)
    with pytest.raises(RefusedError, match=name):
        deerflow.install(source)


def test_ignored_folders_may_hold_anything(tmp_path: Path) -> None:
    for name in (".venv", ".git", "venv", "__pycache__"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "cacert.pem").touch()
    (tmp_path / "link.pyc").symlink_to("nowhere")
    assert refused(tmp_path) == []
