# SPDX-License-Identifier: Apache-2.0
"""What holds for every message: a spoiled body is refused in silence, any body is survived.

The captured bodies of real servers are in tests/unit/test_golden.py.
"""

from __future__ import annotations

import contextlib
import json
import tracemalloc
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercontext_deerflow.api.wire import (
    KNOWN_CODES,
    PreparedContext,
    decode_error,
    decode_remembered,
    decode_search,
)
from powercontext_deerflow.errors import AnswerError
from tests.support.cases import each_case
from tests.support.cost import costs_less
from tests.unit.wire.bodies import (
    ABOUT,
    CANARY,
    DECODERS,
    EMPTY,
    ERROR,
    HIT,
    INFO,
    LEGACY_REMEMBERED,
    LEGACY_SEARCH,
    PREPARED,
    RECORD,
    REMEMBERED,
    SEARCH,
    VALUES,
    WIDE,
    error,
    paths_in,
    recall,
    refusal,
    sent,
    spoiled,
)

# --- what spoils any body


@each_case("kind", DECODERS)
def test_the_sound_body_is_accepted(kind: str) -> None:
    """Else the refusals below would prove nothing."""
    decode, valid = DECODERS[kind]
    assert decode(sent(valid))
    assert decode(json.dumps(valid, indent=2).encode())
    assert decode(b" \r\n\t" + sent(valid) + b" \r\n\t")
    assert decode(sent(valid) + b" " * 2**21)


@each_case("way", spoiled(b"{}"))
@each_case("kind", DECODERS)
def test_a_spoiled_body_is_refused(kind: str, way: str) -> None:
    decode, valid = DECODERS[kind]
    assert refusal(decode, spoiled(sent(valid))[way]) == "malformed"


@each_case("kind", DECODERS)
def test_a_body_cut_at_any_byte_is_refused(kind: str) -> None:
    decode, valid = DECODERS[kind]
    body = sent(valid)
    for length in range(len(body)):
        assert refusal(decode, body[:length]) == "malformed", length


def test_the_decoder_does_quote_what_it_read() -> None:
    """Else the search for the canary in every refusal would prove nothing."""
    with pytest.raises(msgspec.ValidationError, match=CANARY):
        msgspec.json.decode(sent({**PREPARED, CANARY: 1}), type=PreparedContext)


# --- properties


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


# --- what is not known to us is passed over, and nothing is built of it


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
    "in a wide hit": lambda raw: (
        ABOUT["wide-search"][0],
        sent(WIDE, ("results", 0, "later"), raw),
    ),
    "of a server": lambda raw: (ABOUT["server-info"][0], sent(INFO, ("later",), raw)),
}


@each_case("filling", FILLINGS)
@each_case("where", HOSTILE)
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
    assert costs_less(0.05, lambda: decode_search(body))
