# SPDX-License-Identifier: Apache-2.0
"""The answer to a recall: exactly what was prepared, to the byte, or nothing of it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercontext_deerflow.errors import AnswerError
from tests.support.cases import each_case
from tests.unit.wire.bodies import (
    BEYOND_PYTHON,
    CANARY,
    EMPTY,
    HUGE,
    PREPARED,
    recall,
    refusal,
    sent,
)

# --- recall: accepted


def prepared(content: str, size: int | None = None, **more: object) -> bytes:
    size = len(content.encode()) if size is None else size
    return sent({**PREPARED, "content": content, "content_bytes": size, **more})


@each_case(
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


@each_case(
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


# --- recall: refused


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


@each_case("case", MISFITS)
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


@each_case("spelling", RESPELT)
@each_case(("key", "value"), [(k, v) for k, vs in DUPLICATES.items() for v in vs])
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


@each_case("first", ['":"', '"::"', '"a:b"', "null", '"' + ":" * 20 + '"'])
def test_colons_do_not_hide_a_duplicate_content(first: str) -> None:
    body = sent(PREPARED).replace(b'"content":', f'"content":{first},"content":'.encode())
    assert refusal(recall, body) == "malformed"


# --- properties


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
