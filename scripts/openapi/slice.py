# SPDX-License-Identifier: Apache-2.0
"""Cut the pinned slice out of the upstream OpenAPI document. Pure: a document in, a document out.

The slice holds facts only: paths, methods, schemas and bounds of the kept operations and of what they
reach; provenance is pin.toml. Two rewrites keep the generated client honest: no defaults,
and no keywords beside a `$ref`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

# An OpenAPI document is untyped JSON; every value is looked at before it is used.
Json = dict[str, Any]

PROSE = {"description", "summary", "example", "examples", "externalDocs"}
# Without `default` the generator starts every optional field as UNSET and sends only what the caller set; with it,
# `explain: false` goes out and servers before 1.4.1 answer 422. It is dropped everywhere, not only from requests: a
# schema may serve both sides, and a default says what the server does, not what a client must send.
DROPPED = PROSE | {"default"}
# Keywords whose value maps names to nodes. Such a name is no keyword, so a property called "description" stays.
NAME_MAPS = {"properties", "patternProperties", "responses", "headers", "content", "encoding"}
LITERALS = {"enum", "const", "required", "mapping"}
SCHEMAS = "#/components/schemas/"


class MissingOperations(Exception):
    """Raised when the document lacks operations that the pin keeps; carries their names."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(", ".join(names))


def slice_document(document: Json, operations: Sequence[str]) -> Json:
    """The part of the document that the operations reach, without prose, defaults and extensions."""
    paths = _kept_paths(document, set(operations))
    found = {o["operationId"] for item in paths.values() for _, o in operations_of(item)}
    if missing := [name for name in operations if name not in found]:
        raise MissingOperations(missing)
    sliced: Json = {
        "openapi": document["openapi"],
        "info": {key: document["info"][key] for key in ("title", "version")},
        "security": document.get("security", []),
        "paths": clean(paths, names=True),
    }
    sliced["components"] = _reached_components(document, sliced)
    return sliced


def operations_of(path_item: Json) -> Iterator[tuple[str, Json]]:
    for method, value in path_item.items():
        if isinstance(value, dict) and "operationId" in value:
            yield method, value


def _kept_paths(document: Json, operations: set[str]) -> Json:
    paths: Json = {}
    for path, item in document["paths"].items():
        kept = {m: o for m, o in operations_of(item) if o["operationId"] in operations}
        if kept:
            shared = {"parameters": item["parameters"]} if "parameters" in item else {}
            paths[path] = shared | kept
    return paths


def clean(node: Any, *, names: bool = False) -> Any:
    """Strip what is no fact; `names` says that the keys of this node are names, not keywords."""
    if isinstance(node, list):
        return [clean(item) for item in node]
    if isinstance(node, float) and node.is_integer():
        return int(node)  # upstream writes bounds as 512.0
    if not isinstance(node, dict):
        return node
    if names:
        return {key: clean(value) for key, value in node.items()}
    kept = {
        key: value if key in LITERALS else clean(value, names=key in NAME_MAPS)
        for key, value in node.items()
        if key not in DROPPED and not key.startswith("x-")
    }
    for response in kept.get("responses", {}).values():
        _keep_valid(response)
    return _without_ref_siblings(kept)


def _keep_valid(response: Json) -> None:
    if "$ref" not in response:
        response["description"] = ""  # OpenAPI 3.0 requires the key, and the generator insists


def _without_ref_siblings(node: Json) -> Json:
    """OpenAPI 3.0 ignores what stands beside a `$ref`, `nullable` included; inside `allOf` it counts."""
    ref = node.get("$ref")
    if not isinstance(ref, str) or len(node) == 1:
        return node
    if not ref.startswith(SCHEMAS):
        return {"$ref": ref}
    return {**{k: v for k, v in node.items() if k != "$ref"}, "allOf": [{"$ref": ref}]}


def _reached_components(document: Json, sliced: Json) -> Json:
    reached: Json = {}
    waiting = [*_references(sliced), *_security_schemes(sliced)]
    while waiting:
        kind, name = waiting.pop()
        section = reached.setdefault(kind, {})
        if name in section:
            continue
        section[name] = clean(document["components"][kind][name])
        if kind == "responses":
            _keep_valid(section[name])
        waiting += _references(section[name])
    return reached


def _references(node: Any) -> Iterator[tuple[str, str]]:
    """Every component that the node names, in `$ref` or in a discriminator's mapping."""
    if isinstance(node, str) and node.startswith("#/components/"):
        kind, name = node.removeprefix("#/components/").split("/")
        yield kind, name
    elif isinstance(node, (dict, list)):
        for value in node.values() if isinstance(node, dict) else node:
            yield from _references(value)


def _security_schemes(sliced: Json) -> Iterator[tuple[str, str]]:
    requirements = list(sliced["security"])
    for item in sliced["paths"].values():
        for _, operation in operations_of(item):
            requirements += operation.get("security", [])
    for requirement in requirements:
        for name in requirement:
            yield "securitySchemes", name
