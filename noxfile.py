# SPDX-License-Identifier: Apache-2.0
"""The unit tests on each Python and at both ends of the dependencies, and a release: `nox -l` lists the sessions."""

from __future__ import annotations

import shutil
from pathlib import Path

import nox

PYTHONS = ["3.11", "3.12", "3.13"]
# What must work where neither DeerFlow nor PowerContext is installed.
SMOKE = "import powercontext_deerflow as p, powercontext_openapi; [getattr(p, n) for n in p.__all__ if n != 'install']"

nox.needs_version = ">=2025.5"
nox.options.default_venv_backend = "uv"
nox.options.sessions = ["newest", "lowest"]
nox.options.error_on_missing_interpreters = True


def _install(session: nox.Session, *options: str) -> None:
    session.install(*options, "--editable", ".", "--group", "test")


def _unit_tests(session: nox.Session) -> None:
    session.run("python", "-m", "pytest", "tests/unit", *session.posargs)


@nox.session(python=PYTHONS)
def newest(session: nox.Session) -> None:
    """The unit tests with the newest dependencies that the project allows."""
    _install(session, "--upgrade")
    _unit_tests(session)


@nox.session(python=PYTHONS)
def lowest(session: nox.Session) -> None:
    """The unit tests with the lowest run-time dependencies that pyproject.toml claims."""
    _install(session)
    lowest = Path(session.create_tmp()) / "lowest.txt"
    session.run(
        *("uv", "pip", "compile", "--quiet", "--resolution", "lowest-direct"),
        *("--python", str(Path(session.bin) / "python"), "pyproject.toml", "--output-file"),
        str(lowest),
    )
    session.install("--requirement", str(lowest))
    _unit_tests(session)


@nox.session(python="3.11")
def release(session: nox.Session) -> None:
    """Build both files of a release, check them, and try each in an empty environment."""
    dist = Path("dist")
    shutil.rmtree(dist, ignore_errors=True)
    session.install("--group", "release")
    session.run("python", "-m", "build", "--installer", "uv", "--outdir", str(dist))
    files = sorted(map(str, dist.iterdir()))
    session.run("twine", "check", "--strict", *files)
    empty = Path(session.create_tmp()).resolve() / "empty"
    for file in files:
        session.run("uv", "venv", "--quiet", "--clear", "--python", "3.11", str(empty))
        session.run("uv", "pip", "install", "--quiet", "--python", str(empty), file)
        python, command = empty / "bin/python", empty / "bin/powercontext-deerflow"
        session.run(str(python), "-I", "-W", "error", "-c", SMOKE, external=True)
        session.run(str(command), "--version", external=True)
    session.log("Both files work. Now a human: CONTRIBUTING.md, 'A release', steps 3 and 4.")
