# SPDX-License-Identifier: Apache-2.0
"""What a conversation was given already: each memory once, within bounds, and nothing that anybody wrote is kept."""

from __future__ import annotations

import gc

from powercontext_deerflow.host.given import Given
from powercontext_deerflow.outcomes import Recalled
from tests.support.cases import each_case

SCOPE = "scp_1"


def recalled(*refs: str) -> Recalled:
    text = "".join(
        f'    Scope: "{SCOPE}"\n    Artifact: family="atomic-memory", id="{name}", revision={revision}\n'
        for name, revision in (ref.split("@") for ref in refs)
    )
    return Recalled(text, len(text))


def test_a_memory_is_given_once_and_what_is_new_brings_the_whole_text() -> None:
    given = Given()
    assert given.is_new("t", "first", recalled("a@1", "b@1"))
    assert not given.is_new("t", "second", recalled("b@1"))
    assert given.is_new("t", "third", recalled("b@1", "c@1"))
    assert not given.is_new("t", "fourth", recalled("a@1", "b@1", "c@1"))
    assert given.is_new("t", "fifth", recalled("a@2")), "it was corrected"
    assert given.is_new("another", "first", recalled("a@1"))


def test_a_turn_said_again_gets_its_text_again() -> None:
    given = Given()
    assert given.is_new("t", "first", recalled("a@1"))
    assert given.is_new("t", "first", recalled("a@1")), "the host regenerates, or gave up waiting"
    assert not given.is_new("t", "second", recalled("a@1"))


@each_case("thread", [None, 7, "x" * 257])
def test_without_a_thread_everything_is_new(thread: object) -> None:
    given = Given()
    assert all(given.is_new(thread, said, recalled("a@1")) for said in ("first", "second"))


def test_a_text_that_cites_nothing_is_always_new() -> None:
    given = Given()
    assert all(given.is_new("t", said, Recalled("text", 4)) for said in ("first", "second"))


def test_what_is_kept_is_bounded_and_the_least_used_goes_first() -> None:
    given = Given()
    for at in range(2_000):
        given.is_new(f"t{at}", "first", recalled("a@1"))
    assert not given.is_new("t1999", "second", recalled("a@1"))
    assert given.is_new("t0", "second", recalled("a@1")), "forgotten, so it is given again"
    for at in range(1_000):
        given.is_new("t1999", f"{at}", recalled(f"m{at}@1"))
    kept = sum(map(len, given._threads.values()))
    assert len(given._threads) <= 500
    assert kept <= 500 + 100


def test_nothing_that_somebody_wrote_is_kept() -> None:
    given = Given()
    given.is_new("t", "CANARY of the user", recalled("CANARY@1"))
    held = gc.get_referents(*given._threads.values())
    assert all(type(one) is int for one in held if type(one) in (int, str, bytes, tuple))
