# SPDX-License-Identifier: Apache-2.0
"""This repository as an operator gets it, and what in a directory DeerFlow's extension manager refuses.

Written from a run of the real one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
IGNORED_FOLDERS = (".git", ".venv", "venv", "__pycache__")

_REFUSED_NAMES = {".env", ".npmrc", ".pypirc", "credentials.json"}
_REFUSED_ENDINGS = {".key", ".pem", ".p12", ".pfx"}


def tracked() -> list[str]:
    """Every file that is committed, or would be: what is new counts, what git ignores does not."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return sorted({name for name in listed.split("\0") if name and os.path.lexists(ROOT / name)})


def clean_copy(to: Path) -> Path:
    """The tracked files, and nothing else, in a new folder; links stay links."""
    for name in tracked():
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, to / name, follow_symlinks=False)
    return to


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def refused(source: Path) -> list[str]:
    """What the extension manager would stop at; it ignores some folders and compiled Python."""
    found = []
    for folder, folders, files in os.walk(source):
        folders[:] = [name for name in folders if name not in IGNORED_FOLDERS]
        for name in [*folders, *files]:
            path = Path(folder) / name
            secret = name in _REFUSED_NAMES or name.startswith(".env.")
            secret = name in files and (secret or path.suffix.lower() in _REFUSED_ENDINGS)
            odd = path.is_symlink() or not (path.is_dir() or path.is_file())
            if secret or (odd and path.suffix != ".pyc"):
                found.append(path.relative_to(source).as_posix())
    return found
