# SPDX-License-Identifier: Apache-2.0
"""What changed since the last release can be written into the changelog by towncrier."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "towncrier", "build", "--version", "9.9.9", "--date", "2030-01-02"]


def drafted(project: Path) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, "--draft", "--dir", str(project)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with this one's rules and no changes yet."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copy(ROOT / "CHANGELOG.md", tmp_path)
    (tmp_path / "changes").mkdir()
    shutil.copy(ROOT / "changes" / "README.md", tmp_path / "changes")
    return tmp_path


def test_every_change_is_one_line_under_the_heading_of_its_type() -> None:
    done = drafted(ROOT)
    assert done.returncode == 0, done.stderr
    title, *sections = done.stdout.strip().split("\n### ")
    assert title.strip() == "## 9.9.9 (2030-01-02)"
    lines = {section.split("\n")[0].lower(): section.split("\n")[1:] for section in sections}
    for fragment in (ROOT / "changes").glob("*.*.md"):
        text = fragment.read_text(encoding="utf-8").strip()
        assert f"- {text}" in lines[fragment.name.split(".")[1]], fragment.name


@pytest.mark.parametrize("name", ["+tool.fix.md", "12-tool.md", "tool.md"])
def test_a_change_of_an_unknown_type_is_refused(project: Path, name: str) -> None:
    (project / "changes" / name).write_text("The tool works.\n")
    done = drafted(project)
    assert done.returncode == 1
    assert name in done.stderr


def test_a_release_adds_its_section_above_the_last_one_without_issue_numbers(project: Path) -> None:
    before = (project / "CHANGELOG.md").read_text(encoding="utf-8")
    (project / "changes" / "12.fixed.md").write_text("The tool works.\n")
    subprocess.run([*COMMAND, "--yes", "--dir", str(project)], capture_output=True, check=True)
    written = "## 9.9.9 (2030-01-02)\n\n### Fixed\n\n- The tool works.\n"
    after = (project / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "\n" + written in after
    assert after.replace(written, "").split() == before.split()
    assert [one.name for one in (project / "changes").iterdir()] == ["README.md"]
