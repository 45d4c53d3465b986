# SPDX-License-Identifier: Apache-2.0
"""YAML as the host loads it (PyYAML's safe loader, in Python), with the line of everything, and within a second.

What a short text can make long is bounded before it is made: parts, keys by merging, numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

import yaml  # every DeerFlow has it; the SDK does not need it
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

_MOST_EVENTS: Final = 20_000
"""About half a second of PyYAML; 64 KB of nothing but short lines have 16,000."""
_MOST_KEYS: Final = 30_000
"""Keys with those that come by ``<<`` merges, which double with every line."""
_LONGEST_BASE_60: Final = 4_300
"""Characters of a number like ``1:30:00``, which takes quadratic time."""

__all__ = ["Document", "Entries", "Node", "Unusable", "load"]

Entries = dict[object, tuple[Node, Node]]
"""Key -> its node and its value's; keys as the host has them."""


class Unusable(Exception):
    """``code`` is ``not_yaml`` for what the host cannot load, else ``too_complex``."""

    def __init__(self, code: str, line: int) -> None:
        super().__init__(code)
        self.code, self.line = code, line


@dataclass(frozen=True, slots=True)
class Document:
    """What the host has, and where it stands."""

    root: Node | None
    own: list[Node] = field(default_factory=list)
    """The keys at the top as they are written: repeated ones, and none by merging."""
    values: dict[Node, object] = field(default_factory=dict)
    """What the host makes of each node."""
    aliases: list[tuple[int, Node]] = field(default_factory=list)
    """Where each alias stands, and what it stands for."""

    def value(self, node: Node) -> object:
        return self.values.get(node)

    def entries(self, node: Node | None) -> Entries:
        """Of a mapping, its merges included; nothing for anything else."""
        if not isinstance(node, MappingNode) or not isinstance(self.value(node), dict):
            return {}
        return {self.value(key): (key, value) for key, value in node.value}

    def items(self, node: Node) -> list[Node] | None:
        """Of a list; None for anything else."""
        is_list = isinstance(node, SequenceNode) and type(self.value(node)) is list
        return list(node.value) if is_list else None


def load(text: str) -> Document:
    """Raises Unusable."""
    loader = None
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        own = [key for key, _ in root.value] if isinstance(root, MappingNode) else []
        if root is not None:
            loader.construct_document(root)
    except Unusable:
        raise
    except Exception as error:  # noqa: BLE001 - also what PyYAML did not foresee keeps the host from loading it
        unusable = Unusable("not_yaml", _line(error, loader, text))
    else:
        return Document(root, own, loader.values, loader.aliases)
    raise unusable


def _line(error: Exception, loader: _Loader | None, text: str) -> int:
    """PyYAML says where, or we know what was being made when a constructor raised something of Python's own."""
    if isinstance(error, yaml.reader.ReaderError):
        return text.count("\n", 0, error.position) + 1
    mark = getattr(error, "problem_mark", None) or (loader.at if loader else None)
    return mark.line + 1 if mark else 1


class _Loader(yaml.SafeLoader):
    """PyYAML's own methods, counted; Any where it is untyped."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.values: dict[Node, object] = {}
        self.aliases: list[tuple[int, Node]] = []
        self.at: Any = None
        """Where it reads, and then the innermost node that could not be made."""
        self._failed = False
        self._events = self._keys = 0

    # PyYAML looks at every open bracket for every token; these two look at the oldest, as they stand in order.
    def next_possible_simple_key(self) -> int | None:
        oldest = next(iter(self.possible_simple_keys.values()), None)
        return None if oldest is None else oldest.token_number

    def stale_possible_simple_keys(self) -> None:
        oldest = next(iter(self.possible_simple_keys.values()), None)
        if oldest and (oldest.line != self.line or self.index - oldest.index > 1024):
            super().stale_possible_simple_keys()

    def get_event(self) -> Any:
        event = super().get_event()  # type: ignore[no-untyped-call]
        self._events += 1
        self.at = event.start_mark
        if self._events > _MOST_EVENTS:
            _refuse(event)
        if isinstance(event, yaml.AliasEvent) and event.anchor in self.anchors:
            mark: Any = event.start_mark
            self.aliases.append((mark.index, self.anchors[event.anchor]))
        return event

    def flatten_mapping(self, node: MappingNode) -> None:
        """Called for a mapping, and for every source of its ``<<`` before their keys are taken."""
        try:
            super().flatten_mapping(node)
        except Exception:
            self._fail_at(node)
            raise
        self._keys += len(node.value)
        if self._keys > _MOST_KEYS:
            _refuse(node)

    def construct_object(self, node: Node, deep: bool = False) -> Any:
        is_long = isinstance(node, ScalarNode) and len(node.value) > _LONGEST_BASE_60
        if is_long and node.tag.endswith(":int") and ":" in node.value:
            _refuse(node)
        try:
            made = self.values[node] = super().construct_object(node, deep=deep)
        except Exception:
            self._fail_at(node)
            raise
        return made

    def _fail_at(self, node: Node) -> None:
        if not self._failed:
            self.at, self._failed = node.start_mark, True


def _refuse(at: Any) -> NoReturn:
    raise Unusable("too_complex", at.start_mark.line + 1)
