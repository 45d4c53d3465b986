# SPDX-License-Identifier: Apache-2.0
"""The command: usage, the one table of codes, and the faults that are found before anything is sent."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Callable
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import deerflow_extension_api as extension_api
import pytest
from deerflow.agents.memory.manager import MemoryManager
from deerflow.extensions import registry

from powercontext_deerflow.doctor import checks as doctor
from powercontext_deerflow.doctor import host as host_check
from powercontext_deerflow.doctor.command import main
from powercontext_deerflow.doctor.findings import CODES, Finding
from powercontext_deerflow.settings import PREFIX
from powercontext_deerflow.transport import UNREACHABLE
from tests.support.bound import NOWHERE, TOKEN, bind

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "powercontext_deerflow"


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, str]]:
    """What ``doctor --json`` finds, by code; it always says faults, and never the token."""
    assert main(["doctor", "--json"]) == 1
    captured = capsys.readouterr()
    assert TOKEN not in captured.out + captured.err
    document = json.loads(captured.out)
    assert document["healthy"] is False
    return {found["code"]: found for found in document["findings"]}


# --- usage


@pytest.mark.parametrize(
    "arguments", [[], ["nurse"], ["doctor", "--jsn"], ["config", "--check"], ["doctor", "now"]]
)
def test_bad_usage_is_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "usage: powercontext-deerflow" in capsys.readouterr().err


# --- the one table


def test_every_fault_has_a_next_step_of_its_own_code() -> None:
    faults = {code: row for code, row in CODES.items() if row[0] == "fault"}
    assert len(faults) >= 25
    for code, (_, sentence, next_step) in faults.items():
        assert re.fullmatch(r"[a-z0-9_]+", code)
        assert sentence.endswith(".")
        assert next_step.endswith((".", ")")), code
    assert len({sentence for _, sentence, _ in faults.values()}) == len(faults)


def test_every_reason_code_of_the_package_is_in_the_table() -> None:
    """What settings, transport and decoding can raise has a row; a new code without one fails here."""
    for file in ("settings.py", "setting_values.py"):
        refused = constants(file, {"Unusable": 0, "Problem": 1})
        assert refused
        assert refused <= CODES.keys()
    assert CODES.keys() >= UNREACHABLE
    stage = re.compile(r"(dns|connect|tls|answer|connection|protocol|no_connection)_[a-z_]+")
    for path in sorted((PACKAGE / "transport").glob("*.py")):
        strings = constants(f"transport/{path.name}", None)
        assert {text for text in strings if stage.fullmatch(text)} <= CODES.keys()
    for file in ("api/calls.py", "api/wire/recall.py", "api/wire/codec.py"):
        raised = constants(file, {"AnswerError": 0})
        assert raised
        assert raised <= CODES.keys()


def constants(file: str, calls: dict[str, int] | None) -> set[str]:
    """String constants of a module; with ``calls``, only the argument at that place of those calls."""
    found = set()
    for node in ast.walk(ast.parse((PACKAGE / file).read_text())):
        if calls is None and isinstance(node, ast.Constant):
            found.add(node.value)
        elif calls and isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            place = calls.get(node.func.id)
            argument = node.args[place] if place is not None and len(node.args) > place else None
            if isinstance(argument, ast.Constant):
                found.add(argument.value)
    return {text for text in found if isinstance(text, str)}


# --- settings


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("TOKEN", None, "missing"),
        ("BASE_URL", None, "missing"),
        ("SCOPE_ID", "", "blank"),
        ("OWNER_USER_ID", " u", "padded"),
        ("SCOPE_ID", "s\tx", "control_characters"),
        ("BASE_URL", "memory.example.com", "not_a_url"),
        ("BASE_URL", "https://u:p@memory.example.com", "url_with_credentials"),
        ("BASE_URL", "https://memory.example.com/?a=b", "url_with_query"),
        ("BASE_URL", "http://memory.example.com", "insecure_transport"),
        ("SCOPE_ID", "s" * 257, "too_long"),
        ("TOKEN", f"Bearer {TOKEN}", "token_with_scheme"),
        ("TOKEN", f"{TOKEN} {TOKEN}", "token_not_plain"),
        ("OWNER_USER_ID", "Default", "owner_is_fallback"),
        ("MAX_BYTES", "511", "out_of_range"),
        ("RECALL_TIMEOUT_SECONDS", "0", "not_positive"),
        ("RECALL_TIMEOUT_SECONDS", "1e9", "timeout_too_long"),
        ("REMEMBER_TIMEOUT_SECONDS", "soon", "not_a_number"),
        ("RECALL_FOCUS", "maybe", "not_on_or_off"),
        ("CA_FILE", "/absent.pem", "ca_file_unreadable"),
    ],
)
def test_each_unusable_setting_is_a_fault_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    value: str | None,
    code: str,
) -> None:
    bind(monkeypatch, **{"base_url": NOWHERE, name.lower(): value})
    findings = told(capsys)
    fault = findings.pop(code)
    assert fault["check"] == "settings"
    assert PREFIX + name in fault["detail"]
    assert fault["next_step"]
    assert not [found for found in findings.values() if found["level"] == "fault"]
    assert "settings_ok" not in findings
    assert "dns_ok" not in findings


def test_all_unusable_settings_are_told_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DEER_FLOW_AUTH_DISABLED", "1")
    bind(monkeypatch, max_bytes="many", token=None)
    assert {"missing", "not_a_number", "auth_disabled"} <= told(capsys).keys()
    assert main(["doctor"]) == 1
    assert capsys.readouterr().out.endswith("\ndoctor: 3 faults\n")


# --- this process and its host


def no_query(self: object, user_id: str | None, *, agent_name: str | None = None) -> str:
    """Recall's signature before DeerFlow 2026-09."""
    return agent_name or ""


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("host_too_old", lambda m: m.setattr(extension_api, "API_VERSION", "0.1.2")),
        ("host_too_old", lambda m: m.delattr(extension_api, "ModelTool")),
        ("host_too_old", lambda m: m.delattr(extension_api, "API_VERSION")),
        ("unexpected_failure", lambda m: m.setattr(extension_api, "API_VERSION", "9" * 5000)),
        ("unexpected_failure", lambda m: m.setattr(MemoryManager, "get_context", None)),
        ("host_too_new", lambda m: m.setattr(extension_api, "API_VERSION", "0.3.0")),
        (
            "registry_without_plugin",
            lambda m: m.setattr(registry, "ExtensionRegistry", registry.RegistryWithoutPlugin),
        ),
        ("host_passes_no_query", lambda m: m.setattr(MemoryManager, "get_context", no_query)),
        (
            "host_not_importable",
            lambda m: m.setitem(sys.modules, "deerflow.extensions.registry", None),
        ),
        (
            "manager_not_importable",
            lambda m: m.setitem(sys.modules, "powercontext_deerflow.memory", None),
        ),
        ("entry_point_missing", lambda m: m.setattr(metadata, "entry_points", lambda group: ())),
    ],
)
def test_each_fault_of_the_host(
    monkeypatch: pytest.MonkeyPatch, code: str, change: Callable[[pytest.MonkeyPatch], None]
) -> None:
    change(monkeypatch)
    findings = list(host_check.process())
    assert [found.code for found in findings if found.level == "fault"] == [code]
    assert "host_ok" not in {found.code for found in findings} or code == "entry_point_missing"


