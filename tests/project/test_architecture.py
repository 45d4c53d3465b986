# SPDX-License-Identifier: Apache-2.0
"""The arrows of DESIGN 3 hold: who imports whom, and one place for each concern."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "powercontext_deerflow"
LEAVES = {"errors", "deadline", "version", "fork", "edge"}

# Each module and what it may import of this package, besides the leaves.
ARROWS: dict[str, set[str]] = {
    "errors": set(),
    "deadline": set(),
    "version": set(),
    "fork": set(),
    "edge": set(),
    "identity": set(),
    "text": set(),
    "settings": {"setting_values"},
    "setting_values": {"identity"},
    "wire": {"wire.decoding", "wire.memory", "wire.recall", "wire.server"},
    "wire.records": {"wire.decoding", "wire.memory"},
    "wire.decoding": set(),
    "wire.memory": {"wire.decoding"},
    "wire.recall": {"text", "wire.decoding"},
    "wire.server": {"wire.decoding"},
    "citations": {"wire"},
    "outcomes": {"citations", "wire"},
    "events": {"telemetry"},
    "telemetry": set(),
    "breaker": set(),
    "focus": {"text"},
    "arguments": {"settings", "text", "wire", "wire.records"},
    "recalling": {"exchanges", "focus", "outcomes", "settings", "transport", "wire"},
    "transport": {"transport.connection", "transport.engine"},
    "transport.waiting": set(),
    "transport.places": set(),
    "transport.calls": {"transport.waiting"},
    "transport.threads": {"transport.calls", "transport.places"},
    "transport.tls": {"transport.calls", "transport.threads"},
    "transport.connection": {"transport.tls", "transport.waiting"},
    "transport.network": {
        *("transport.calls", "transport.threads", "transport.tls", "transport.waiting"),
    },
    "transport.pool": {"transport.connection", "transport.places", "transport.threads"},
    "transport.engine": {
        *("settings", "transport.connection", "transport.network", "transport.pool"),
        *("transport.threads", "transport.tls"),
    },
    "transport.seam": {"transport.connection", "transport.engine"},
    "exchanges": {"wire", "transport"},
    "words": set(),
    "lookup": {"exchanges", "records", "transport", "wire", "wire.records", "words"},
    "saving": {"wire", "exchanges", "lookup", "outcomes", "transport"},
    "records": {"exchanges", "outcomes", "transport", "wire", "wire.records"},
    "lifecycle": {
        *("arguments", "settings", "transport", "transport.calls", "transport.seam"),
        "transport.threads",
    },
    "client": {
        *("arguments", "exchanges", "lifecycle", "outcomes", "recalling", "records", "saving"),
        *("settings", "text", "transport.calls", "wire"),
    },
    "runtime": {
        "breaker",
        "client",
        "events",
        "identity",
        "outcomes",
        "settings",
        "text",
        "transport",
        "wire",
    },
    "findings": set(),
    "host_check": {"findings"},
    "host_yaml": set(),
    "config_check": {"host_yaml", "settings"},
    "visit": {"client", "settings", "transport"},
    "write_probe": {"wire", "findings", "outcomes", "visit"},
    "doctor": {
        *("exchanges", "write_probe", "client", "findings", "host_check", "outcomes", "settings"),
        *("text", "transport", "transport.network", "transport.tls", "visit", "wire"),
    },
    "cli": {"findings", "doctor", "config_check", "host_check"},
    "memory": {"runtime", "events", "settings"},
    "extension": {"runtime", "outcomes", "text", "wire"},
    "__init__": {"citations", "client", "settings", "outcomes", "wire", "extension"},
}

# A concern, and the only rooms that may import it.
ONE_PLACE = {
    "time": {"deadline"},
    "httpx": {"transport.seam"},
    "h11": {"transport.connection", "transport.engine"},
    "certifi": {"transport.tls"},
    "socket": {"transport.connection", "transport.network", "transport.tls", "transport.waiting"},
    "select": {"transport.waiting"},
    "_thread": {"transport.calls", "transport.pool", "transport.threads"},
    "deerflow": {"memory"},
    "deerflow_extension_api": {"extension"},
    "langchain_core": {"extension"},
    "pydantic": {"memory"},
    "powercontext_openapi": {"lifecycle"},
    "yaml": {"host_yaml"},
    "opentelemetry": {"telemetry"},
    "logging": {"events", "runtime"},
}


def modules() -> dict[str, Path]:
    return {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def imports(path: Path) -> set[str]:
    """Every module that ``path`` imports, also inside functions; ``from x import y`` counts x.y as well."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            found |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("name", list(modules()))
def test_imports_follow_the_arrows(name: str) -> None:
    known = modules()
    own = {
        module.removeprefix("powercontext_deerflow.")
        for module in imports(known[name])
        if module.startswith("powercontext_deerflow.")
    } & known.keys()
    assert own <= ARROWS[name] | LEAVES, f"{name} imports {own - ARROWS[name] - LEAVES}"


def test_no_arrow_goes_in_a_circle() -> None:
    def reach(name: str, seen: tuple[str, ...]) -> None:
        assert name not in seen, " -> ".join((*seen, name))
        for target in ARROWS[name]:
            reach(target, (*seen, name))

    for name in ARROWS:
        reach(name, ())


@pytest.mark.parametrize("concern", list(ONE_PLACE))
def test_each_concern_has_one_place(concern: str) -> None:
    users = {
        name
        for name, path in modules().items()
        if any(module == concern or module.startswith(concern + ".") for module in imports(path))
    }
    assert users == ONE_PLACE[concern]


@pytest.mark.parametrize(
    ("word", "rooms"),
    [("environ", {"settings"}), ("getenv", set()), ("from_dict", set()), ("parsed", set())],
)
def test_environment_and_generated_parsing_stay_where_they_belong(
    word: str, rooms: set[str]
) -> None:
    users = {
        name
        for name, path in modules().items()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr == word
    }
    assert users == rooms


@pytest.mark.parametrize("name", list(modules()))
def test_a_room_can_be_read_in_one_sitting(name: str) -> None:
    source = modules()[name].read_text()
    assert len(source.splitlines()) <= 280
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno <= 45, f"{name}.{node.name} is too long"


def test_hand_written_files_name_their_licence() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert tracked
    for file in tracked:
        if not file.startswith("generated/"):
            assert (ROOT / file).read_text().startswith("# SPDX-License-Identifier: Apache-2.0"), (
                file
            )


def test_importing_the_package_imports_no_dependency() -> None:
    """The SDK, without DeerFlow: nothing heavy before first use, and no host package at all."""
    script = (
        "import sys; before = set(sys.modules); import powercontext_deerflow;"
        "heavy = {'httpx','h11','msgspec','ssl','asyncio','attrs','pydantic','deerflow'} & (set(sys.modules) - before);"
        "assert not heavy, heavy;"
        "powercontext_deerflow.PowerContext, powercontext_deerflow.Settings;"
        "late = {'httpx','pydantic','deerflow','powercontext_openapi','attrs'} & (set(sys.modules) - before);"
        "assert not late, late"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)


def test_public_names_all_resolve() -> None:
    import powercontext_deerflow

    assert sorted(powercontext_deerflow.__all__) == powercontext_deerflow.__all__
    for name in powercontext_deerflow.__all__:
        assert getattr(powercontext_deerflow, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = powercontext_deerflow.nothing
