# SPDX-License-Identifier: Apache-2.0
"""examples/single_user, run as its README says, and what it prints given to a Gateway."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator

import pytest
import yaml

from powercontext_deerflow.settings import PREFIX
from tests.project.docs.pages import Page
from tests.real.install.tree import ROOT
from tests.support.gateway import Gateway, memory_block, owner
from tests.support.servers.real import PowerContextServer

EXAMPLE = ROOT / "examples" / "single_user"
README = Page(EXAMPLE / "README.md")
MEMORY = "Order service: money amounts are integer cents; use pytest for backend tests."
QUESTION = "Add a refund calculation to the order service, following its conventions."


def _run(script: str, given: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PYTHONWARNINGS": "error", **given},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def given(powercontext_141: PowerContextServer) -> dict[str, str]:
    """A server, a user, and nothing else."""
    return {
        PREFIX + "BASE_URL": powercontext_141.base_url,
        PREFIX + "OWNER_USER_ID": str(uuid.uuid4()),
        PREFIX + "TOKEN": powercontext_141.token,
    }


def _command() -> str:
    """The README's last line, with the interpreter that runs the tests."""
    (block,) = README.blocks_in("sh")
    subprocess.run(["bash", "-n", "-c", block], check=True)
    interpreter, script = block.splitlines()[-1].split()
    assert interpreter == ".venv/bin/python"
    return f"'{sys.executable}' {script}"


def _sections(out: str) -> Iterator[str]:
    for section in out.split("# --- ")[1:]:
        yield section.partition("\n")[2]


def test_from_a_server_to_a_chat_that_remembers(
    given: dict[str, str], powercontext_141: PowerContextServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = _run(_command(), given)
    assert (ran.returncode, ran.stderr) == (0, "")
    config, environment, saved, recalled = _sections(ran.stdout)
    assert saved.startswith("Saved(")
    assert MEMORY in recalled
    assert powercontext_141.token not in ran.stdout

    binding = dict(line.split("=", 1) for line in environment.split())
    binding[PREFIX + "TOKEN"] = powercontext_141.token
    (memory,) = powercontext_141.memories(binding[PREFIX + "SCOPE_ID"])
    assert memory["text"] == MEMORY
    for name, value in binding.items():
        monkeypatch.setenv(name, value)
    blocks = yaml.safe_load(config)
    with Gateway(memory=blocks["memory"], plugins=tuple(blocks["plugins"])) as gateway:
        chat = asyncio.run(gateway.ask(QUESTION, owner(given[PREFIX + "OWNER_USER_ID"])))
        assert MEMORY in str(memory_block(chat))
        assert memory_block(asyncio.run(gateway.ask(QUESTION, owner(str(uuid.uuid4()))))) is None


def test_again_is_the_same_scope_and_nothing_new(given: dict[str, str]) -> None:
    first, second = (list(_sections(_run(_command(), given).stdout)) for _ in range(2))
    assert second[:2] == first[:2]
    assert second[2].startswith("AlreadySaved(")
    assert second[3] == first[3]


def test_what_is_missing_is_named(given: dict[str, str]) -> None:
    del given[PREFIX + "TOKEN"]
    ran = _run(_command(), given)
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", f"set {PREFIX}TOKEN\n")


def test_the_readme_links_to_what_is_there() -> None:
    for link in README.links:
        assert (EXAMPLE / link.partition("#")[0]).exists(), link
