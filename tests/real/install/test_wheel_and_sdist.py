# SPDX-License-Identifier: Apache-2.0
"""The two files that a release consists of: their contents, and the wheel at work where nothing else is installed."""

from __future__ import annotations

import email
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass
from email.message import Message
from pathlib import Path

import pytest

from powercontext_deerflow.settings import PREFIX
from powercontext_deerflow.version import VERSION
from tests.real.install.tree import ROOT, files_in, refused
from tests.support.servers.real import PowerContextServer

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MEMORY = "Order service: money amounts are integer cents."
# Home and work folders of people and machines; a path in documentation, such as /var/lib, is not one.
MACHINE_PATH = re.compile(rb"(?<![\w.])/(?:root|work|Users|home/\w+)/")


@dataclass(frozen=True)
class Release:
    wheel: Path
    sdist: Path

    @property
    def metadata(self) -> Message:
        with zipfile.ZipFile(self.wheel) as wheel:
            name = f"powercontext_deerflow-{VERSION}.dist-info/METADATA"
            return email.message_from_bytes(wheel.read(name))


def _python(*arguments: str | Path) -> str:
    """A module of the running interpreter; what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _built(tree: Path, to: Path, *kinds: str) -> Release:
    _python("build", "--installer", "uv", *kinds, "--outdir", to, tree)
    (wheel,), (sdist,) = to.glob("*.whl"), to.glob("*.tar.gz")
    return Release(wheel, sdist)


@pytest.fixture(scope="module")
def release(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Release:
    """The source distribution from the tree, and the wheel from that."""
    return _built(tree, tmp_path_factory.mktemp("dist"))


def test_twine_has_nothing_to_say(release: Release) -> None:
    said = _python("twine", "--no-color", "check", "--strict", release.wheel, release.sdist)
    assert said.count("PASSED") == 2


def test_the_wheel_holds_the_two_packages_and_nothing_else(release: Release, tree: Path) -> None:
    packages = {
        name.removeprefix("generated/")
        for name in files_in(tree)
        if name.startswith(("powercontext_deerflow/", "generated/powercontext_openapi/"))
    }
    assert {"powercontext_deerflow/py.typed", "powercontext_openapi/py.typed"} <= packages
    about = f"powercontext_deerflow-{VERSION}.dist-info/"
    records = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
    with zipfile.ZipFile(release.wheel) as wheel:
        assert set(wheel.namelist()) == packages | {about + name for name in records}
        assert wheel.read(about + "licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
        entry_points = wheel.read(about + "entry_points.txt").decode()
    assert [line for line in entry_points.splitlines() if line] == [
        "[console_scripts]",
        "powercontext-deerflow = powercontext_deerflow.cli:main",
        "[deerflow.extensions]",
        "powercontext = powercontext_deerflow:install",
    ]


def test_the_metadata_asks_for_what_is_imported_and_no_more(release: Release) -> None:
    required = [line for line in release.metadata.get_all("Requires-Dist", ()) if ";" not in line]
    names = [re.split(r"[^\w-]", line)[0] for line in required]
    assert names == ["attrs", "certifi", "h11", "httpx", "msgspec"]
    assert release.metadata["Requires-Python"] == ">=3.11"
    assert release.metadata["License-Expression"] == "Apache-2.0"
    extras = set(release.metadata.get_all("Provides-Extra", ()))
    assert extras == set(PROJECT["optional-dependencies"])


def test_the_source_distribution_can_be_installed_by_the_host_and_names_no_machine(
    release: Release, tree: Path, tmp_path: Path
) -> None:
    with tarfile.open(release.sdist) as sdist:
        assert not [one.name for one in sdist if not (one.isfile() or one.isdir())]
        sdist.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    assert refused(source) == []
    files = files_in(source)
    assert files == {name for name in files_in(tree) if name[:4] != ".ci/"} | {"PKG-INFO"}
    telling = [
        name
        for name in sorted(files)
        if MACHINE_PATH.search(content := (source / name).read_bytes())
        or os.fsencode(ROOT) in content
    ]
    assert telling == []


def test_another_build_elsewhere_gives_the_same_bytes(
    release: Release, tree: Path, tmp_path: Path
) -> None:
    """And the wheel made from the tree is the one made from the source distribution."""
    other = shutil.copytree(tree, tmp_path / "elsewhere")
    for name in files_in(other):
        os.utime(other / name, (1_000_000_000, 1_000_000_000))
    again = _built(other, tmp_path / "dist", "--sdist", "--wheel")
    assert again.wheel.read_bytes() == release.wheel.read_bytes()
    assert again.sdist.read_bytes() == release.sdist.read_bytes()


# --- the wheel, and neither DeerFlow nor PowerContext


@dataclass(frozen=True)
class Empty:
    """An environment that holds the wheel and what it requires."""

    folder: Path

    def run(self, *command: str, **binding: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.folder / "bin" / command[0]), *command[1:]],
            cwd=self.folder,
            env={PREFIX + name: value for name, value in binding.items()},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def empty(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Empty:
    folder = tmp_path_factory.mktemp("empty") / "environment"
    _python("uv", "venv", "--quiet", "--python", sys.executable, folder)
    _python("uv", "pip", "install", "--quiet", "--python", folder, release.wheel)
    return Empty(folder)


def test_nothing_of_the_host_is_there(empty: Empty) -> None:
    """Else the tests below would show nothing."""
    host = ("deerflow", "deerflow_extension_api", "pydantic", "langchain_core", "yaml")
    script = (
        "from importlib.util import find_spec as find;"
        f"print([name for name in {(*host, 'powercontext')} if find(name)])"
    )
    assert empty.run("python", "-I", "-c", script).stdout == "[]\n"


USE = """
import os
from powercontext_deerflow import PowerContext, Recalled, Saved, Settings
with PowerContext(Settings.from_environment()) as memory:
    assert isinstance(memory.remember({text!r}), Saved)
    recalled = memory.recall("How does the order service store money amounts?")
    assert isinstance(recalled, Recalled), recalled
    print(recalled.content)
    from powercontext_openapi.api.server import get_server_info
    print(get_server_info.sync(client=memory.generated).package_version)