@pytest.mark.parametrize("version", ["0.2.2", "0.2.3", "0.2.10"])
def test_a_host_as_needed(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(extension_api, "API_VERSION", version)
    codes = [found.code for found in host_check.process()]
    assert codes == ["python_ok", "packages_ok", "host_ok", "entry_point_ok"]


def test_without_a_host_nothing_is_claimed_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "deerflow", None)
    found = next(found for found in host_check.process() if found.check == "host")
    assert (found.code, found.level) == ("host_absent", "skipped")
    assert "interpreter" in found.next_step


def test_an_absent_package(monkeypatch: pytest.MonkeyPatch) -> None:
    version = metadata.version

    def without_h11(name: str) -> str:
        if name == "h11":
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", without_h11)
    found = next(found for found in host_check.process() if found.check == "packages")
    assert (found.code, found.level) == ("package_missing", "fault")
    assert "h11" in found.detail


def test_what_the_host_prints_when_imported_stays_out_of_the_document(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def noisy(name: str) -> Any:
        print("a banner")
        return import_module(name)

    monkeypatch.setattr(host_check, "import_module", noisy)
    assert "host_ok" in told(capsys)


# --- output


def test_the_human_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = [
        Finding("dns", "dns_ok", "ok", "It résolves.", ""),
        Finding("tcp", "connect_failed", "fault", "It does not.", "Start it."),
    ]
    monkeypatch.setattr(doctor, "examine", lambda probe_writing: findings)
    assert main(["doctor"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "ok       dns_ok                   It résolves.",
        "fault    connect_failed           It does not.",
        "         -> Start it.",
        "doctor: 1 fault",
    ]
    findings.pop()
    assert main(["doctor"]) == 0
    assert capsys.readouterr().out.endswith("\ndoctor: healthy\n")
