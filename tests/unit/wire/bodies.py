# SPDX-License-Identifier: Apache-2.0
"""Sound bodies of each message, and the same spoiled in every way."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import strategies as st

from powercontext_deerflow.api.wire import (
    Capabilities,
    Scope,
    ServerInfo,
    decode,
    decode_prepared,
    decode_remembered,
    decode_search,
)
from powercontext_deerflow.api.wire.records import WideAnswer
from powercontext_deerflow.errors import AnswerError
from tests.support import answers
from tests.support.said import everything_said

CANARY = "zQ7canary"
HUGE = "9" * 400
BEYOND_PYTHON = "9" * 5000  # Python refuses to read an integer of more than 4300 digits
Path = tuple[str | int, ...]


def recall(body: bytes, budget: int = 8000) -> str | None:
    """The content of ``body``, whose declared bytes are its own."""
    prepared = decode_prepared(body, budget)
    if prepared is None:
        return None
    content, content_bytes = prepared
    assert content_bytes == len(content.encode())
    return content


def sent(base: object, path: Path = (), raw: str | None = "") -> bytes:
    """``base`` in JSON, with the value at ``path`` replaced by ``raw`` JSON, or taken away if that is None."""
    changed: Any = copy.deepcopy(base)
    if path:
        parent = changed
        for step in path[:-1]:
            parent = parent[step]
        if raw is None:
            del parent[path[-1]]
        else:
            parent[path[-1]] = "@raw@"
    return json.dumps(changed).replace('"@raw@"', raw or "").encode()


def refusal(decode: Callable[[bytes], object], body: bytes) -> str:
    """The code of the AnswerError, which must tell nothing of ``body``."""
    with pytest.raises(AnswerError) as refused:
        decode(body)
    assert CANARY not in everything_said(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None
    return refused.value.code


@functools.cache
def spoiled(valid: bytes) -> dict[str, bytes]:
    """``valid`` (which holds the canary) and the same spoiled in every way that has nothing to do with its keys."""
    text = valid.decode()
    return {
        "empty": b"",
        "blank": b" \r\n\t",
        "nul": b"\x00",
        "null": b"null",
        "true": b"true",
        "number": b"7",
        "nan": b"NaN",
        "infinity": b"-Infinity",
        "string": json.dumps(CANARY).encode(),
        "body-in-a-string": json.dumps(text).encode(),
        "array": b"[]",
        "body-in-an-array": b"[" + valid + b"]",
        "empty-object": b"{}",
        "unknown-object": json.dumps({CANARY: CANARY}).encode(),
        "html": f"<!DOCTYPE html><html><body>{CANARY}</body></html>".encode(),
        "prose": CANARY.encode(),
        "bom": b"\xef\xbb\xbf" + valid,
        "utf-16": text.encode("utf-16"),
        "utf-16-le": text.encode("utf-16-le"),
        "utf-16-be": text.encode("utf-16-be"),
        "utf-32": text.encode("utf-32"),
        "invalid-utf-8": valid.replace(CANARY.encode(), b"zQ7canary\xff"),
        "overlong-utf-8": valid.replace(CANARY.encode(), b"zQ7canary\xc0\xaf"),
        "surrogate-in-utf-8": valid.replace(CANARY.encode(), b"zQ7canary\xed\xa0\x80"),
        "cut-in-a-character": valid.replace(CANARY.encode(), b"zQ7canary\xe7\x95"),
        "lone-surrogate": valid.replace(CANARY.encode(), rb"zQ7canary\ud800"),
        "low-surrogate-first": valid.replace(CANARY.encode(), rb"zQ7canary\ude00\ud83d"),
        "raw-nul": valid.replace(CANARY.encode(), b"zQ7canary\x00"),
        "raw-newline": valid.replace(CANARY.encode(), b"zQ7canary\n"),
        "unknown-escape": valid.replace(CANARY.encode(), rb"zQ7canary\x41"),
        "half-escape": valid.replace(CANARY.encode(), rb"zQ7canary\u00"),
        "single-quotes": text.replace('"', "'").encode(),
        "trailing-comma": valid[:-1] + b",}",
        "trailing-data": valid + b"x",
        "trailing-nul": valid + b"\x00",
        "twice": valid + valid,
        "two-lines": valid + b"\n" + valid,
        "leading-data": b")]}'\n" + valid,
        "comment": b"/* " + CANARY.encode() + b" */" + valid,
        "no-end": valid[:-1],
        "one-brace-more": valid + b"}",
        "deep-arrays": b"[" * 100_000,
        "deep-closed-arrays": b"[" * 100_000 + b"]" * 100_000,
        "deep-objects": b'{"a":' * 100_000,
        "deep-closed-objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        "deep-extra": valid[:-1] + b',"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        "nan-extra": valid[:-1] + b',"x":NaN}',
        "beyond-python-extra": valid[:-1] + b',"x":' + BEYOND_PYTHON.encode() + b"}",
        "2-MiB-of-zeros": bytes(2**21),
        "2-MiB-of-braces": b"{" * 2**21,
    }


PREPARED = answers.prepared(CANARY)
EMPTY = answers.prepared(None)
RECORD = answers.record(CANARY)
REMEMBERED = answers.confirmed(CANARY)
MEMORY = answers.MEMORY
ENTRY = answers.entry(CANARY)
LEGACY_REMEMBERED = {"memory": MEMORY, "entry": ENTRY}
HIT = answers.hit(CANARY)
SEARCH = answers.found(CANARY)
LEGACY_HIT = answers.entry_hit(CANARY)
LEGACY_SEARCH = answers.found_entries(LEGACY_HIT)
WIDE = answers.wide(CANARY)
ERROR = answers.refusal("scope_not_found", CANARY)
DECODERS: dict[str, tuple[Callable[[bytes], object], Mapping[str, object]]] = {
    "prepared": (recall, PREPARED),
    "remembered": (decode_remembered, REMEMBERED),
    "legacy-remembered": (decode_remembered, LEGACY_REMEMBERED),
    "search": (decode_search, SEARCH),
    "legacy-search": (decode_search, LEGACY_SEARCH),
}


def objects_in(base: object, path: Path = ()) -> list[Path]:
    """Where ``base`` has an object."""
    if isinstance(base, dict):
        inner = [found for key, value in base.items() for found in objects_in(value, (*path, key))]
        return [path, *inner]
    if isinstance(base, list):
        return [found for i, value in enumerate(base) for found in objects_in(value, (*path, i))]
    return []


def paths_in(base: object, path: Path = ()) -> list[Path]:
    """Where ``base`` has a value, however deep."""
    steps = (
        base.items()
        if isinstance(base, dict)
        else enumerate(base if isinstance(base, list) else [])
    )
    return [
        found for key, value in steps for found in [(*path, key), *paths_in(value, (*path, key))]
    ]


def error(path: Path, raw: str | None) -> bytes:
    return sent(ERROR, ("error", *path), raw)


INFO = {**answers.INFO, "product": CANARY}
ABOUT: dict[str, tuple[Callable[[bytes], object], Mapping[str, object]]] = {
    "server-info": (functools.partial(decode, kind=ServerInfo), INFO),
    "wide-search": (functools.partial(decode, kind=WideAnswer), WIDE),
    "scope": (functools.partial(decode, kind=Scope), {"scope_id": CANARY}),
    "capabilities": (
        functools.partial(decode, kind=Capabilities),
        {"search_modes": [CANARY, "fts"]},
    ),
}
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(), max_size=8),  # also lone surrogates
    st.sampled_from(["ready", "empty", "active", "memory", "atomic-memory", CANARY]),
)
KEYS = st.sampled_from(
    ["schema", "status", "content", "changed", "records", "memory", "entry", "hits", "error", "x"]
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
