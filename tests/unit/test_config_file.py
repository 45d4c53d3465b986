# SPDX-License-Identifier: Apache-2.0
"""`config --check` names the line of everything that would not work, repeats nothing, changes nothing."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from powercontext_deerflow.doctor.command import BLOCKS, main
from powercontext_deerflow.doctor.config_file import SENTENCES, check
from powercontext_deerflow.settings import PREFIX, Settings
from tests.support.cases import each_case

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


@each_case(
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


@each_case(
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


# --- as the host reads it

HOST_CANNOT = [
    (b"a: !ENV ${X}\n", 1),
    (b"a: 1\nb: !secret x\n", 2),
    (b"a:\n  b: 2024-02-30\n", 2),
    (b"a: 1\n? {a: b}\n: 1\n", 2),
    (b"a: 1\nb:\n  - {{ v }}\n", 3),
    (b"a: 1\nb:\n  <<: text\n", 3),
    (b"a:\n  <<: [text]\n", 2),
    ("a: 1\n".encode("utf-16"), 1),
    ("a: 1\n".encode("utf-16-le"), 1),
    (b"a: 1\nb: \xff\n", 2),
    (b"a: \xed\xa0\x80\n", 1),  # a surrogate
    (b"a: &x 1\nb: &x 2\n", 2),
    (b"a: 1\n? [b]\n: 1\n", 2),
    (b"a: 1\n? &k {x: *k}\n: 1\n", 2),
    (b"a: 1\n\tb: 2\n", 2),
    (b"a: 1\nb: \x00\n", 2),
    (b"a: 1\nb: " + b"[" * 5000, 2),
    (b"a: 1\nb: " + b"{x: " * 3000, 2),
    (b"- " * 3000, 1),
    (b"a: 1\nb: " + b"1" * 5000 + b"\n", 2),  # more digits than Python reads
    (b"a: 1\nb: !!int ''\n", 2),
    (b"a: 1\nb: !!bool maybe\n", 2),
    (b"a: 1\nb: !!timestamp soon\n", 2),
    (b"a: 2001-01-01T00:00:00+99:99\n", 1),
    (b"a: !!python/object:os.system x\n", 1),
    (b"a: @b\n", 1),
    (b"a: `b`\n", 1),
    (b"a: %b\n", 1),
    (b"a: b: c\n", 1),
    (b"a: 'b\n", 2),
    (b"%YAML 2.0\n---\na: 1\n", 1),
    (b"a: 1\n---\nb: 1\n", 2),
]


@each_case(("data", "line"), HOST_CANNOT)
def test_what_the_host_cannot_load_is_not_yaml(tmp_path: Path, data: bytes, line: int) -> None:
    file = tmp_path / "config.yaml"
    file.write_bytes(data)
    with pytest.raises((yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError)):
        load_as_the_host(file)
    assert reports(tmp_path, data) == [(line, "not_yaml")]


def load_as_the_host(file: Path) -> object:
    with open(file, encoding="utf-8") as opened:
        return yaml.safe_load(opened)


@each_case(
    "data",
    [
        b"\xef\xbb\xbf" + GOOD.encode(),  # the byte order mark of an editor on Windows
        GOOD.replace("\n", "\r\n").encode(),
        GOOD.replace("\n", "\r").encode(),
        GOOD.replace("enabled: true\n  mode", "enabled: Yes\n  mode").encode(),
        GOOD.replace("enabled: true\n  mode", "enabled: 1\n  mode").encode(),
        GOOD.replace("enabled: true\n  mode", 'enabled: "ON"\n  mode').encode(),
        GOOD.replace("mode: middleware", "? mode\n  : !!str middleware").encode(),
        GOOD.replace("memory:\n", '"memory":\n').encode(),
        GOOD.replace("enabled: true\n  mode", "enabled: $RECALL\n  mode").encode(),
        GOOD.replace("memory:\n", "off: 1\n1: 2\n2024-01-01: 3\nnull: 4\nmemory:\n").encode(),
        (GOOD + "deep: " + "[" * 150 + "]" * 150 + "\n").encode(),
        (GOOD + "a: &a [*a]\nb: &b {c: *b}\nd: &d {<<: *d}\n").encode(),
        (GOOD + "a: 0x" + "f" * 5000 + "\n? 0x" + "f" * 5000 + "\n: 1\n").encode(),
        GOOD.replace("api_key: $OTHER_KEY", 'api_key: "", password: null, token: 0').encode(),
        GOOD.replace("config: {}\n", "config: null\n").encode(),
    ],
)
def test_what_the_host_loads_is_judged_by_its_values(tmp_path: Path, data: bytes) -> None:
    assert reports(tmp_path, data) == []
    assert isinstance(load_as_the_host(tmp_path / "config.yaml"), dict)


@each_case(
    ("old", "new", "expected"),
    [
        (MANAGER_LINE, "  manager_class: [a]\n", [(8, "manager_class_wrong")]),
        (MANAGER_LINE, "  manager_class: {a: b}\n", [(8, "manager_class_wrong")]),
        (MANAGER_LINE, "  manager_class:\n", [(8, "manager_class_wrong")]),
        (MANAGER_LINE, "  manager_class: 1\n", [(8, "manager_class_wrong")]),
        ("mode: middleware", "mode:", [(6, "mode_unsupported")]),
        ("mode: middleware", "mode: [middleware]", [(6, "mode_unsupported")]),
        ("enabled: true\n  mode", "enabled: off\n  mode", [(5, "memory_disabled")]),
        ("enabled: true\n  mode", "enabled: 0\n  mode", [(5, "memory_disabled")]),
        ("enabled: true\n  mode", "enabled: 'F'\n  mode", [(5, "memory_disabled")]),
        ("enabled: true\n  mode", "enabled:\n  mode", [(5, "not_true_or_false")]),
        ("enabled: true\n  mode", "enabled: 2\n  mode", [(5, "not_true_or_false")]),
        ("enabled: true\n  mode", "enabled: [yes]\n  mode", [(5, "not_true_or_false")]),
        ("injection_enabled: true", "injection_enabled: {}", [(7, "not_true_or_false")]),
        ("enabled: true\n    config", "enabled: maybe\n    config", [(16, "not_true_or_false")]),
        ("use: powercontext_deerflow:install", "use: [a]", [(10, "plugin_missing")]),
        (OURS, "  - text\n  - 1\n  -\n", [(10, "plugin_missing")]),
        (GOOD[GOOD.index("plugins:") :], "plugins: !!set {a}\n", [(10, "plugins_not_a_list")]),
        ("backend_config: {}", "backend_config: [a]", [(9, "private_map_not_empty")]),
        (
            "backend_config: {}",
            "backend_config: {storage_path: x, max_facts: 1, 2: 3, model_name: y}",
            [(9, "leftover_key")],
        ),
        (
            "backend_config: {}",
            "backend_config:\n    POWERCONTEXT_DEERFLOW_SCOPE_ID: s\n    Base_URL: x",
            [(10, "private_map_not_empty"), (11, "private_map_not_empty")],
        ),
    ],
)
def test_values_of_every_type_are_judged(
    tmp_path: Path, old: str, new: str, expected: list[tuple[int, str]]
) -> None:
    found = reports(tmp_path, edited(old, new))
    assert [one for one in found if one[1] != "secret_in_yaml"] == expected


def test_what_another_backend_left_is_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(edited("backend_config: {}", "backend_config: {max_facts: 100}"))
    assert main(["config", "--check", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}:9: leftover_key: {SENTENCES['leftover_key']}\n"


# --- within a second

_PLUGINS = ", ".join(f"k{n}: 1" for n in range(2000))
SLOW = {
    "merges that double": "m0: &m0 {a: 1}\n"
    + "".join(f"m{n}: &m{n}\n  <<: [*m{n - 1}, *m{n - 1}]\n" for n in range(1, 40)),
    "merges of many": "m: &m {" + "".join(f"k{n}: 1, " for n in range(10)) + "}\n"
    "x: &x {<<: [" + "*m, " * 900 + "]}\ny: {<<: [" + "*x, " * 9000 + "]}\n",
    "merges in a chain": "m0: &m0 {a: 1}\n"
    + "".join(f"m{n}: &m{n} {{<<: *m{n - 1}, k{n}: 1}}\n" for n in range(1, 1800)),
    "a key of nested aliases": "a0: &a0 [x]\n"
    + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30))
    + "? *a29\n: 1\n",
    "open brackets": "[" * 65536,
    "open braces": "{" * 65536,
    "open keys": "a: " * 21845,
    "question marks": "? " * 32768,
    "dashes": "- " * 32768,
    "deep and closed": "x:\n" + ("- " + "[" * 300 + "]" * 300 + "\n") * 108,
    "deep and wide": "x:\n" + ("- " + "[" * 99 + "a," * 300 + "]" * 99 + "\n") * 80,
    "many items": "- a\n" * 16384,
    "many flow keys": "x: [" + "a: ," * 16300 + "]",
    "an alias in every line": "plugins:\n- &p {"
    + _PLUGINS
    + "}\n"
    + "".join(f"o{n}: *p\n" for n in range(4000)),
    "a long number": "a: 1" + ":1" * 32000,
    "a long key": "memory:\n  ? " + "secretpasswordapi_keytoken" * 2500 + "\n  : 1\n",
    "a long leftover": "memory:\n  ? " + "guaranteed_" * 5900 + "!\n  : 1\n",
    "a long scalar": "a: " + "a " * 32000,
    "comments": "# a\n" * 16384,
    "directives": "".join(f"%TAG !a{n}! b\n" for n in range(4500)) + "--- {}\n",
}


def costs(file: Path, text: str) -> Iterator[float]:
    """Seconds of processor time for 64 KiB of ``text``, three times: the least of them is its cost."""
    file.write_text(text[:65536])
    for _ in range(3):
        started = time.process_time()
        check(str(file))
        yield time.process_time() - started


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> float:
    """What the same amount of plain keys and values costs: a second on no machine that runs DeerFlow."""
    lines = "".join(f"key_{number}: value of it\n" for number in range(2600))
    return min(costs(tmp_path_factory.mktemp("ordinary") / "config.yaml", GOOD + lines))


@each_case("name", SLOW)
def test_no_file_costs_many_times_an_ordinary_one(
    tmp_path: Path, ordinary: float, name: str
) -> None:
    file = tmp_path / "config.yaml"
    assert any(cost < 8 * ordinary for cost in costs(file, SLOW[name]))


@each_case("name", ["open brackets", "open braces"])
def test_what_is_never_closed_costs_less_than_an_ordinary_file(
    tmp_path: Path, ordinary: float, name: str
) -> None:
    """Each bracket may begin a key, and none of those before it is looked at again."""
    assert any(cost < 1.5 * ordinary for cost in costs(tmp_path / "config.yaml", SLOW[name]))


def test_what_grows_beyond_any_config_is_said(tmp_path: Path) -> None:
    assert reports(tmp_path, "x:\n" + "- a\n" * 20_001) == [(19_997, "too_complex")]
    assert reports(tmp_path, SLOW["merges of many"]) == [(2, "too_complex")]
    assert reports(tmp_path, SLOW["a long number"]) == [(1, "too_complex")]


def test_a_dense_file_of_64_kb_is_checked_to_its_end(tmp_path: Path) -> None:
    text = GOOD + "".join(f"k{n}: v\n" for n in range(7000)) + "memory: {}\n"
    assert (7018, "duplicate_key") in reports(tmp_path, text)


def test_what_is_too_large_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    with open(file, "wb") as opened:
        opened.truncate(1 << 40)  # a terabyte of nothing
    assert [(one.line, one.code) for one in check(str(file))] == [(1, "too_large")]
    assert [one.code for one in check("/dev/zero")] == ["too_large"]
    assert reports(tmp_path, GOOD + "#" * (256 * 1024 - len(GOOD))) == []
    assert reports(tmp_path, GOOD + "#" * (256 * 1024 - len(GOOD) + 1)) == [(1, "too_large")]


@each_case(
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
