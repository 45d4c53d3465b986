# SPDX-License-Identifier: Apache-2.0
"""The page of evidence: each claim beside what was tried, and no limit that belongs to no claim."""

from __future__ import annotations

from typing import Any

import pytest

from powercontext_deerflow import AlreadySaved, RecallFailed, Saved, SaveUnknown
from scripts.evidence import claims, page
from tests.support.evidence import label, operation, texture
from tests.support.known_limits import KNOWN_LIMITS

NOTHING: dict[str, Any] = {
    "figures": {},
    "overshoot_ms": -3.0,
    "requests": {},
    "outcomes": {},
    "sent": {},
    "tests": {},
    "situations": {},
}
SOME: dict[str, Any] = {
    "figures": {
        "repeated of one letter or digit": 2,
        "repetitions": 3,
        "duplicates_made": 1,
        "tool_saves": 5,
        "tool_reports": 4,
        "saves_read_back": 7,
    },
    "overshoot_ms": 11.4,
    "requests": {"memory/search": 3},
    "outcomes": {"recall": {"Recalled": 2}, "remember": {"Saved (answer)": 1}},
    "sent": {"Saved (answer)": {"1": 2}, "SaveUnknown (answer_timeout)": {"1": 1, "2": 1}},
    "tests": {"hostile passed": 4, "acceptance failed": 1},
    "situations": {"hostile/test_time: Every call ends.": {"recall": 4}},
}


def test_each_known_limit_belongs_to_a_claim_and_is_on_the_page() -> None:
    made = {claim for claim, _, _ in claims(NOTHING)}
    assert {limit.claim for limit in KNOWN_LIMITS} <= made
    written = page(NOTHING)
    assert all(cell in written for limit in KNOWN_LIMITS for cell in limit)


def test_a_claim_says_what_was_tried_and_what_was_seen() -> None:
    said = {claim: (tried, seen) for claim, tried, seen in claims(SOME)}
    assert len(said) == 6
    tried, seen = said["what is saved again is still one memory"]
    assert tried.startswith("2 texts saved again 3 times")
    assert "2 of one letter or digit" in tried
    assert seen == "1 memories too many"
    assert said["a save is sent once"] == (
        "4 saves; 2 of them sent without an answer that says how they ended",
        "1 sent more than once",
    )
    assert said["each save by the tool is reported once"][1] == "-1 reports"
    assert said["a call ends by its deadline"][0].startswith("3 calls")
    written = page(SOME)
    assert "| Saved (answer) | – | 1 |" in written
    assert "failed: 1" in written
    assert "11 ms" in written


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("👍🎉🚀", "without a letter or digit"),
        ("---", "without a letter or digit"),
        ("", "without a letter or digit"),
        ("a", "of one letter or digit"),
        ("好。", "of one letter or digit"),
        ("Use tabs.", "in ASCII letters"),
        ("用 pnpm。", "in other letters"),
    ],
)
def test_texts_are_told_apart_by_what_a_search_can_make_of_them(text: str, kind: str) -> None:
    assert texture(text) == kind


def test_outcomes_and_operations_have_names_without_content() -> None:
    assert label(Saved(None)) == "Saved (answer)"  # type: ignore[arg-type]
    assert label(AlreadySaved(None)) == "AlreadySaved"
    assert label(SaveUnknown("answer_timeout")) == "SaveUnknown (answer_timeout)"
    assert label(RecallFailed("http_503", 503)) == "RecallFailed (http_503)"
    assert operation("/prefix/v1/memory/search") == "memory/search"
    assert operation("/v1/scopes/scp_1") == "other"
