# SPDX-License-Identifier: Apache-2.0
"""What changed between two slices, per operation, in words. Pure; an operation may also be new or gone.

Written for the person who moves the pin: 1.2.0 -> 1.3.0 moved the answer of `remember`, and 1.4.0 -> 1.4.1
added `explain` and `reason`. References are resolved, so a change
counts wherever it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scripts.openapi.slice import Json, operations_of

# How a schema is built; everything else in it is a fact about the value (type, bounds, enum, nullable ...).
STRUCTURE = {"$ref", "properties", "required", "items", "allOf", "oneOf", "anyOf", "discriminator"}
# field path -> facts of that field
Fields = dict[str, Json]


def change_report(old: Json, new: Json) -> list[str]:
    """One line per operation and part that changed, sorted; empty when nothing did."""
    before, after = _operations(old), _operations(new)
    lines: list[str] = []
    for name in sorted(before.keys() | after.keys()):
        if name not in before:
            lines.append(f"{name}: + operation")
        elif name not in after:
            lines.append(f"{name}: - operation")
        else:
            lines += [f"{name}: {line}" for line in _operation_changes(before[name], after[name])]
    return lines


def _operations(document: Json) -> dict[str, dict[str, Fields]]:
    """Per operation its parts: the route, the request and each response."""
    found = {}
    for path, item in document["paths"].items():
        for method, operation in operations_of(item):
            parts: dict[str, Fields] = {f"{method.upper()} {path}": {}}
            parts["parameters"] = _parameters(document, item, operation)
            body = _resolved(document, operation.get("requestBody", {}))
            parts |= _contents(document, "request", body)
            for status, response in operation["responses"].items():
                resolved = _resolved(document, response)
                parts |= {f"response {status}": {}} | _contents(
                    document, f"response {status}", resolved
                )
            found[operation["operationId"]] = parts
    return found


def _parameters(document: Json, item: Json, operation: Json) -> Fields:
    fields: Fields = {}
    for given in [*item.get("parameters", []), *operation.get("parameters", [])]:
        parameter = _resolved(document, given)
        name = f"{parameter['name']} ({parameter['in']})"
        collected = _fields(document, parameter.get("schema", {}), name)
        collected[name]["required"] = parameter.get("required", False)
        fields |= collected
    return fields


def _contents(document: Json, part: str, holder: Json) -> dict[str, Fields]:
    contents = holder.get("content", {})
    return {
        part if media == "application/json" else f"{part} {media}": _fields(
            document, content.get("schema", {}), ""
        )
        for media, content in contents.items()
    }


def _resolved(document: Json, node: Json) -> Json:
    while "$ref" in node:
        _, _, kind, name = node["$ref"].split("/")
        node = document["components"][kind][name]
    return node


def _fields(document: Json, node: Json, path: str, seen: tuple[str, ...] = ()) -> Fields:
    """The node and all below it: `a.b` a property, `a[]` an item, `a{}` a further key, `a<1>` an alternative."""
    if ref := node.get("$ref"):
        if ref in seen:
            return {path: {"type": f"again {ref.rpartition('/')[2]}"}}
        return _fields(document, _resolved(document, node), path, (*seen, ref))
    fields: Fields = {path: {}}
    for part in node.get("allOf", []):
        merged = _fields(document, part, path, seen)
        fields[path] |= merged.pop(path)
        fields |= merged
    fields[path] |= {
        k: v for k, v in node.items() if k not in STRUCTURE and not isinstance(v, dict)
    }
    for below, schema in _children(node, path):
        fields |= _fields(document, schema, below, seen)
    prefix = f"{path}." if path else ""
    for name in node.get("required", []):
        fields.setdefault(f"{prefix}{name}", {})["required"] = True
    return fields


def _children(node: Json, path: str) -> Iterator[tuple[str, Json]]:
    prefix = f"{path}." if path else ""
    for name, schema in node.get("properties", {}).items():
        yield f"{prefix}{name}", schema
    if "items" in node:
        yield f"{path}[]", node["items"]
    if isinstance(node.get("additionalProperties"), dict):
        yield f"{path}{{}}", node["additionalProperties"]
    for number, schema in enumerate([*node.get("oneOf", []), *node.get("anyOf", [])], 1):
        yield f"{path}<{number}>", schema


def _operation_changes(old: dict[str, Fields], new: dict[str, Fields]) -> Iterator[str]:
    removed, added = sorted(old.keys() - new.keys()), sorted(new.keys() - old.keys())
    if removed or added:
        yield ", ".join([f"- {part}" for part in removed] + [f"+ {part}" for part in added])
    for part in sorted(old.keys() & new.keys()):
        if changes := _part_changes(old[part], new[part]):
            yield f"{part}: {', '.join(changes)}"


def _part_changes(old: Fields, new: Fields) -> list[str]:
    changes = [f"- {field or 'body'}" for field in _outermost(old.keys() - new.keys())]
    changes += [f"+ {field or 'body'}" for field in _outermost(new.keys() - old.keys())]
    for field in sorted(old.keys() & new.keys()):
        if facts := list(_fact_changes(old[field], new[field])):
            changes.append(f"~ {field or 'body'} ({'; '.join(facts)})")
    return changes


def _outermost(fields: set[str]) -> list[str]:
    """Without what lies inside another of them: a new object is one change, not one per field."""
    if "" in fields:
        return [""]
    return [
        field
        for field in sorted(fields)
        if not any(field.startswith((f"{f}.", f"{f}[", f"{f}{{", f"{f}<")) for f in fields)
    ]


def _fact_changes(old: Json, new: Json) -> Iterator[str]:
    for fact in sorted(old.keys() | new.keys()):
        before, after = old.get(fact), new.get(fact)
        if before == after:
            continue
        if isinstance(before, list) and isinstance(after, list):
            gone = [f"- {value}" for value in before if value not in after]
            come = [f"+ {value}" for value in after if value not in before]
            yield f"{fact} {' '.join(gone + come) or 'reordered'}"
        else:
            yield f"{fact} {_shown(before)} -> {_shown(after)}"


def _shown(value: Any) -> str:
    return (
        "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    )
