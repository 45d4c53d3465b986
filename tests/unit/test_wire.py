# SPDX-License-Identifier: Apache-2.0
"""Hostile bodies with a verdict each (facts: failure-classes B13, B14, B21, B25), and the bytes that we send.

The captured bodies of real servers are in tests/unit/test_golden.py.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import json
import time
import traceback
import tracemalloc
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercontext_deerflow.api.wire import (
    KNOWN_CODES,
    ArtifactCitation,
    Capabilities,
    LegacyRemembered,
    LegacySearchAnswer,
    PreparedContext,
    PrepareRequest,
    Remembered,
    RememberRequest,
    Scope,
    SearchAnswer,
    SearchRequest,
    ServerInfo,
    decode,
    decode_error,
    decode_prepared,
    decode_remembered,
    decode_search,
    encode,
)
from powercontext_deerflow.errors import AnswerError

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


def everything_said(error: BaseException) -> str:
    """All that a log line can show of ``error`` and of what it came from."""
    said = [repr(error), str(error), repr(error.args), repr(vars(error))]
    others = [other for other in (error.__cause__, error.__context__) if other is not None]
    return "\n".join([*said, *map(everything_said, others), *traceback.format_exception(error)])


def refusal(decode: Callable[[bytes], object], body: bytes) -> str:
    """The code of the AnswerError, which must tell nothing of ``body``."""
    with pytest.raises(AnswerError) as refused:
        decode(body)
    assert CANARY not in everything_said(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None
    return refused.value.code


# --- what spoils any body -----------------------------------------------------------------------------------------


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


PREPARED = {
    "schema": "powercontext.prepared-context.v1",
    "status": "ready",
    "content": CANARY,
    "content_bytes": 9,
}
EMPTY = {**PREPARED, "status": "empty", "content": None, "content_bytes": 0}
RECORD = {
    "artifact": {"family": "atomic-memory", "artifact_id": "art_4b0f", "revision": 1},
    "kind": "fact",
    "text": CANARY,
    "state": "active",
    "state_version": 0,
    "merged_into_id": None,
}
REMEMBERED = {"changed": True, "records": [RECORD]}
MEMORY = {"family": "memory", "artifact_id": "memory", "revision": 1}
CITATION = {"memory_ref": MEMORY, "entry_id": "mem_ent_1", "entry_version_id": "mem_ver_1"}
ENTRY = {
    "citation": CITATION,
    "version": 1,
    "kind": "fact",
    "text": CANARY,
    "state": "active",
    "source_refs": [],
    "artifact_refs": [],
}
LEGACY_REMEMBERED = {"memory": MEMORY, "entry": ENTRY}
HIT = {"memory": RECORD, "score": 0.5, "matched_by": ["text"]}
SEARCH = {"mode": "text", "hits": [HIT]}
LEGACY_HIT = {"citation": CITATION, "text": CANARY, "score": 0.5, "matched_by": ["fts"]}
LEGACY_SEARCH = {"memory": MEMORY, "mode": "fts", "hits": [LEGACY_HIT]}
ERROR = {"error": {"code": "scope_not_found", "message": CANARY, "details": None}}
DECODERS: dict[str, tuple[Callable[[bytes], object], Mapping[str, object]]] = {
    "prepared": (recall, PREPARED),
    "remembered": (decode_remembered, REMEMBERED),
    "legacy-remembered": (decode_remembered, LEGACY_REMEMBERED),
    "search": (decode_search, SEARCH),
    "legacy-search": (decode_search, LEGACY_SEARCH),
}


@pytest.mark.parametrize("kind", DECODERS)
def test_the_sound_body_is_accepted(kind: str) -> None:
    """Else the refusals below would prove nothing."""
    decode, valid = DECODERS[kind]
    assert decode(sent(valid))
    assert decode(json.dumps(valid, indent=2).encode())
    assert decode(b" \r\n\t" + sent(valid) + b" \r\n\t")
    assert decode(sent(valid) + b" " * 2**21)


@pytest.mark.parametrize("way", spoiled(b"{}"))
@pytest.mark.parametrize("kind", DECODERS)
def test_a_spoiled_body_is_refused(kind: str, way: str) -> None:
    decode, valid = DECODERS[kind]
    assert refusal(decode, spoiled(sent(valid))[way]) == "malformed"


@pytest.mark.parametrize("kind", DECODERS)
def test_a_body_cut_at_any_byte_is_refused(kind: str) -> None:
    decode, valid = DECODERS[kind]
    body = sent(valid)
    for length in range(len(body)):
        assert refusal(decode, body[:length]) == "malformed", length


def test_the_decoder_does_quote_what_it_read() -> None:
    """Else the search for the canary in every refusal would prove nothing."""
    with pytest.raises(msgspec.ValidationError, match=CANARY):
        msgspec.json.decode(sent({**PREPARED, CANARY: 1}), type=PreparedContext)


# --- recall: accepted ---------------------------------------------------------------------------------------------


def prepared(content: str, size: int | None = None, **more: object) -> bytes:
    size = len(content.encode()) if size is None else size
    return sent({**PREPARED, "content": content, "content_bytes": size, **more})


@pytest.mark.parametrize(
    ("body", "budget", "content"),
    [
        pytest.param(prepared("a"), 8000, "a", id="one-byte"),
        pytest.param(prepared("a"), 1, "a", id="exactly-the-budget"),
        pytest.param(prepared("a" * 8000), 8000, "a" * 8000, id="exactly-8000"),
        pytest.param(prepared("a" * 32768), 32768, "a" * 32768, id="exactly-32768"),
        pytest.param(prepared("界" * 10922), 32768, "界" * 10922, id="han"),
        pytest.param(prepared("😀"), 4, "😀", id="surrogate-pair-in-escapes"),
        pytest.param(
            json.dumps({**PREPARED, "content": "😀界", "content_bytes": 7}, ensure_ascii=False).encode(),
            7,
            "😀界",
            id="raw-utf-8",
        ),
        pytest.param(prepared("a\x00b"), 3, "a\x00b", id="nul-is-text"),
        pytest.param(prepared("\x01\x1b\x7f\u2028\ufeff"), 99, "\x01\x1b\x7f\u2028\ufeff", id="control"),
        pytest.param(prepared(" \n "), 99, " \n ", id="white-space-is-text"),
        pytest.param(prepared('{"a": [":"], "content": ":"}'), 99, None, id="colons-and-quotes"),
        pytest.param(prepared(":" * 4000), 8000, ":" * 4000, id="many-colons"),
        pytest.param(prepared('\\":\\', 4), 8000, '\\":\\', id="backslashes"),
        pytest.param(prepared("Zoe\u0308"), 99, "Zoe\u0308", id="not-normalised"),
        pytest.param(prepared("a", reason=None), 99, "a", id="reason-null"),
        pytest.param(prepared("a", reason="inference_timeout"), 99, "a", id="reason-timeout"),
        pytest.param(prepared("a", reason="inference_unavailable"), 99, "a", id="reason-unavailable"),
        pytest.param(sent(dict(reversed(PREPARED.items()))), 99, CANARY, id="keys-in-any-order"),
        pytest.param(sent(PREPARED).replace(b"content_b", rb"\u0063ontent_b"), 99, CANARY, id="key-in-escapes"),
        pytest.param(sent(PREPARED).replace(b'"zQ', rb'"\u007aQ'), 99, CANARY, id="content-in-escapes"),
        pytest.param(json.dumps(PREPARED, separators=(" ,\n", " :\t")).encode(), 99, CANARY, id="spaced"),
    ],
)  # fmt: skip
def test_recalled(body: bytes, budget: int, content: str | None) -> None:
    expected = json.loads(body)["content"] if content is None else content
    assert recall(body, budget) == expected


@pytest.mark.parametrize(
    "body",
    [
        sent(EMPTY),
        sent({**EMPTY, "reason": None}),
        sent({**EMPTY, "reason": "inference_timeout"}),
        sent({**EMPTY, "reason": "inference_unavailable"}),
        sent(EMPTY, ("content_bytes",), "-0"),
        json.dumps(EMPTY, indent=1).encode(),
    ],
)
def test_empty(body: bytes) -> None:
    assert recall(body) is None
    assert recall(body, 0) is None


# --- recall: refused ----------------------------------------------------------------------------------------------

# Of every JSON type, and the numbers that are no plain integer; what a key takes is taken out of its row below.
WRONG = [
    *["null", "true", "false", "0", "-1", "1.0", "9.0", "9e0", "0.9e1", "1e400", "-0.0", "NaN"],
    *[
        "Infinity",
        HUGE,
        f"-{HUGE}",
        BEYOND_PYTHON,
        str(2**63),
        str(2**64),
        "09",
        "+9",
        "0x9",
        "9 9",
    ],
    *['""', f'"{CANARY}"', '"9"', '"ready"', "[]", "{}", f'["{CANARY}"]', f'{{"a":"{CANARY}"}}'],
]
NOT_MALFORMED: dict[str, set[str]] = {
    "schema": set(),
    "status": {'"ready"'},
    "content": {"null", '""', f'"{CANARY}"', '"9"', '"ready"'},
    "content_bytes": {"0"},
    "reason": {"null"},
}
SPELLINGS = {
    "schema": [
        *["powercontext.prepared-context.v2", "powercontext.prepared-context.v1 "],
        *["PowerContext.prepared-context.v1", "powercontext.prepared-context.v1\x00"],
        *["powercontext.prepared-context", "powercontext.prepared-context.v10"],
    ],
    "status": ["Ready", "READY", "ready ", "ok", "partial", "Empty", "ready\x00"],
    "reason": ["unknown", "Inference_timeout", "inference_timeout ", "internal_error"],
}
MISFITS = {
    **{
        f"{key}={value[:20]}": (sent(PREPARED, (key,), value), 8000, "malformed")
        for key, taken in NOT_MALFORMED.items()
        for value in WRONG
        if value not in taken
    },
    **{
        f"{key}={value!r}": (sent({**PREPARED, key: value}), 8000, "malformed")
        for key, values in SPELLINGS.items()
        for value in values
    },
    **{f"no-{key}": (sent(PREPARED, (key,), None), 8000, "malformed") for key in PREPARED},
    **{f"empty-no-{key}": (sent(EMPTY, (key,), None), 8000, "malformed") for key in EMPTY},
    "extra-key": (sent({**PREPARED, CANARY: 1}), 8000, "malformed"),
    "extra-null": (sent({**PREPARED, "explain": None}), 8000, "malformed"),
    "extra-empty-name": (sent({**PREPARED, "": ""}), 8000, "malformed"),
    "extra-key-of-empty": (sent({**EMPTY, "items": []}), 8000, "malformed"),
    "key-in-capitals": (sent(PREPARED).replace(b'"status"', b'"Status"'), 8000, "malformed"),
    # the status and the content must tell the same
    "ready-null": (sent({**PREPARED, "content": None}), 8000, "status_mismatch"),
    "ready-null-0": (sent({**EMPTY, "status": "ready"}), 8000, "status_mismatch"),
    "ready-blank": (prepared(""), 8000, "status_mismatch"),
    "ready-blank-1": (prepared("", 1), 8000, "status_mismatch"),
    "empty-with-content": (sent({**PREPARED, "status": "empty"}), 8000, "status_mismatch"),
    "empty-with-content-0": (prepared("a", 0, status="empty"), 8000, "status_mismatch"),
    "empty-blank": (sent({**EMPTY, "content": ""}), 8000, "status_mismatch"),
    "empty-1": (sent({**EMPTY, "content_bytes": 1}), 8000, "status_mismatch"),
    # the count must be exact, in UTF-8 bytes
    "one-short": (prepared("abc", 2), 8000, "byte_count_mismatch"),
    "one-over": (prepared("abc", 4), 8000, "byte_count_mismatch"),
    "zero": (prepared("abc", 0), 8000, "byte_count_mismatch"),
    "code-points": (prepared("界界", 2), 8000, "byte_count_mismatch"),
    "utf-16-units": (prepared("😀", 2), 8000, "byte_count_mismatch"),
    "nul-not-counted": (prepared("a\x00", 1), 8000, "byte_count_mismatch"),
    "escapes-counted": (prepared("a\x00", 7), 8000, "byte_count_mismatch"),
    "normalised-count": (prepared("Zoe\u0308", 4), 8000, "byte_count_mismatch"),
    "lie-within-the-budget": (prepared("a" * 9000, 8000), 8000, "byte_count_mismatch"),
    "another-text": (sent(PREPARED, ("content",), '"ready"'), 8000, "byte_count_mismatch"),
    # the budget that was asked for, and the most that there is
    "over-by-one": (prepared("abc"), 2, "over_budget"),
    "over-8000-by-one": (prepared("a" * 8001), 8000, "over_budget"),
    "over-512-by-han": (prepared("界" * 171), 512, "over_budget"),
    "no-budget": (prepared("a"), 0, "over_budget"),
    "over-32768-by-one": (prepared("a" * 32769), 99999, "malformed"),
    "2-MiB": (prepared("a" * 2**21), 2**21, "malformed"),
    "2-MiB-in-a-lie": (prepared("a" * 2**21, 8000), 8000, "byte_count_mismatch"),
    "deep-content": (
        sent(PREPARED, ("content",), "[" * 100_000 + "]" * 100_000),
        8000,
        "malformed",
    ),
    "deep-reason": (sent(PREPARED, ("reason",), '{"a":' * 100_000), 8000, "malformed"),
}


def test_there_are_enough_misfits() -> None:
    assert len(MISFITS) > 180


@pytest.mark.parametrize("case", MISFITS)
def test_misfit(case: str) -> None:
    body, budget, code = MISFITS[case]
    assert refusal(lambda given: recall(given, budget), body) == code


DUPLICATES = {
    "schema": ['"powercontext.prepared-context.v1"', '"other"'],
    "status": ['"ready"', '"empty"'],
    "content": [f'"{CANARY}"', '""', '":"', '":::"', '"::::"', "null", '"x"'],
    "content_bytes": ["9", "0", "8"],
}
RESPELT: dict[str, Callable[[str], str]] = {
    "plain": lambda key: key,
    "first-letter": lambda key: f"\\u{ord(key[0]):04x}{key[1:]}",
    "last-letter": lambda key: f"{key[:-1]}\\u{ord(key[-1]):04X}",
    "all-letters": lambda key: "".join(f"\\u{ord(letter):04x}" for letter in key),
}


@pytest.mark.parametrize("spelling", RESPELT)
@pytest.mark.parametrize(("key", "value"), [(k, v) for k, vs in DUPLICATES.items() for v in vs])
def test_a_duplicate_key_discards_the_answer(key: str, value: str, spelling: str) -> None:
    """Two readers of such an answer may see two different contents."""
    again = f'"{RESPELT[spelling](key)}":{value}'
    valid = sent(PREPARED).decode()
    for body in (f"{{{again},{valid[1:]}", f"{valid[:-1]},{again}}}"):
        for pair in (body, body.replace('":', '" : ')):
            assert refusal(recall, pair.encode()) in {
                "malformed",
                "status_mismatch",
                "byte_count_mismatch",
            }


def test_a_duplicate_that_changes_nothing_is_malformed() -> None:
    """No other rule would notice these."""
    for key, values in DUPLICATES.items():
        again = f'"{key}":{values[0]}'
        assert refusal(recall, f"{sent(PREPARED).decode()[:-1]},{again}}}".encode()) == "malformed"
    for reason in ("null", '"inference_timeout"'):
        both = f'"reason":{reason},"reason":{reason}'
        assert refusal(recall, f"{sent(EMPTY).decode()[:-1]},{both}}}".encode()) == "malformed"


@pytest.mark.parametrize("first", ['":"', '"::"', '"a:b"', "null", '"' + ":" * 20 + '"'])
def test_colons_do_not_hide_a_duplicate_content(first: str) -> None:
    body = sent(PREPARED).replace(b'"content":', f'"content":{first},"content":'.encode())
    assert refusal(recall, body) == "malformed"


# --- saving and search, both generations --------------------------------------------------------------------------

BAD_IDENTIFIER = [
    *['""', '" "', '"a b"', '" a"', '"a\\n"', '"\\na"', '"a\\u0000"', '"a\\u007f"', '"a\\u00a0"'],
    *[
        '"\\u00e9"',
        '"界"',
        '"' + "a" * 257 + '"',
        '"a\\r\\nX-Evil: 1"',
        "null",
        "7",
        "[]",
        "{}",
        None,
    ],
]
BAD_REVISION = [
    *["0", "-1", "1.0", "1e0", "true", '"1"', "null", "[]", "{}", None, "NaN", "Infinity", "1e400"],
    *[HUGE, f"-{HUGE}", BEYOND_PYTHON, str(2**63), "01"],
]
BAD_KIND = ['""', '"' + "k" * 129 + '"', "null", "7", "[]", None]
BAD_TEXT = ["null", "7", "true", "[]", '["a"]', '"\\ud800"', None]
NO_OBJECT = ["[]", '"x"', "7", "true", "{}"]
BAD_ARTIFACT: dict[Path, list[str | None]] = {
    (): [*NO_OBJECT, "null", None],
    ("family",): ['"memory"', '"Atomic-memory"', '""', '"experience"', "null", "7", None],
    ("artifact_id",): [*BAD_IDENTIFIER],
    ("revision",): [*BAD_REVISION],
}
BAD_MEMORY: dict[Path, list[str | None]] = {
    **BAD_ARTIFACT,
    ("family",): ['"atomic-memory"', '"Memory"', '""', "null", "7", None],
}
BAD_CITATION: dict[Path, list[str | None]] = {
    (): [*NO_OBJECT, "null", None],
    ("entry_id",): [*BAD_IDENTIFIER],
    ("entry_version_id",): [*BAD_IDENTIFIER],
    **{("memory_ref", *path): bad for path, bad in BAD_MEMORY.items()},
}
BAD_RECORD: dict[Path, list[str | None]] = {
    **{("artifact", *path): bad for path, bad in BAD_ARTIFACT.items()},
    ("kind",): [*BAD_KIND],
    ("text",): [*BAD_TEXT],
    ("state",): ['"deleted"', '"Active"', '"inactive"', '""', "null", "true", "[]", None],
    ("state_version",): ["-1", "1.0", "true", '"0"', "null", HUGE, str(2**63), None],
    ("merged_into_id",): ["7", "true", "[]", "{}", None],
}
BAD_SCORE = ["null", '"0.5"', "true", "NaN", "Infinity", "1e400", HUGE, BEYOND_PYTHON, "[]", None]
BAD_NAMES = ["null", '"text"', "{}", "[7]", "[null]", "7", None]
BAD_REMEMBERED: dict[Path, list[str | None]] = {
    ("changed",): ["null", '"true"', '"no"', '""', "1", "0", "1.0", "[]", "{}", None],
    ("records",): ["null", "{}", '"x"', "7", "true", "[null]", "[[]]", '["x"]', "[{}]", None],
    **{("records", 0, *path): bad for path, bad in BAD_RECORD.items()},
}
BAD_LEGACY_REMEMBERED: dict[Path, list[str | None]] = {
    **{("memory", *path): bad for path, bad in BAD_MEMORY.items()},
    ("entry",): ["[]", f'["{CANARY}"]', "[{}]", '"x"', "7", "false", "{}", None],
    **{("entry", "citation", *path): bad for path, bad in BAD_CITATION.items()},
    ("entry", "version"): [*BAD_REVISION],
    ("entry", "kind"): [*BAD_KIND],
    ("entry", "text"): [*BAD_TEXT],
    ("entry", "state"): ['"deleted"', '"forgotten"', '"Active"', '""', "null", "7", None],
    ("entry", "source_refs"): ["null", "{}", '"x"', "7", "[NaN]", '["\\ud800"]', None],
    ("entry", "artifact_refs"): ["null", "{}", '"x"', "7", None],
}
BAD_SEARCH: dict[Path, list[str | None]] = {
    ("mode",): ["null", "7", "[]", None],
    ("hits",): ["null", "{}", '"x"', "7", "[null]", "[[]]", "[{}]", None],
    **{("hits", 0, "memory", *path): bad for path, bad in BAD_RECORD.items()},
    ("hits", 0, "memory"): [*NO_OBJECT, "null", None],
    ("hits", 0, "score"): [*BAD_SCORE],
    ("hits", 0, "matched_by"): [*BAD_NAMES],
}
BAD_LEGACY_SEARCH: dict[Path, list[str | None]] = {
    **{
        ("memory", *path): [raw for raw in bad if path or raw != "null"]
        for path, bad in BAD_MEMORY.items()
    },
    ("mode",): ["7", "[]", None],
    ("hits",): ["null", "{}", '"x"', "7", "[null]", "[[]]", "[{}]", None],
    **{("hits", 0, "citation", *path): bad for path, bad in BAD_CITATION.items()},
    ("hits", 0, "text"): [*BAD_TEXT],
    ("hits", 0, "score"): [*BAD_SCORE],
    ("hits", 0, "matched_by"): [*BAD_NAMES],
}
BAD = {
    "remembered": BAD_REMEMBERED,
    "legacy-remembered": BAD_LEGACY_REMEMBERED,
    "search": BAD_SEARCH,
    "legacy-search": BAD_LEGACY_SEARCH,
}


@pytest.mark.parametrize(
    ("kind", "path", "raw"),
    [
        pytest.param(kind, path, raw, id=f"{kind}-{'.'.join(map(str, path))}={str(raw)[:20]}")
        for kind, table in BAD.items()
        for path, values in table.items()
        for raw in values
    ],
)
def test_a_wrong_value_is_refused(kind: str, path: Path, raw: str | None) -> None:
    decode, valid = DECODERS[kind]
    assert refusal(decode, sent(valid, path, raw)) == "malformed"


GOOD: dict[str, dict[Path, list[str]]] = {
    "remembered": {
        ("changed",): ["false"],
        ("records",): ["[]", json.dumps([RECORD, RECORD])],
        ("records", 0, "artifact", "artifact_id"): ['"a"', '"' + "a" * 256 + '"', '"!~\\"{}"'],
        ("records", 0, "artifact", "revision"): ["2", str(2**63 - 1)],
        ("records", 0, "kind"): ['"note"', '"用户"', '"' + "k" * 128 + '"'],
        ("records", 0, "text"): ['""', '"\\u0000"', '"\\ud83d\\ude00"', '"' + "a" * 2**21 + '"'],
        ("records", 0, "state"): ['"forgotten"', '"merged"', '"retired"'],
        ("records", 0, "state_version"): ["1", str(2**63 - 1)],
        ("records", 0, "merged_into_id"): ['"art_2"'],
    },
    "legacy-remembered": {
        ("entry",): ["null"],
        ("entry", "state"): ['"inactive"'],
        ("entry", "version"): [str(2**63 - 1)],
        ("entry", "source_refs"): [f'[{{"any":["thing",{HUGE},null,0.5]}},7]'],
        ("entry", "artifact_refs"): [json.dumps([MEMORY])],
        ("entry", "citation", "entry_id"): ['"' + "e" * 256 + '"'],
    },
    "search": {
        ("mode",): ['"hybrid"'],
        ("hits",): ["[]"],
        ("hits", 0, "score"): ["0", "-1", "1e-9", "1E5"],
        ("hits", 0, "matched_by"): ["[]", '["text","vector"]'],
        ("hits", 0, "memory", "state"): ['"forgotten"'],
    },
    "legacy-search": {  # memory and mode are null in a Scope that holds no memory yet (real 1.2.0)
        ("memory",): ["null"],
        ("mode",): ["null"],
        ("hits",): ["[]"],
        ("hits", 0, "score"): ["1"],
        ("hits", 0, "matched_by"): ["[]"],
    },
}


@pytest.mark.parametrize(
    ("kind", "path", "raw"),
    [
        pytest.param(kind, path, raw, id=f"{kind}-{'.'.join(map(str, path))}={raw[:20]}")
        for kind, table in GOOD.items()
        for path, values in table.items()
        for raw in values
    ],
)
def test_an_unusual_value_is_accepted(kind: str, path: Path, raw: str) -> None:
    decode, valid = DECODERS[kind]
    body = sent(valid, path, raw)
    decoded = decode(body)
    answer = decoded[0] if isinstance(decoded, tuple) else decoded
    assert json.loads(msgspec.json.encode(answer)) == json.loads(body)
    assert not isinstance(decoded, tuple) or decoded[1] is False


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


@pytest.mark.parametrize(
    "raw", ["null", "0", '"x"', "[]", "{}", HUGE, '{"records":[],"memory":1}'], ids=range(7)
)
@pytest.mark.parametrize(
    ("kind", "path"), [(kind, path) for kind in BAD for path in objects_in(DECODERS[kind][1])]
)
def test_an_added_key_is_tolerated_and_flagged(kind: str, path: Path, raw: str) -> None:
    """A committed save must not turn into an error because a later server says more."""
    decode, valid = DECODERS[kind]
    plain, more = decode(sent(valid)), decode(sent(valid, (*path, "later"), raw))
    if isinstance(plain, tuple):
        assert more == (plain[0], True)
    else:
        assert more == plain


def test_an_added_key_in_the_second_record_is_flagged() -> None:
    answer = {"changed": True, "records": [RECORD, {**RECORD, "later": 1}]}
    assert decode_remembered(sent(answer))[1] is True


def test_what_the_api_leaves_open_is_not_unfamiliar() -> None:
    body = sent(LEGACY_REMEMBERED, ("entry", "source_refs"), '[{"any":{"thing":[{}]}}]')
    assert decode_remembered(body)[1] is False


@pytest.mark.parametrize(
    ("answer", "kind", "flagged"),
    [
        (REMEMBERED, Remembered, False),
        (LEGACY_REMEMBERED, LegacyRemembered, False),
        ({**REMEMBERED, **LEGACY_REMEMBERED}, Remembered, True),
        ({**LEGACY_REMEMBERED, **REMEMBERED}, Remembered, True),
        ({**REMEMBERED, "entry": None}, Remembered, True),
        ({**REMEMBERED, "memory": CANARY}, Remembered, True),
        ({**LEGACY_REMEMBERED, "changed": False}, None, None),
        ({**LEGACY_REMEMBERED, "records": []}, None, None),
        ({**LEGACY_REMEMBERED, "records": None}, None, None),
        ({**LEGACY_REMEMBERED, "records": [RECORD]}, None, None),
        ({"changed": True, "entry": ENTRY}, None, None),
        ({"changed": True, "memory": MEMORY}, None, None),
        ({"memory": MEMORY, "records": [RECORD]}, None, None),
        ({"changed": True, "records": [ENTRY]}, None, None),
        ({"memory": MEMORY, "entry": RECORD}, None, None),
        ({"memory": MEMORY, "entry": [ENTRY]}, None, None),
        ({"memory": RECORD["artifact"], "entry": None}, None, None),
        (SEARCH, None, None),
        (ERROR, None, None),
        ({"detail": "Not Found"}, None, None),
    ],
)
def test_generations_of_a_save(answer: object, kind: type | None, flagged: bool | None) -> None:
    if kind is None:
        assert refusal(decode_remembered, sent(answer)) == "malformed"
    else:
        decoded, more = decode_remembered(sent(answer))
        assert (type(decoded), more) == (kind, flagged)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (SEARCH, SearchAnswer),
        (LEGACY_SEARCH, LegacySearchAnswer),
        ({**LEGACY_SEARCH, "later": 1}, LegacySearchAnswer),
        ({**SEARCH, "hits": [LEGACY_HIT]}, None),
        ({**LEGACY_SEARCH, "hits": [HIT]}, None),
        ({**SEARCH, "hits": [HIT, LEGACY_HIT]}, None),
        ({**SEARCH, "memory": None}, None),
        (REMEMBERED, None),
        (LEGACY_REMEMBERED, None),
        (ERROR, None),
    ],
)
def test_generations_of_a_search(answer: object, kind: type | None) -> None:
    if kind is None:
        assert refusal(decode_search, sent(answer)) == "malformed"
    else:
        assert type(decode_search(sent(answer))) is kind


def test_of_equal_keys_in_a_save_the_last_counts_and_each_is_checked() -> None:
    body = sent(REMEMBERED).decode()
    twice = f'{body[:-1]},"changed":false}}'.encode()
    answer, flagged = decode_remembered(twice)
    assert isinstance(answer, Remembered)
    assert (answer.changed, flagged) == (False, False)
    for wrong in ("null", '"yes"', "1"):
        assert refusal(decode_remembered, f'{{"changed":{wrong},{body[1:]}'.encode()) == "malformed"


@pytest.mark.parametrize("depth", [100, 200, 300, 400, 500, 700, 900, 1000, 2000, 5000, 20_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_never_breaks_the_answer_to_a_save(opening: str, closing: str, depth: int) -> None:
    """``source_refs`` may hold anything. After a save a RecursionError would hide what became of it."""
    nested = f"[{opening * depth}1{closing * depth}]"
    body = sent(LEGACY_REMEMBERED, ("entry", "source_refs"), nested)
    try:
        answer, flagged = decode_remembered(body)
    except AnswerError:
        return
    assert isinstance(answer, LegacyRemembered)
    assert flagged is False


# --- error bodies -------------------------------------------------------------------------------------------------


def error(path: Path, raw: str | None) -> bytes:
    return sent(ERROR, ("error", *path), raw)


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        (sent(ERROR), (True, "scope_not_found")),
        (error(("details",), None), (True, "scope_not_found")),
        (error(("details",), f'[{{"input":"{CANARY}"}},{HUGE}]'), (True, "scope_not_found")),
        (error(("message",), '""'), (True, "scope_not_found")),
        (error(("later",), "1"), (True, "scope_not_found")),
        (sent({**ERROR, "later": 1}), (True, "scope_not_found")),
        (sent({**ERROR, "detail": CANARY}), (True, "scope_not_found")),
        (error(("code",), f'"{CANARY}"'), (True, None)),
        (error(("code",), '""'), (True, None)),
        (error(("code",), '"SCOPE_NOT_FOUND"'), (True, None)),
        (error(("code",), '"scope_not_found "'), (True, None)),
        (error(("code",), '"scope_not_found\\u0000"'), (True, None)),
        (error(("code",), '"' + "a" * 2**20 + '"'), (True, None)),
        (error(("code",), "null"), (False, None)),
        (error(("code",), "404"), (False, None)),
        (error(("code",), '["scope_not_found"]'), (False, None)),
        (error(("code",), None), (False, None)),
        (error(("message",), None), (False, None)),
        (error(("message",), "null"), (False, None)),
        (error(("message",), "7"), (False, None)),
        (sent({"error": "scope_not_found"}), (False, None)),
        (sent({"error": None}), (False, None)),
        (sent({"error": ["scope_not_found"]}), (False, None)),
        (sent({"code": "scope_not_found", "message": ""}), (False, None)),
        (sent({"detail": "Not Found"}), (True, None)),
        (sent({"detail": "scope_not_found"}), (True, None)),
        (sent({"detail": CANARY, "later": 1}), (True, None)),
        (sent({"error": CANARY, "detail": CANARY}), (True, None)),
        (sent({"detail": None}), (False, None)),
        (sent({"detail": 7}), (False, None)),
        (sent({"detail": {"code": "scope_not_found"}}), (False, None)),
        (sent({"message": "Unauthorized"}), (False, None)),
        (sent(PREPARED), (False, None)),
        (sent(REMEMBERED), (False, None)),
        (error(("details",), "[" * 100_000 + "]" * 100_000), (False, None)),
        (error(("details",), "NaN"), (False, None)),
        (error(("details",), BEYOND_PYTHON), (False, None)),
    ],
    ids=lambda value: repr(value)[:70],
)
def test_error_bodies(body: bytes, verdict: tuple[bool, str | None]) -> None:
    assert decode_error(body) == verdict


@pytest.mark.parametrize("way", spoiled(b"{}"))
def test_a_spoiled_error_body_is_no_refusal_of_the_servers_own(way: str) -> None:
    # These two still are error bodies: an error says more than we read.
    if way in {"deep-extra", "nan-extra", "beyond-python-extra"}:
        assert decode_error(spoiled(sent(ERROR))[way]) in {(True, "scope_not_found"), (False, None)}
    else:
        assert decode_error(spoiled(sent(ERROR))[way]) == (False, None)


def test_an_error_body_cut_at_any_byte_is_none() -> None:
    body = sent(ERROR)
    assert {decode_error(body[:length]) for length in range(len(body))} == {(False, None)}


@pytest.mark.parametrize("code", sorted(KNOWN_CODES))
def test_known_codes(code: str) -> None:
    assert decode_error(error(("code",), json.dumps(code))) == (True, code)
    assert code.isascii()
    assert code.replace("_", "").replace("-", "").isalpha()


# --- what a server says of itself -----------------------------------------------------------------------------------

INFO = {
    "product": CANARY,
    "package_version": "1.4.1",
    "api_contract_version": {"major": 1, "minor": 2},
}
ABOUT: dict[str, tuple[Callable[[bytes], object], Mapping[str, object]]] = {
    "server-info": (functools.partial(decode, kind=ServerInfo), INFO),
    "scope": (functools.partial(decode, kind=Scope), {"scope_id": CANARY}),
    "capabilities": (
        functools.partial(decode, kind=Capabilities),
        {"search_modes": [CANARY, "fts"]},
    ),
}
NOT_REFUSED = {"deep-extra", "nan-extra", "beyond-python-extra"}  # an added key is skipped unread


@pytest.mark.parametrize("kind", ABOUT)
def test_what_a_server_says_of_itself(kind: str) -> None:
    decode, valid = ABOUT[kind]
    assert json.loads(msgspec.json.encode(decode(sent(valid)))) == valid
    for path in objects_in(valid):
        assert decode(sent(valid, (*path, "later"), '{"any":[1]}')) == decode(sent(valid))
    for way, body in spoiled(sent(valid)).items():
        if way not in NOT_REFUSED:
            assert refusal(decode, body) == "malformed", way
    for path in paths_in(valid):
        for raw in ("null", "1.5", "true", "{}", None):
            if raw is not None or not isinstance(path[-1], int):
                assert refusal(decode, sent(valid, path, raw)) == "malformed", (path, raw)


# --- what we send -------------------------------------------------------------------------------------------------

SPOKEN = 'Zo\u00eb 界 😀 "q" \\ / \n\x00\u2028'
SPOKEN_JSON = 'Zo\u00eb 界 😀 \\"q\\" \\\\ / \\n\\u0000\u2028'


def test_the_bytes_of_a_recall() -> None:
    assert (
        encode(PrepareRequest("scp_1", SPOKEN, 8000))
        == (
            f'{{"scope_id":"scp_1","query":"{SPOKEN_JSON}","max_bytes":8000,'
            '"assembly":{"format":"markdown","sections":[{"family":"memory","limit":6}]}}'
        ).encode()
    )


def test_the_bytes_of_a_save() -> None:
    assert encode(RememberRequest("scp_1", "fact", SPOKEN)) == (
        f'{{"scope_id":"scp_1","kind":"fact","text":"{SPOKEN_JSON}"}}'.encode()
    )


def test_the_bytes_of_a_search() -> None:
    assert encode(SearchRequest("scp_1", SPOKEN, 20)) == (
        f'{{"scope_id":"scp_1","query":"{SPOKEN_JSON}","limit":20,"mode":"fts"}}'.encode()
    )


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\ud83d\ude00"])
def test_a_lone_surrogate_is_not_sent(text: str) -> None:
    for request in (
        PrepareRequest("scp_1", text, 8000),
        PrepareRequest(text, "q", 8000),
        RememberRequest("scp_1", "fact", text),
        SearchRequest("scp_1", text, 20),
    ):
        with pytest.raises(UnicodeEncodeError):
            encode(request)


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=40), st.text(max_size=20))
def test_any_text_arrives_as_it_was(text: str, kind: str) -> None:
    body = encode(RememberRequest("scp_1", kind, text))
    assert json.loads(body) == {"scope_id": "scp_1", "kind": kind, "text": text}
    assert b"\\ud" not in body.replace(b"\\\\", b"")


def test_no_repr_shows_a_text() -> None:
    """As in outcomes: a repr ends up in logs and in the frames of error reporters."""
    shown = [
        PrepareRequest("scp_1", CANARY, 8000),
        RememberRequest("scp_1", "fact", CANARY),
        SearchRequest("scp_1", CANARY, 20),
        decode_remembered(sent(REMEMBERED)),
        decode_remembered(sent(LEGACY_REMEMBERED)),
        decode_search(sent(SEARCH)),
        decode_search(sent(LEGACY_SEARCH)),
    ]
    assert [type(value).__name__ for value in shown if CANARY in repr(value)] == []


def test_what_is_decoded_is_frozen() -> None:
    citation = ArtifactCitation("atomic-memory", "art_1", 1)
    with pytest.raises(AttributeError):
        citation.revision = 2  # type: ignore[misc]


# --- properties ---------------------------------------------------------------------------------------------------

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


def try_every_decoder(body: bytes) -> None:
    """Each gives a value of its type or an AnswerError, and nothing else escapes."""
    try:
        content = recall(body)
    except AnswerError:
        pass
    else:
        assert content is None or 0 < len(content.encode()) <= 8000
    for decoder in (decode_remembered, decode_search):
        with contextlib.suppress(AnswerError):
            decoder(body)
    structured, code = decode_error(body)
    assert code is None or (structured and code in KNOWN_CODES)


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=200))
def test_any_bytes(body: bytes) -> None:
    try_every_decoder(body)


@settings(deadline=None, max_examples=300)
@given(VALUES)
def test_any_json(value: object) -> None:
    try_every_decoder(json.dumps(value).encode())


@settings(deadline=None, max_examples=500)
@given(st.data())
def test_any_value_anywhere_in_a_sound_body(data: st.DataObject) -> None:
    base = data.draw(
        st.sampled_from(
            [PREPARED, EMPTY, REMEMBERED, LEGACY_REMEMBERED, SEARCH, LEGACY_SEARCH, ERROR]
        )
    )
    path = data.draw(st.sampled_from(paths_in(base)))
    try_every_decoder(sent(base, path, json.dumps(data.draw(VALUES))))


@settings(deadline=None, max_examples=500)
@given(st.data())
def test_any_byte_changed_in_a_sound_body(data: st.DataObject) -> None:
    body = bytearray(sent(data.draw(st.sampled_from([valid for _, valid in DECODERS.values()]))))
    for _ in range(data.draw(st.integers(1, 3))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    try_every_decoder(bytes(body))


@settings(deadline=None, max_examples=300)
@given(
    st.text(max_size=12),
    st.integers(1, 5000),
    st.sampled_from([-2, -1, 0, 1, 2, 100_000]),
    st.booleans(),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", " :\t")]),
)
def test_a_right_answer_is_accepted_if_and_only_if_it_fits(
    unit: str, times: int, spare: int, ascii_only: bool, separators: tuple[str, str]
) -> None:
    content = unit * times
    size = len(content.encode())
    budget = size + spare
    body = json.dumps(
        {**PREPARED, "content": content, "content_bytes": size},
        ensure_ascii=ascii_only,
        separators=separators,
    ).encode()
    if 0 < size <= min(budget, 32768):
        assert recall(body, budget) == content
    else:
        assert refusal(lambda given: recall(given, budget), body) == (
            "malformed" if size > 32768 else "over_budget" if size else "status_mismatch"
        )


CONTENTS = st.one_of(
    st.text(max_size=20).map(lambda text: json.dumps(text, ensure_ascii=False)),
    st.text(max_size=20).map(json.dumps),
    st.sampled_from(
        [
            *['null', '""', '"', '"\\"', '"a","content_bytes":1}', '"a","content":"b"', '"a" ,"status":"ready"'],
            *['"a","content_bytes":1},{"content":"b"', '["a"]', '1', '"\\ud800"', '"\n"', '"\\u0061"', ' "a" '],
        ]
    ),
)  # fmt: skip
COUNTS = st.one_of(
    st.integers(-2, 40).map(str),
    st.sampled_from(["00", "01", "-0", "1.0", "1e0", "32768", "32769", HUGE, " 1", "1 ", "", "１"]),
)


@settings(deadline=None, max_examples=1000)
@given(CONTENTS, COUNTS, st.integers(0, 60))
def test_white_space_changes_nothing(content: str, count: str, budget: int) -> None:
    """An answer to the byte as servers write it is read in another way than any other JSON, with the same result."""
    head, tail = '{"schema":"powercontext.prepared-context.v1","status":"ready",', "}"
    written = f'"content":{content},"content_bytes":{count}'

    def said(body: str) -> str | None:
        try:
            return recall(body.encode(), budget)
        except AnswerError as error:
            return error.code

    assert said(head + written + tail) == said(head + " " + written + tail)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_a_save_is_read_whole_or_flagged(data: st.DataObject) -> None:
    """Whatever a later server adds or changes: unflagged means that we understood every word."""
    base = data.draw(st.sampled_from([REMEMBERED, LEGACY_REMEMBERED]))
    path = data.draw(st.sampled_from([*paths_in(base), *((*at, "x") for at in objects_in(base))]))
    body = sent(base, path, json.dumps(data.draw(VALUES)))
    try:
        answer, flagged = decode_remembered(body)
    except AnswerError:
        return
    assert flagged is (json.loads(msgspec.json.encode(answer)) != json.loads(body))


# --- what is not known to us is passed over, and nothing is built of it --------------------------------------------

FILLINGS = {
    "arrays": "[" + "[]," * 340_000 + "0]",
    "objects": "[" + "{}," * 340_000 + "0]",
    "strings": "[" + '"",' * 340_000 + '""]',
    "numbers": "[" + "1," * 500_000 + "1]",
    "nested": "[" + '{"a":{"b":[[],[]]}},' * 50_000 + "0]",
    "keys": "{" + ",".join(f'"{number:x}":0' for number in range(110_000)) + "}",
}
HOSTILE: dict[str, Callable[[str], tuple[Callable[[bytes], object], bytes]]] = {
    "details": lambda raw: (decode_error, error(("details",), raw)),
    "beside an error": lambda raw: (decode_error, sent(ERROR, ("later",), raw)),
    "beside a framework's": lambda raw: (decode_error, sent({"detail": ""}, ("later",), raw)),
    "beside a save": lambda raw: (decode_remembered, sent(REMEMBERED, ("later",), raw)),
    "in a record": lambda raw: (decode_remembered, sent(REMEMBERED, ("records", 0, "later"), raw)),
    "source_refs": lambda raw: (
        decode_remembered,
        sent(LEGACY_REMEMBERED, ("entry", "source_refs"), raw),
    ),
    "beside a search": lambda raw: (decode_search, sent(SEARCH, ("later",), raw)),
    "in a hit": lambda raw: (decode_search, sent(SEARCH, ("hits", 0, "later"), raw)),
    "of a server": lambda raw: (ABOUT["server-info"][0], sent(INFO, ("later",), raw)),
}


@pytest.mark.parametrize("filling", FILLINGS)
@pytest.mark.parametrize("where", HOSTILE)
def test_nothing_is_built_of_what_is_not_known(where: str, filling: str) -> None:
    """A mebibyte of ``[]`` is 20 MB of lists, and half a second for whoever builds them on an event loop."""
    decode, body = HOSTILE[where](FILLINGS[filling])
    tracemalloc.start()
    try:
        with contextlib.suppress(AnswerError):
            decode(body)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3 * len(body)


def test_hundreds_of_large_hits_cost_little() -> None:
    large = {**HIT, "memory": {**RECORD, "text": "é\n" * 1200}}
    body = json.dumps({"mode": "text", "hits": [large] * 200}, ensure_ascii=False).encode()
    seconds = []
    for _ in range(5):
        started = time.process_time()
        decode_search(body)
        seconds.append(time.process_time() - started)
    assert min(seconds) < 0.02
