# SPDX-License-Identifier: Apache-2.0
"""What keeps the repository in order between releases: changelog fragments, and the hook before a commit."""

from __future__ import annotations

import re

import yaml

from tests.real.install.tree import ROOT


def test_a_fragment_is_one_sentence() -> None:
    for path in (ROOT / "changes").glob("+*.md"):
        assert re.fullmatch(r"[^a-z\n].*[^.]\.\n", path.read_text()), path.name


def test_the_hook_runs_what_make_check_runs() -> None:
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    (hook,) = repository["hooks"]
    assert repository["repo"] == "local"
    assert hook["entry"] == "make check"
    assert (hook["pass_filenames"], hook["always_run"]) == (False, True)
