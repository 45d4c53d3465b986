# SPDX-License-Identifier: Apache-2.0
"""``powercontext-deerflow config --check``: what in a DeerFlow ``config.yaml`` would not work, line by line.

Reads nodes, not values, so that every report has its line (facts: deerflow-host 0.6 to 0.8, 1.4). Changes nothing, and
repeats nothing of the file, because that is where secrets turn up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml  # every DeerFlow has it; the SDK does not need it
from yaml.nodes import (
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
)

SENTENCES: Final = {
    "unreadable": "the file cannot be read",
    "not_yaml": "DeerFlow cannot read this as YAML",
    "not_a_mapping": "the file must hold keys and values at its top",
    "duplicate_key": "this block is here twice, and only one of them counts; merge them",
    "memory_missing": "there is no memory: block; see `powercontext-deerflow config`",
    "manager_class_missing": "set memory.manager_class; DeerFlow's own backend is used without it",
    "manager_class_wrong": "use powercontext_deerflow.memory:PowerContextMemoryManager",
    "mode_unsupported": "set memory.mode to middleware; recall is off otherwise",
    "memory_disabled": "memory.enabled is false, so nothing is recalled",
    "injection_disabled": "memory.injection_enabled is false, so nothing is recalled",
    "leftover_key": "remove this key of another memory backend",
    "private_map_not_empty": "remove this: the binding comes from the Gateway's environment only",
    "secret_in_yaml": "take this secret out of the file, which the Gateway shows to its users",
    "plugin_missing": "add the plugin `use: powercontext_deerflow:install`; see `config`",
    "plugins_not_a_list": "plugins: must be a list",
    "plugin_use_wrong": "use powercontext_deerflow:install",
    "plugin_disabled": "the plugin is disabled, so the remember tool is absent",
    "plugin_duplicate": "remove this second entry of the plugin",
    "anchor_in_plugins": "an anchor here is used outside plugins:, which breaks this file"
    " after the next extension command; write the value out there",
}
"""Every code, with its sentence and what to do."""

_MANAGERS = {
    "powercontext_deerflow.memory:PowerContextMemoryManager",
    "powercontext_deerflow.memory.PowerContextMemoryManager",
}
_INSTALLS = {"powercontext_deerflow:install", "powercontext_deerflow.extension:install"}
_FALSE = {"false", "no", "off", "n", "f", "0"}
# Of DeerFlow's own backend; the host moves them into backend_config (facts: deerflow-host 1.4).
_LEFTOVER = re.compile(
    r"storage_class|debounce_seconds|max_facts|fact_confidence_threshold|max_injection_tokens|token_counting"
    r"|guaranteed_\w+|staleness_\w+|consolidation_\w+|model_name"
)
_SECRET = re.compile(
    r"powercontext_deerflow_|.*(secret|password|api_?key|token(?!s|_count|_budget|izer))"
)
_MERGE = "tag:yaml.org,2002:merge"
_TEXT = "tag:yaml.org,2002:str"

Entries = dict[str, tuple[Node, Node]]


@dataclass(frozen=True, slots=True, order=True)
class Report:
    line: int
    code: str


def check(path: str) -> list[Report]:
    """Every report on the file, by line."""
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError):
        return [Report(1, "unreadable")]
    try:
        root = yaml.compose(data, Loader=yaml.SafeLoader)
        return sorted(set(_reports(root)))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        return [Report(mark.line + 1 if mark else 1, "not_yaml")]


def _reports(root: Node | None) -> Iterator[Report]:
    if not isinstance(root, MappingNode):
        yield Report(1, "not_a_mapping")
        return
    seen = set()
    for key, _ in root.value:
        if key.value in ("memory", "plugins") and key.value in seen:
            yield _at(key, "duplicate_key")
        seen.add(str(key.value))
    entries = _entries(root)
    yield from _memory(entries)
    yield from _plugins(entries)
    for block in ("memory", "plugins"):
        if block in entries:
            yield from _secrets(entries[block][1])
    if "plugins" in entries:
        yield from _anchors(root, *entries["plugins"])


def _memory(top: Entries) -> Iterator[Report]:
    key, block = top.get("memory", (None, None))
    if not isinstance(block, MappingNode):
        yield _at(key, "memory_missing")
        return
    memory = _entries(block)
    if "manager_class" not in memory:
        yield _at(key, "manager_class_missing")
    elif memory["manager_class"][1].value not in _MANAGERS:
        yield _at(memory["manager_class"][0], "manager_class_wrong")
    if "mode" in memory and memory["mode"][1].value != "middleware":
        yield _at(memory["mode"][0], "mode_unsupported")
    for name, code in (("enabled", "memory_disabled"), ("injection_enabled", "injection_disabled")):
        if _is_off(memory, name):
            yield _at(memory[name][0], code)
    for name, (at, _) in memory.items():
        if _LEFTOVER.fullmatch(name):
            yield _at(at, "leftover_key")
    yield from _private(memory, "backend_config", allowed={"storage_path"})


def _plugins(top: Entries) -> Iterator[Report]:
    key, block = top.get("plugins", (None, None))
    if key is not None and not isinstance(block, SequenceNode):
        yield _at(key, "plugins_not_a_list")
        return
    entries = [_entries(node) for node in block.value] if block is not None else []
    ours = [entry for entry in entries if _use(entry).startswith("powercontext_deerflow")]
    if not ours:
        yield _at(key, "plugin_missing")
    for position, entry in enumerate(ours):
        at, use = entry["use"]
        if position:
            yield _at(at, "plugin_duplicate")
        if use.value not in _INSTALLS:
            yield _at(at, "plugin_use_wrong")
        if _is_off(entry, "enabled"):
            yield _at(entry["enabled"][0], "plugin_disabled")
        yield from _private(entry, "config", allowed=set())


def _private(owner: Entries, name: str, allowed: set[str]) -> Iterator[Report]:
    """A map that must be empty; each key in it is reported where it stands."""
    key, value = owner.get(name, (None, None))
    if isinstance(value, MappingNode):
        for inner, (at, _) in _entries(value).items():
            if inner not in allowed:
                yield _at(at, "private_map_not_empty")
    elif value is not None and value.value not in ("", "null", "~"):
        yield _at(key, "private_map_not_empty")


def _secrets(block: Node) -> Iterator[Report]:
    for node in _walk(block):
        for name, (at, value) in _entries(node).items():
            literal = isinstance(value, ScalarNode) and value.tag == _TEXT and value.value
            named = _SECRET.match(name.lower().replace("-", "_"))
            # `api_key_env: NAME` and `$NAME` point to the environment, as they should.
            if literal and named and not name.endswith("_env") and value.value[0] != "$":
                yield _at(at, "secret_in_yaml")


def _anchors(root: MappingNode, key: Node, plugins: Node) -> Iterator[Report]:
    """An alias and its anchor are one node; an anchor is inside if it stands after the key of the block."""
    inside = {id(node): node for node in _walk(plugins)}
    for other_key, other in root.value:
        if other_key is not key:
            for node in _walk(other):
                if id(node) in inside and node.start_mark.index > key.start_mark.index:
                    yield _at(node, "anchor_in_plugins")
                    break


def _walk(block: Node) -> Iterator[Node]:
    """Every node once, outermost first, however aliases repeat or nest it."""
    seen: set[int] = set()
    waiting = [block]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, MappingNode):
            waiting += [part for pair in reversed(node.value) for part in reversed(pair)]
        elif isinstance(node, SequenceNode):
            waiting += reversed(node.value)


def _entries(node: Node) -> Entries:
    """Keys and values of a mapping, its merges (``<<``) included; nothing for any other node."""
    merged: Entries = {}
    own: Entries = {}
    for key, value in node.value if isinstance(node, MappingNode) else ():
        if key.tag == _MERGE:
            for source in value.value if isinstance(value, SequenceNode) else [value]:
                merged = {**_entries(source), **merged}
        elif isinstance(key, ScalarNode):
            own[key.value] = (key, value)
    return {**merged, **own}


def _use(entry: Entries) -> str:
    return str(entry["use"][1].value) if "use" in entry else ""


def _is_off(entries: Entries, name: str) -> bool:
    return name in entries and str(entries[name][1].value).lower() in _FALSE


def _at(node: Node | None, code: str) -> Report:
    return Report(node.start_mark.line + 1 if node is not None else 1, code)
