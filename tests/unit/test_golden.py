# SPDX-License-Identifier: Apache-2.0
"""Every answer captured from a real server, through the decoder that production uses.

A golden is the server's own word: no decoder may refuse a captured 200, and no captured error may lose its code.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from powercontext_deerflow.api import calls
from powercontext_deerflow.api.wire import (
    KNOWN_CODES,
    LegacyRemembered,
    LegacySearchAnswer,
    Remembered,
    SearchAnswer,
    decode,
    decode_error,
    decode_prepared,
    decode_remembered,
    decode_search,
)
from powercontext_deerflow.api.wire.records import WideAnswer
from powercontext_deerflow.errors import AnswerError
from powercontext_deerflow.transport import Answer
from tests.support.cases import each_case

GOLDEN = Path(__file__).parent.parent / "support" / "golden"
PREPARE = ("POST", "/v1/context/prepare")
REMEMBER = ("POST", "/v1/memory/remember")
SEARCH = ("POST", "/v1/memory/search")
WIDE_SEARCH = "/artifacts/atomic-memory/search"
LEGACY_SERVERS = {"1.0.0", "1.1.0", "1.2.0"}
DEFAULT_BUDGET = 8000  # what a server takes if the request names none


@cache
def golden(case: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((GOLDEN / f"{case}.json").read_text(encoding="utf-8"))
    return read


def operation(case: str) -> tuple[str, str]:
    request = golden(case)["request"]
    return request["method"], request["path"]


def status(case: str) -> int:
    code: int = golden(case)["response"]["status"]
    return code


def body(case: str) -> bytes:
    text: str = golden(case)["response"]["body"]
    return text.encode()


def is_legacy(case: str) -> bool:
    return golden(case)["server"]["package_version"] in LEGACY_SERVERS


CASES = sorted(path.stem for path in GOLDEN.glob("*.json"))
PREPARED, REMEMBERED, SEARCHED = (
    [case for case in CASES if operation(case) == wanted and status(case) == 200]
    for wanted in (PREPARE, REMEMBER, SEARCH)
)
WIDE = [case for case in CASES if operation(case)[1].endswith(WIDE_SEARCH) and status(case) == 200]
ERRORS = [case for case in CASES if status(case) >= 400]


def test_the_goldens_are_here() -> None:
    """An empty or thinned folder would make every test below pass."""
    assert len(PREPARED) >= 119
    assert len(REMEMBERED) >= 72
    assert len(SEARCHED) >= 15
    assert len(WIDE) >= 5
    assert len(ERRORS) >= 260
    versions = Counter(golden(case)["server"]["package_version"] for case in REMEMBERED)
    assert versions.keys() == {"1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0", "1.4.1"}
    assert {json.loads(body(case))["status"] for case in PREPARED} == {"ready", "empty"}


@each_case("case", PREPARED)
def test_prepared(case: str) -> None:
    said = json.loads(body(case))
    budget = json.loads(golden(case)["request"]["body"]).get("max_bytes", DEFAULT_BUDGET)

    expected = (said["content"], said["content_bytes"]) if said["status"] == "ready" else None

    assert decode_prepared(body(case), budget) == expected

    if said["status"] == "ready":
        assert decode_prepared(body(case), said["content_bytes"]) == expected
        with pytest.raises(AnswerError) as refused:
            decode_prepared(body(case), said["content_bytes"] - 1)
        assert refused.value.code == "over_budget"


@each_case("case", REMEMBERED)
def test_remembered(case: str) -> None:
    answer, unfamiliar_keys = decode_remembered(body(case))

    assert type(answer) is (LegacyRemembered if is_legacy(case) else Remembered)
    assert json.loads(msgspec.json.encode(answer)) == json.loads(body(case))
    assert unfamiliar_keys is False


@each_case("case", SEARCHED)
def test_search(case: str) -> None:
    answer = decode_search(body(case))

    assert type(answer) is (LegacySearchAnswer if is_legacy(case) else SearchAnswer)
    assert json.loads(msgspec.json.encode(answer)) == json.loads(body(case))


@each_case("case", WIDE)
def test_wide_search(case: str) -> None:
    answer = decode(body(case), WideAnswer)

    said = json.loads(body(case))["results"]
    assert [(one.artifact_id, one.content.text) for one in answer.results] == [
        (one["artifact_id"], one["content"]["text"]) for one in said
    ]


@each_case("case", PREPARED)
def test_which_servers_say_that_they_take_a_wide_search(case: str) -> None:
    headers = [
        (name.encode(), value.encode()) for name, value in golden(case)["response"]["headers"]
    ]
    says_so = golden(case)["server"]["package_version"] in ("1.4.0", "1.4.1")

    assert calls.is_wide(Answer(200, headers, b"")) is says_so


@each_case("case", ERRORS)
def test_error_body(case: str) -> None:
    said = json.loads(body(case))
    code = said["error"]["code"] if "error" in said else None

    assert decode_error(body(case)) == (True, code if code in KNOWN_CODES else None)


def test_every_captured_error_code_is_known() -> None:
    """A code that is not in the list reaches the operator as a bare ``http_<status>``."""
    said = {
        json.loads(body(case))["error"]["code"]: case for case in ERRORS if b'"error"' in body(case)
    }

    assert len(said) >= 20
    assert {code: case for code, case in said.items() if code not in KNOWN_CODES} == {}


@each_case("case", ERRORS)
def test_an_error_body_is_no_answer(case: str) -> None:
    """Should a proxy turn its status into 200, none of these may be taken for an answer."""
    for read in (lambda sent: decode_prepared(sent, 32768), decode_remembered, decode_search):
        with pytest.raises(AnswerError):
            read(body(case))
