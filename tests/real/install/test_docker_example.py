# SPDX-License-Identifier: Apache-2.0
"""examples/docker without a Docker engine: what the files say, read by the programs that they are for."""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from powercontext_deerflow import Settings
from powercontext_deerflow.settings import PREFIX
from tests.project.docs.pages import Page
from tests.real.install.tree import ROOT, refused
from tests.support.servers.hostile import HostileServer, answer, by_path
from tests.support.servers.real import PowerContextServer

EXAMPLE = ROOT / "examples" / "docker"
README = Page(EXAMPLE / "README.md")
COMPOSE = yaml.safe_load((EXAMPLE / "docker-compose.powercontext.yaml").read_text())
SERVER, GATEWAY = COMPOSE["services"]["powercontext"], COMPOSE["services"]["gateway"]
GIVEN = dict(
    line.split("=", 1)
    for line in (EXAMPLE / "gateway.environment.example").read_text().splitlines()
    if not line.startswith("#")
)
FILLED = {
    PREFIX + "TOKEN": "pct0123456789abcdef",
    PREFIX + "OWNER_USER_ID": "4f0c2d9a",
    PREFIX + "SCOPE_ID": "scp_4ptadma9x1xgs873q4phqh4dnd",
}
_VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")
_SECRET = re.compile(r"TOKEN|SECRET|PASSWORD|KEY")


def _interpolated(service: dict[str, Any], environ: dict[str, str]) -> dict[str, str]:
    """The container's environment, by Compose's rules: `:-` has a default, `:?` must be there."""

    def value(found: re.Match[str]) -> str:
        name, operator, rest = found.groups()
        if not environ.get(name) and operator == "?":
            raise LookupError(f"{name}: {rest}")
        return environ.get(name) or (rest or "")

    return {name: _VARIABLE.sub(value, text) for name, text in service["environment"].items()}


def test_powercontext_is_on_the_gateways_loopback_and_nowhere_else() -> None:
    assert COMPOSE.keys() == {"services", "volumes"}
    assert COMPOSE["services"].keys() == {"powercontext", "gateway"}
    assert SERVER["network_mode"] == "service:gateway"
    assert not {"ports", "expose", "networks", "links", "extra_hosts"} & SERVER.keys()
    assert GATEWAY.keys() == {"environment"}
    bound = (SERVER["environment"]["POWERCONTEXT_SERVER_HTTP_HOST"], _port())
    url = GATEWAY["environment"][PREFIX + "BASE_URL"]
    assert url == "http://{}:{}".format(*bound) == f"http://127.0.0.1:{_port()}"


def _port() -> str:
    port: str = SERVER["environment"]["POWERCONTEXT_SERVER_HTTP_PORT"]
    return port


def test_it_is_restarted_and_keeps_its_data() -> None:
    assert SERVER["restart"] == "unless-stopped"
    assert SERVER["depends_on"] == {"gateway": {"condition": "service_started"}}
    (mount,) = SERVER["volumes"]
    volume, _, folder = mount.partition(":")
    assert volume in COMPOSE["volumes"]
    assert f":///{folder}/" in SERVER["environment"]["POWERCONTEXT_SERVER_DATABASE_URL"]


def test_the_one_secret_comes_from_outside_and_must_be_there() -> None:
    for service in (SERVER, GATEWAY):
        for name, value in service["environment"].items():
            assert type(value) is str  # YAML would make a number or a truth value of it
            assert not _SECRET.search(name) or _VARIABLE.fullmatch(value), name
        with pytest.raises(LookupError, match="put it into"):
            _interpolated(service, {})
    server, gateway = (_interpolated(service, FILLED) for service in (SERVER, GATEWAY))
    assert server["POWERCONTEXT_SERVER_AUTH_TOKEN"] == gateway[PREFIX + "TOKEN"]
    for value in GIVEN.values():
        assert re.fullmatch(r"<[^<>]+>", value)


def test_every_variable_is_a_setting_and_they_make_a_binding() -> None:
    known = {PREFIX + field.name.upper() for field in dataclasses.fields(Settings)}
    assert GATEWAY["environment"].keys() <= known
    assert GIVEN.keys() == FILLED.keys()
    settings = Settings.from_environment(_interpolated(GATEWAY, FILLED))
    assert (settings.scope_id, settings.warnings) == (FILLED[PREFIX + "SCOPE_ID"], ())


def test_the_server_accepts_its_environment(tmp_path: Path) -> None:
    written = tmp_path / "powercontext.environment"
    environment = _interpolated(SERVER, FILLED)
    written.write_text("".join(f"{name}={value}\n" for name, value in environment.items()))
    said = subprocess.run(
        [_beside("powercontext"), "config", "validate", "--env-file", str(written)],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "Configuration is valid" in said


def _beside(command: str) -> str:
    return str(Path(sys.executable).with_name(command))


def test_healthy_is_a_ready_server_and_a_gateway_in_the_same_namespace(
    powercontext_141: PowerContextServer,
) -> None:
    check = SERVER["healthcheck"]
    assert {"interval", "timeout", "retries", "start_period"} <= check.keys()
    kind, interpreter, option, script = check["test"]
    assert (kind, interpreter, option) == ("CMD", "python", "-c")
    assert script.count(f"127.0.0.1:{_port()}/") == script.count("127.0.0.1:8001/") == 1

    def healthy(server: str, gateway: str) -> bool:
        here = script.replace(f"http://127.0.0.1:{_port()}", server)
        here = here.replace("http://127.0.0.1:8001", gateway)
        done = subprocess.run([sys.executable, "-c", here], capture_output=True, check=False)
        return done.returncode == 0

    with HostileServer(by_path({"GET /health": answer()})) as gateway:
        assert healthy(powercontext_141.base_url, gateway.base_url)
        with HostileServer(answer(503)) as not_ready:
            assert not healthy(not_ready.base_url, gateway.base_url)
    assert not healthy(powercontext_141.base_url, gateway.base_url)  # gone


def test_the_scope_is_made_as_the_readme_says(powercontext_141: PowerContextServer) -> None:
    (command,) = [block for block in README.blocks_in("sh") if "scope create" in block]
    words = shlex.split(command)
    assert words[:5] == ["compose", "exec", "powercontext", "sh", "-c"]
    script = words[5].replace("http://127.0.0.1:8000", powercontext_141.base_url)
    said = subprocess.run(
        ["sh", "-c", script],
        env={
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(powercontext_141.data_dir),
            "POWERCONTEXT_SERVER_AUTH_TOKEN": powercontext_141.token,
        },
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert re.search(r'"scope_id": ?"scp_', said)


def test_the_readme_is_true_to_the_files_and_says_what_was_not_tried() -> None:
    assert "No Docker engine ran" in README.text
    for block in README.blocks_in("sh"):
        subprocess.run(["bash", "-n", "-c", block], check=True)
    for name in ("docker-compose.powercontext.yaml", "gateway.environment.example"):
        assert f"`{name}`" in README.text
        assert (EXAMPLE / name).is_file()
    for link in README.links:
        path, _, anchor = link.partition("#")
        target = Page((EXAMPLE / path).resolve())
        assert not anchor or anchor in target.anchors, link
    assert refused(EXAMPLE) == []
