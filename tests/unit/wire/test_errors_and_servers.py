# SPDX-License-Identifier: Apache-2.0
"""Error bodies, of which only known codes are repeated; and what a server says of itself."""

from __future__ import annotations

import json

import msgspec

from powercontext_deerflow.api.wire import KNOWN_CODES, decode_error
from tests.support.cases import each_case
from tests.unit.wire.bodies import (
    ABOUT,
    BEYOND_PYTHON,
    CANARY,
    ERROR,
    HUGE,
    PREPARED,
    REMEMBERED,
    error,
    objects_in,
    paths_in,
    refusal,
    sent,
    spoiled,
)

# --- error bodies


@each_case(
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
)
def test_error_bodies(body: bytes, verdict: tuple[bool, str | None]) -> None:
    assert decode_error(body) == verdict


@each_case("way", spoiled(b"{}"))
def test_a_spoiled_error_body_is_no_refusal_of_the_servers_own(way: str) -> None:
    # These two still are error bodies: an error says more than we read.
    if way in {"deep-extra", "nan-extra", "beyond-python-extra"}:
        assert decode_error(spoiled(sent(ERROR))[way]) in {(True, "scope_not_found"), (False, None)}
    else:
        assert decode_error(spoiled(sent(ERROR))[way]) == (False, None)


def test_an_error_body_cut_at_any_byte_is_none() -> None:
    body = sent(ERROR)
    assert {decode_error(body[:length]) for length in range(len(body))} == {(False, None)}


@each_case("code", sorted(KNOWN_CODES))
def test_known_codes(code: str) -> None:
    assert decode_error(error(("code",), json.dumps(code))) == (True, code)
    assert code.isascii()
    assert code.replace("_", "").replace("-", "").isalpha()


# --- what a server says of itself


NOT_REFUSED = {"deep-extra", "nan-extra", "beyond-python-extra"}  # an added key is skipped unread


@each_case("kind", ABOUT)
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
            if path[-1] == "created_at" and raw in ("null", None):
                continue  # not every server tells the time
            if raw is not None or not isinstance(path[-1], int):
                assert refusal(decode, sent(valid, path, raw)) == "malformed", (path, raw)
