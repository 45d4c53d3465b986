# SPDX-License-Identifier: Apache-2.0
"""``powercontext-deerflow config --check``: what in a DeerFlow ``config.yaml`` would not work, line by line.

Judges the values that the host loads, each with its line. Changes nothing, and repeats nothing of the file, because
that is where secrets turn up.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Final

from powercontext_deerflow.doctor.findings import TABLE
from powercontext_deerflow.doctor.yaml_file import Document, Entries, Node, Unusable, load
from powercontext_deerflow.settings import PREFIX, Settings

SENTENCES: Final = {code: said["en"] for code, said in TABLE["config"].items()}
"""Every code, with its sentence and what to do."""
NOTES: Final = {code for code, said in TABLE["config"].items() if said.get("level") == "note"}
"""What harms nothing."""

_MANAGERS = {
    "powercontext_deerflow.memory:PowerContextMemoryManager",
    "powercontext_deerflow.memory.PowerContextMemoryManager",
}
_PACKAGE = "powercontext_deerflow"
_INSTALLS = {"powercontext_deerflow:install", "powercontext_deerflow.extension:install"}
_OURS = {field.name for field in fields(Settings)}
_MOST_BYTES: Final = 256 << 10
# What the host's switches take besides true and false.
_TRUE = {"true", "yes", "on", "y", "t", "1"}
_FALSE = {"false", "no", "off", "n", "f", "0"}
# Of DeerFlow's own backend; the host moves them into backend_config.
_LEFTOVER = re.compile(
    r"storage_class|debounce_seconds|max_facts|fact_confidence_threshold|max_injection_tokens|token_counting"
    r"|guaranteed_\w+|staleness_\w+|consolidation_\w+|model_name"
)
_SECRET = re.compile(
    r"^powercontext_deerflow_|secret|password|api_?key|token(?!s|_count|_budget|izer)"
)


@dataclass(frozen=True, slots=True, order=True)
class Report:
    line: int
    code: str


def check(path: str) -> list[Report]:
    """Every report on the file, by line; within a second for 64 KB."""
    try:
        data = _read(path)
    except (OSError, ValueError):
        return [Report(1, "unreadable")]
    if data is None:
        return [Report(1, "too_large")]
    try:
        # By itself, as the host reads it: no UTF-16, and no BOM taken away.
        text = data.decode("utf-8")
        document = load(io.StringIO(text, newline=None).read())
    except UnicodeDecodeError as error:
        return [Report(data.count(b"\n", 0, error.start) + 1, "not_yaml")]
    except Unusable as unusable:
        return [Report(unusable.line, unusable.code)]
    return sorted(set(_Look(document).reports()))


def _read(path: str) -> bytes | None:
    """None for more than a config.yaml can be, of which nothing is read where the size is known."""
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size > _MOST_BYTES:
            return None
        data = file.read(_MOST_BYTES + 1)
    return data if len(data) <= _MOST_BYTES else None


class _Look:
    """Everything that is reported on one document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._value = document.value
        self._entries = document.entries

    def reports(self) -> Iterator[Report]:
        root = self._document.root
        if root is None or not isinstance(self._value(root), dict):
            yield Report(1, "not_a_mapping")
            return
        seen = set()
        for key in self._document.own:
            name = self._value(key)
            if name in ("memory", "plugins") and name in seen:
                yield _at(key, "duplicate_key")
            seen.add(name)
        top = self._entries(root)
        yield from self._memory(top)
        yield from self._plugins(top)
        for block in ("memory", "plugins"):
            if block in top:
                yield from self._secrets(top[block][1])
        if "plugins" in top:
            yield from self._anchors(*top["plugins"])

    def _memory(self, top: Entries) -> Iterator[Report]:
        key, block = top.get("memory", (None, None))
        if block is None or not isinstance(self._value(block), dict):
            yield _at(key, "memory_missing")
            return
        memory = self._entries(block)
        if "manager_class" not in memory:
            yield _at(key, "manager_class_missing")
        elif self._text(memory, "manager_class") not in _MANAGERS:
            yield _at(memory["manager_class"][0], "manager_class_wrong")
        if "mode" in memory and self._text(memory, "mode") != "middleware":
            yield _at(memory["mode"][0], "mode_unsupported")
        yield from self._switch(memory, "enabled", "memory_disabled")
        yield from self._switch(memory, "injection_enabled", "injection_disabled")
        for name, (at, _) in memory.items():
            if isinstance(name, str) and _LEFTOVER.fullmatch(name):
                yield _at(at, "leftover_key")
        yield from self._backend_config(memory)

    def _backend_config(self, memory: Entries) -> Iterator[Report]:
        """The manager refuses what repeats the binding, and ignores what another backend left."""
        key, node = memory.get("backend_config", (None, None))
        value = None if node is None else self._value(node)
        if value is not None and not isinstance(value, dict):
            yield _at(key, "private_map_not_empty")
        for name, (at, _) in self._entries(node).items():
            if _words(name).lower().removeprefix(PREFIX.lower()) in _OURS:
                yield _at(at, "private_map_not_empty")
            elif name != "storage_path":
                yield _at(at, "leftover_key")

    def _plugins(self, top: Entries) -> Iterator[Report]:
        key, block = top.get("plugins", (None, None))
        items = [] if block is None else self._document.items(block)
        if items is None:
            yield _at(key, "plugins_not_a_list")
            return
        plugins = [self._entries(node) for node in items]
        ours = [one for one in plugins if self._text(one, "use").startswith(_PACKAGE)]
        if not ours:
            yield _at(key, "plugin_missing")
        for position, plugin in enumerate(ours):
            at = plugin["use"][0]
            if position:
                yield _at(at, "plugin_duplicate")
            if self._text(plugin, "use") not in _INSTALLS:
                yield _at(at, "plugin_use_wrong")
            yield from self._switch(plugin, "enabled", "plugin_disabled")
            yield from self._empty(plugin, "config")

    def _empty(self, owner: Entries, name: str) -> Iterator[Report]:
        """A map that must be empty; each key in it is reported where it stands."""
        key, node = owner.get(name, (None, None))
        value = None if node is None else self._value(node)
        if value is not None and not isinstance(value, dict):
            yield _at(key, "private_map_not_empty")
        for at, _ in self._entries(node).values():
            yield _at(at, "private_map_not_empty")

    def _secrets(self, block: Node) -> Iterator[Report]:
        for node in _walk(block):
            for name, (at, found) in self._entries(node).items():
                value = self._value(found)
                named = _SECRET.search(_words(name).lower().replace("-", "_"))
                # `api_key_env: NAME` and `$NAME` point to the environment, as they should.
                literal = isinstance(value, str) and value and value[0] != "$"
                if named and literal and not _words(name).endswith("_env"):
                    yield _at(at, "secret_in_yaml")

    def _anchors(self, key: Node, plugins: Node) -> Iterator[Report]:
        inside = range(key.start_mark.index, plugins.end_mark.index)
        for alias, node in self._document.aliases:
            if node.start_mark.index in inside and alias not in inside:
                yield _at(node, "anchor_in_plugins")

    def _switch(self, owner: Entries, name: str, off: str) -> Iterator[Report]:
        if name in owner:
            key, node = owner[name]
            is_on = _truth(self._value(node))
            # `$NAME` is for the host to replace from its environment, which is not this one.
            if not is_on and not self._text(owner, name).startswith("$"):
                yield _at(key, "not_true_or_false" if is_on is None else off)

    def _text(self, owner: Entries, name: str) -> str:
        return _words(self._value(owner[name][1])) if name in owner else ""


def _truth(value: object) -> bool | None:
    """As the host's switches take it; None for what they refuse."""
    word = value.lower() if isinstance(value, str) else value
    if isinstance(word, str | int | float) and word in (*_TRUE, 1):
        return True
    return False if isinstance(word, str | int | float) and word in (*_FALSE, 0) else None


def _words(value: object) -> str:
    """Nothing but text is the text that something is looked for in."""
    return value if isinstance(value, str) else ""


def _walk(block: Node) -> Iterator[Node]:
    """Every node once, outermost first, however aliases repeat or nest it."""
    seen: set[Node] = set()
    waiting = [block]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        for part in reversed(node.value if isinstance(node.value, list) else []):
            waiting += reversed(part) if isinstance(part, tuple) else [part]


def _at(node: Node | None, code: str) -> Report:
    return Report(node.start_mark.line + 1 if node is not None else 1, code)
