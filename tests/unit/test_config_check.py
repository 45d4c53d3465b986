# SPDX-License-Identifier: Apache-2.0
"""`config --check` names the line of everything that would not work, repeats nothing, changes nothing."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import yaml

from powercontext_deerflow.cli import BLOCKS, main
from powercontext_deerflow.config_check import SENTENCES, check
from powercontext_deerflow.settings import PREFIX, Settings

YAML_BLOCK = BLOCKS.partition("# Environment")[0]
CANARY = "pct_zQ7secretzQ7"
GOOD = """\
models:
  - name: some-model
    api_key: $OPENAI_API_KEY
memory:
  enabled: true
  mode: middleware
  injection_enabled: true
  manager_class: powercontext_deerflow.memory:PowerContextMemoryManager
  backend_config: {}
plugins:
  - use: other_plugin:install
    enabled: false
    config: {label: x, base_url: https://example.com, api_key: $OTHER_KEY}
  - name: powercontext
    use: powercontext_deerflow:install
    enabled: true
    config: {}
"""
MANAGER_LINE = "  manager_class: powercontext_deerflow.memory:PowerContextMemoryManager\n"
OURS = GOOD[GOOD.index("  - name: powercontext") :]


def reports(tmp_path: Path, text: str | bytes) -> list[tuple[int, str]]:
    file = tmp_path / "config.yaml"
    data = text.encode() if isinstance(text, str) else text
    file.write_bytes(data)
    found = [(report.line, report.code) for report in check(str(file))]
    assert file.read_bytes() == data
    return found


def edited(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        YAML_BLOCK,
        edited("memory:PowerContext", "memory.PowerContext"),  # the host resolves both spellings
        edited("backend_config: {}", "backend_config: {storage_path: /data}"),
        edited("backend_config: {}", "backend_config:"),
        edited("backend_config: {}\n", "backend_config: {}\n  retrieval_top_k: 3\n"),
        edited("some-model", "&m some-model").replace("label: x", "label: *m"),
        "defaults: &d\n" + MANAGER_LINE + edited(MANAGER_LINE, "  <<: *d\n"),  # merged keys count
        edited("label: x", "max_tokens: many, token_count: some, api_key_env: OTHER_KEY"),
    ],
)
def test_a_working_file_is_left_in_peace(tmp_path: Path, text: str) -> None:
    assert reports(tmp_path, text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (edited(MANAGER_LINE, "  manager_class: deermem\n"), [(8, "manager_class_wrong")]),
        (edited(MANAGER_LINE, ""), [(4, "manager_class_missing")]),
        (edited("mode: middleware", "mode: tool"), [(6, "mode_unsupported")]),
        (edited("  enabled: true\n  mode", "  enabled: no\n  mode"), [(5, "memory_disabled")]),
        (
            edited("injection_enabled: true", "injection_enabled: False"),
            [(7, "injection_disabled")],
        ),
        (
            edited("backend_config: {}", "backend_config:\n    scope_id: s\n    max_facts: 9"),
            [(10, "private_map_not_empty"), (11, "leftover_key")],
        ),
        (
            edited("true\n    config: {}", "true\n    config:\n      base_url: https://x"),
            [(18, "private_map_not_empty")],
        ),
        (edited("true\n    config: {}", "true\n    config: text"), [(17, "private_map_not_empty")]),
        (
            edited("backend_config: {}\n", "backend_config: {}\n  max_facts: 100\n"),
            [(10, "leftover_key")],
        ),
        (
            edited("backend_config: {}\n", "backend_config: {}\n  staleness_age_days: 9\n"),
            [(10, "leftover_key")],
        ),
        (
            edited("    enabled: true\n    config", "    enabled: false\n    config"),
            [(16, "plugin_disabled")],
        ),
        (GOOD + OURS, [(19, "plugin_duplicate")]),
        (edited(OURS, ""), [(10, "plugin_missing")]),
        (GOOD.partition("plugins:")[0], [(1, "plugin_missing")]),
        (GOOD.partition("plugins:")[0] + "plugins: {}\n", [(10, "plugins_not_a_list")]),
        (
            edited("powercontext_deerflow:install", "powercontext_deerflow:setup"),
            [(15, "plugin_use_wrong")],
        ),
        ("plugins:\n" + OURS, [(1, "memory_missing")]),
        (
            GOOD + "memory: {}\n",
            [(18, "duplicate_key"), (18, "manager_class_missing")],
        ),
        (GOOD + GOOD[GOOD.index("plugins:") :], [(18, "duplicate_key")]),
        ("", [(1, "not_a_mapping")]),
        ("- a\n- b\n", [(1, "not_a_mapping")]),
        ("a: 1\nb: [\n", [(3, "not_yaml")]),
        ("a: *nowhere\n", [(1, "not_yaml")]),
        ("a: 1\n---\nb: 2\n", [(2, "not_yaml")]),
        (b"a: \xff\xfe\xfa\n", [(1, "not_yaml")]),
        ("a: " + "[" * 5000, [(1, "not_yaml")]),
    ],
)
def test_what_would_not_work_is_reported_where_it_stands(
    tmp_path: Path, text: str | bytes, expected: list[tuple[int, str]]
) -> None:
    assert reports(tmp_path, text) == expected


def test_an_anchor_in_plugins_used_elsewhere(tmp_path: Path) -> None:
    text = edited("label: x", "label: &shared x") + "logging:\n  name: *shared\n"
    assert reports(tmp_path, text) == [(13, "anchor_in_plugins")]
    merged = edited("config: {label", "config: &all {label") + "other:\n  <<: *all\n"
    assert reports(tmp_path, merged) == [(13, "anchor_in_plugins")]


def test_an_anchor_used_only_within_plugins_is_fine(tmp_path: Path) -> None:
    assert reports(tmp_path, edited("label: x", "label: &a x, other: *a")) == []


def test_aliases_that_nest_and_repeat_end(tmp_path: Path) -> None:
    laughs = "a0: &a0 [x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30)
    )
    text = laughs + edited("label: x", "label: *a29, self: &self [*self]")
    assert reports(tmp_path, text) == []


@pytest.mark.parametrize(
    ("where", "key", "line"),
    [
        ("backend_config: {}\n", "  auth_token: ", 10),
        ("backend_config: {}\n", "  client-secret: ", 10),
        ("backend_config: {}\n", "  POWERCONTEXT_DEERFLOW_TOKEN: ", 10),
        ("    enabled: false\n", "    api_key: ", 13),
        ("    enabled: false\n", "    options: [{apiKey: ", 13),
    ],
)
def test_a_secret_is_reported_and_never_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], where: str, key: str, line: int
) -> None:
    closing = "}]" if "[{" in key else ""
    file = tmp_path / "config.yaml"
    file.write_text(edited(where, f"{where}{key}{CANARY}{closing}\n"))
    assert main(["config", "--check", str(file)]) == 1
    told = capsys.readouterr()
    assert told.out == f"{file}:{line}: secret_in_yaml: {SENTENCES['secret_in_yaml']}\n"
    assert not told.err


def test_a_file_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    absent = tmp_path / "absent.yaml"
    assert main(["config", "--check", str(absent)]) == 1
    assert capsys.readouterr().out == f"{absent}:1: unreadable: {SENTENCES['unreadable']}\n"
    assert [report.code for report in check(str(tmp_path))] == ["unreadable"]


def test_nothing_to_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(GOOD)
    assert main(["config", "--check", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}: nothing to report\n"


def test_what_config_prints_is_what_the_host_and_we_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["config"]) == 0
    printed = capsys.readouterr().out
    block, _, environment = printed.partition("# Environment")
    assert yaml.safe_load(block) == {
        "memory": {
            "enabled": True,
            "mode": "middleware",
            "injection_enabled": True,
            "manager_class": "powercontext_deerflow.memory:PowerContextMemoryManager",
            "backend_config": {},
        },
        "plugins": [{"use": "powercontext_deerflow:install", "enabled": True, "config": {}}],
    }
    lines = [line for line in environment.splitlines() if line.startswith(PREFIX)]
    given = dict(line.split("=", 1) for line in lines) | {PREFIX + "TOKEN": CANARY}
    settings = Settings.from_environment(given)
    defaults = (field for field in dataclasses.fields(Settings) if field.name != "owner_user_id")
    for field in defaults:
        if field.default is not dataclasses.MISSING:
            assert getattr(settings, field.name) == field.default
