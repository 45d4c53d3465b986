# SPDX-License-Identifier: Apache-2.0
"""The bytes that we send, and what no repr shows of them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercontext_deerflow.api.wire import (
    ArtifactCitation,
    PrepareRequest,
    RememberRequest,
    SearchRequest,
    decode,
    decode_remembered,
    decode_search,
    encode,
)
from powercontext_deerflow.api.wire.records import KindFilter, WideAnswer, WideRequest
from tests.support.cases import each_case
from tests.unit.wire.bodies import (
    CANARY,
    LEGACY_REMEMBERED,
    LEGACY_SEARCH,
    REMEMBERED,
    SEARCH,
    WIDE,
    sent,
)

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


def test_the_bytes_of_a_wide_search() -> None:
    admission = '"admission":{"lexical_coverage":0.0,"lexical_min_matched_terms":1}'
    assert encode(WideRequest(SPOKEN, 20)) == (
        f'{{"query":"{SPOKEN_JSON}","limit":20,"mode":"text",{admission}}}'.encode()
    )
    assert encode(WideRequest("q", 1, filters=KindFilter("fact"))) == (
        f'{{"query":"q","limit":1,"mode":"text",{admission},"filters":{{"kind":"fact"}}}}'.encode()
    )


@each_case("text", ["\ud800", "a\udfff", "\ud83d\ude00"])
def test_a_lone_surrogate_is_not_sent(text: str) -> None:
    for request in (
        PrepareRequest("scp_1", text, 8000),
        PrepareRequest(text, "q", 8000),
        RememberRequest("scp_1", "fact", text),
        SearchRequest("scp_1", text, 20),
        WideRequest(text, 20),
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
        WideRequest(CANARY, 20),
        decode(sent(WIDE), WideAnswer),
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
