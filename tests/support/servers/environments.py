# SPDX-License-Identifier: Apache-2.0
"""Python environments that hold one PowerContext server release each.

The release of the running interpreter is used where it is; every other one is installed once into
`.venv/servers/<version>/` under the repository root and kept between runs: in `.venv`, because DeerFlow's installer
refuses a directory that holds symbolic links and certificates anywhere else.
"""

from __future__ import annotations

import fcntl
import importlib.metadata
import shutil
import subprocess
import sys
from pathlib import Path

CACHE = Path(__file__).resolve().parents[3] / ".venv" / "servers"


def server_python(version: str) -> Path:
    """The interpreter of an environment that holds `powercontext[cli,server]==version`."""
    if version == _running_version():
        return Path(sys.executable)
    home = CACHE / version
    python, complete = home / "bin" / "python", home / "complete"
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{version}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (complete.exists() and python.exists()):
            build(home, version, lock.fileno())
            complete.touch()
    return python


def _running_version() -> str | None:
    try:
        return importlib.metadata.version("powercontext")
    except importlib.metadata.PackageNotFoundError:
        return None


def build(home: Path, version: str, lock: int) -> None:
    """Into ``home``, by whoever holds ``lock``, the descriptor of a locked file."""
    print(
        f"Installing PowerContext {version} into .venv/servers/{version} (once; a minute) ...",
        file=sys.stderr,
        flush=True,
    )
    shutil.rmtree(home, ignore_errors=True)
    for command in (
        [sys.executable, "-m", "venv", str(home)],
        [
            *(str(home / "bin" / "python"), "-m", "pip", "install", "--quiet"),
            *("--disable-pip-version-check", f"powercontext[cli,server]=={version}"),
        ],
    ):
        # The children inherit the lock: should we be killed, nobody builds beside a pip still alive.
        done = subprocess.run(
            command, pass_fds=(lock,), text=True, capture_output=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"cannot install PowerContext {version}:\n{done.stderr[-2000:]}")