"""


def test_the_sdk_works_there(
    empty: Empty, powercontext_141: PowerContextServer, scope: str
) -> None:
    used = empty.run(
        *("python", "-I", "-W", "error", "-c", USE.format(text=MEMORY)),
        **_binding(powercontext_141, scope),
    )
    assert used.returncode == 0, used.stderr
    assert MEMORY in used.stdout
    assert used.stdout.endswith("\n1.4.1\n")


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("import powercontext_deerflow.memory", "memory is DeerFlow's memory backend"),
        ("import powercontext_deerflow.extension", "extension is DeerFlow's plugin"),
        ("from powercontext_deerflow import install", "extension is DeerFlow's plugin"),
    ],
)
def test_what_needs_the_host_says_so(empty: Empty, statement: str, what: str) -> None:
    failed = empty.run("python", "-I", "-c", statement)
    assert failed.returncode == 1
    assert failed.stderr.splitlines()[-1] == (
        f"ModuleNotFoundError: powercontext_deerflow.{what}: import it where DeerFlow is installed"
    )


def test_the_command_works_there(
    empty: Empty, powercontext_141: PowerContextServer, scope: str
) -> None:
    assert empty.run("powercontext-deerflow", "--version").stdout == f"{VERSION}\n"

    healthy = empty.run("powercontext-deerflow", "doctor", **_binding(powercontext_141, scope))
    assert (healthy.returncode, healthy.stderr) == (0, "")
    assert "host_absent" in healthy.stdout
    assert healthy.stdout.endswith("\ndoctor: healthy\n")

    unbound = empty.run("powercontext-deerflow", "doctor")
    assert (unbound.returncode, unbound.stderr) == (1, "")
    assert f"{PREFIX}BASE_URL" in unbound.stdout
    assert unbound.stdout.endswith(" faults\n")


def test_checking_a_config_without_yaml_says_what_is_missing(empty: Empty) -> None:
    checked = empty.run("powercontext-deerflow", "config", "--check", "config.yaml")
    assert (checked.returncode, checked.stdout) == (3, "")
    needed = "config --check needs PyYAML, which every DeerFlow has: run it there"
    assert checked.stderr == f"powercontext-deerflow: {needed}\n"


def _binding(server: PowerContextServer, scope: str) -> dict[str, str]:
    return {
        "BASE_URL": server.base_url,
        "OWNER_USER_ID": "4f0c2d9a",
        "SCOPE_ID": scope,
        "TOKEN": server.token,
    }
