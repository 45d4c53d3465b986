# SPDX-License-Identifier: Apache-2.0
"""What keeps the repository in order between releases: changelog fragments, and the hook before a commit."""

from __future__ import annotations

import re
import subprocess

import yaml

from tests.project.docs.pages import Page
from tests.real.install.tree import ROOT

CHANGES = ROOT / "changes"


def test_a_fragment_is_one_sentence_and_the_command_lists_them_all() -> None:
    (command,) = Page(CHANGES / "README.md").blocks_in("sh")
    listed = subprocess.run(
        ["bash", "-c", f"shopt -s nullglob; {command}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    fragments = sorted(path for path in CHANGES.iterdir() if path.name != "README.md")
    assert listed == [f"- {path.read_text().rstrip()}" for path in fragments]
    for path in fragments:
        assert re.fullmatch(r"\d+-[a-z0-9-]+\.md", path.name)
        assert re.fullmatch(r"[^a-z\n].*[^.]\.\n", path.read_text())


def test_the_hook_runs_what_make_check_runs() -> None:
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    (hook,) = repository["hooks"]
    assert repository["repo"] == "local"
    assert hook["entry"] == "make check"
    assert (hook["pass_filenames"], hook["always_run"]) == (False, True)
