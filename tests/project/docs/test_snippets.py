# SPDX-License-Identifier: Apache-2.0
"""Every snippet of the documentation is run or parsed: Python and the making of a Scope on a real server, commands
against what they call, configuration by what reads it in production.

What both languages share word for word (test_docs) is taken once, from the English page.
"""

from __future__ import annotations

import inspect
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped,unused-ignore]

from powercontext_deerflow import Settings
from powercontext_deerflow.doctor import checks
from powercontext_deerflow.doctor import command as cli
from powercontext_deerflow.doctor import config_file as config_check
from powercontext_deerflow.settings import PREFIX
from tests.project.docs.pages import ENGLISH, GUIDES, README, ROOT, SDK, Page
from tests.support.servers.embedding import EmbeddingEndpoint
from tests.support.servers.real import PowerContextServer

BIN = Path(sys.executable).parent
_HOST_VERBS = {"install", "list", "enable", "disable", "remove", "upgrade"}
BAD_USAGE = 2  # the exit status of the command


def test_the_sdk_page_runs(
    powercontext_141: PowerContextServer, scope: str, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, object] = {
        "BASE_URL": powercontext_141.base_url,
        "SCOPE_ID": scope,
        "TOKEN": powercontext_141.token,
    }
    said = []
    for snippet in SDK.blocks_in("python"):
        exec(compile(snippet, str(SDK), "exec"), names)
        said.append(capsys.readouterr().out)
    expected = [
        "integer cents",
        "insecure_transport",
        "it was there already",
        "Recalled\n",
        "True\n1.4.1\n",
        "text_blank text\n",
        "decision Order service",
        "The editor indents with tabs.\n",
        "forgotten\nforgotten\n['forgotten', 'forgotten']\n",
    ]
    assert len(said) == len(expected)
    for out, part in zip(said, expected, strict=True):
        assert part in out
    assert powercontext_141.memories(scope) == []


def test_the_readme_snippet_runs(
    powercontext_141: PowerContextServer, scope: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (snippet,) = README.blocks_in("python")
    for placeholder, real in (
        ("http://127.0.0.1:8000", powercontext_141.base_url),
        ("scp_...", scope),
        ('Secret("...")', f'Secret("{powercontext_141.token}")'),
    ):
        assert snippet.count(placeholder) == 1
        snippet = snippet.replace(placeholder, real)
    exec(compile(snippet, str(README), "exec"), {})
    out = capsys.readouterr().out
    assert "ArtifactCitation" in out
    assert "money amounts are integer cents" in out


def test_the_snippets_type_check(tmp_path: Path) -> None:
    given = "BASE_URL: str\nSCOPE_ID: str\nTOKEN: str\n"
    for page, before in ((README, ""), (SDK, given)):
        written = tmp_path / f"{page.path.stem.lower()}_snippets.py"
        written.write_text(before + "\n".join(page.blocks_in("python")))
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", *map(str, tmp_path.iterdir())],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


def test_no_other_page_has_python_that_is_not_run() -> None:
    assert {str(page) for page in ENGLISH if page.blocks_in("python")} == {str(README), str(SDK)}


def test_yaml_blocks_are_what_the_host_wants(tmp_path: Path) -> None:
    ours = yaml.safe_load(cli.BLOCKS.partition("\n# Environment")[0])
    for page in ENGLISH:
        for block in page.blocks_in("yaml"):
            content = yaml.safe_load(block)
            if "services" in content:
                _check_compose(content)
                continue
            assert content == ours
            written = tmp_path / "config.yaml"
            written.write_text(block)
            assert config_check.check(str(written)) == []


def _check_compose(content: dict[str, dict[str, dict[str, object]]]) -> None:
    """PowerContext is on the Gateway's loopback and on no network or port of its own."""
    server, gateway = content["services"]["powercontext"], content["services"]["gateway"]
    assert server["network_mode"] == "service:gateway"
    assert not {"ports", "networks"} & server.keys()
    environment = gateway["environment"]
    assert isinstance(environment, dict)
    assert Settings.from_environment({**_filled(_BINDING), **environment}).base_url


_BINDING = next(
    block for block in README.blocks_in("dotenv") if block.startswith(PREFIX)
)  # the four required ones


def _filled(block: str) -> dict[str, str]:
    filled = re.sub(r"<[^>]*>", "placeholder", block)
    return dict(line.split("=", 1) for line in filled.splitlines() if not line.startswith("#"))


def test_dotenv_blocks_are_accepted(tmp_path: Path) -> None:
    seen = []
    for page in ENGLISH:
        for block in page.blocks_in("dotenv"):
            seen.append(block.partition("=")[0])
            if block.startswith(PREFIX):
                assert Settings.from_environment(_filled(block)).warnings == ()
                continue
            written = tmp_path / "powercontext.env"
            written.write_text("".join(f"{k}={v}\n" for k, v in _filled(block).items()))
            validated = _run(f"powercontext config validate --env-file {written}", tmp_path)
            assert "Configuration is valid" in validated
    assert {"POWERCONTEXT_SERVER_HTTP_HOST", PREFIX + "BASE_URL"} <= set(seen)


def test_the_scope_is_made_as_the_guide_says(
    powercontext_141: PowerContextServer, tmp_path: Path
) -> None:
    (block,) = [text for text in GUIDES[0].blocks_in("sh") if "scope create" in text]
    (tmp_path / "powercontext.token").write_text(powercontext_141.token)
    said = _run(block.replace("http://127.0.0.1:8000", powercontext_141.base_url), tmp_path)
    assert re.search(r'"scope_id": ?"scp_', said)


def _run(script: str, folder: Path) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder),
            "LANG": "C.UTF-8",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _commands() -> Iterator[tuple[Page, list[str]]]:
    for page in ENGLISH:
        for block in page.blocks_in("sh"):
            for line in block.splitlines():
                if words := shlex.split(line, comments=True):
                    yield page, words


def test_shell_blocks_are_shell() -> None:
    for page in ENGLISH:
        for block in page.blocks_in("sh"):
            subprocess.run(["bash", "-n", "-c", block], check=True)


def test_the_settings_of_the_embedding_page_are_those_of_the_tests() -> None:
    """With which a real server was started; only the port and the budget of a question differ."""
    page = Page(ROOT / "docs/en/embedding.md")
    (block,) = page.blocks_in("dotenv")
    shown = dict(line.split("=", 1) for line in block.splitlines())
    with closing(EmbeddingEndpoint()) as endpoint:
        settings = endpoint.server_settings
    for name in ("INFERENCE_EMBEDDING_BASE_URL", "RUNTIME_RECALL_EMBEDDING_TIMEOUT_SECONDS"):
        settings[name] = shown["POWERCONTEXT_SERVER_" + name]
    assert shown == {f"POWERCONTEXT_SERVER_{name}": value for name, value in settings.items()}


def test_every_command_of_ours_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "examine", lambda probe_writing: [])  # nothing is to be asked
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    seen = set()
    for page, words in _commands():
        if words[0] == "make":
            assert words[1] in targets, f"{page}: {words}"
        elif words[0] == "deerflow":
            assert words[1] == "extensions"
            assert words[2] in _HOST_VERBS, f"{page}: {words}"
        elif "powercontext-deerflow" in words:
            after = words[words.index("powercontext-deerflow") + 1 :]
            assert cli.main(after) != BAD_USAGE, f"{page}: {words}"
            for option in (word for word in after if word.startswith("--")):
                assert f'"{option}"' in inspect.getsource(cli)  # argparse takes abbreviations, too
            seen.add(after[0])
        elif words[1:2] == ["-m"]:
            module, arguments = words[2], words[3:]
            known = (
                module in ("pytest", "pip", "venv")
                or (ROOT / f"{module.replace('.', '/')}.py").exists()
            )
            assert known, f"{page}: {words}"
            assert module != "pytest" or all((ROOT / name).exists() for name in arguments)
    assert seen == {"doctor", "config"}
