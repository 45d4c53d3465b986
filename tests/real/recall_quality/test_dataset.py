# SPDX-License-Identifier: Apache-2.0
"""The data set holds together: ids, references, counts, lengths, and comparable parts."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import get_args

from tests.real.recall_quality import dataset

TEAM = dataset.home("team")
MEMORIES = dataset.memories(TEAM)
PROMPTS = dataset.prompts(TEAM)
PARTS: tuple[dataset.Part, ...] = get_args(dataset.Part)
ENTRIES: tuple[dataset.Memory | dataset.Prompt, ...] = (*MEMORIES, *PROMPTS)
SHORT = range(5, 16)
LONG = range(20, 161)


def test_ids_are_unique_and_references_resolve() -> None:
    memory_ids = Counter(memory.id for memory in MEMORIES)
    prompt_ids = Counter(prompt.id for prompt in PROMPTS)
    assert max(memory_ids.values()) == 1
    assert max(prompt_ids.values()) == 1
    for prompt in PROMPTS:
        assert set(prompt.expected) <= memory_ids.keys(), prompt.id
        assert len(set(prompt.expected)) == len(prompt.expected) <= 2, prompt.id


def test_there_is_enough_of_everything() -> None:
    assert len(MEMORIES) >= 64
    assert len(PROMPTS) >= 208
    assert sum(not prompt.expected for prompt in PROMPTS) >= 54
    assert sum(len(prompt.expected) == 2 for prompt in PROMPTS) >= 12
    languages = Counter(entry.language for entry in ENTRIES)
    assert 0.55 <= languages["en"] / languages.total() <= 0.65
    kinds = {"fact", "preference", "convention", "decision", "constraint"}
    assert {memory.kind for memory in MEMORIES} == kinds


def test_every_text_is_in_its_language_and_in_the_form_a_server_keeps() -> None:
    assert [entry.id for entry in ENTRIES if not _is_well_formed(entry)] == []


def _is_well_formed(entry: dataset.Memory | dataset.Prompt) -> bool:
    chinese = any("\u4e00" <= char <= "\u9fff" for char in entry.text)
    return (
        entry.language in {"en", "zh"}
        and chinese == (entry.language == "zh")
        and entry.text == unicodedata.normalize("NFC", entry.text.strip())
    )


def test_texts_are_as_long_as_people_write_them() -> None:
    for memory in MEMORIES:
        assert 8 <= dataset.words(memory.text) <= 45, memory.id
    for prompt in PROMPTS:
        length = dataset.words(prompt.text)
        assert length in SHORT or length in LONG, f"{prompt.id}: {length}"


def test_no_text_occurs_twice() -> None:
    texts = Counter(entry.text.casefold() for entry in ENTRIES)
    assert max(texts.values()) == 1


def test_the_parts_are_alike() -> None:
    def group(prompt: dataset.Prompt) -> tuple[str, bool, bool]:
        return prompt.language, dataset.words(prompt.text) in LONG, bool(prompt.expected)

    tuning, *others = (
        Counter(group(prompt) for prompt in PROMPTS if prompt.part == part) for part in PARTS
    )
    assert len(tuning) == 8  # every kind of prompt is there
    assert others == [tuning] * 2
    assert 3 * tuning.total() == len(PROMPTS)


def test_filler_is_deterministic_different_and_of_another_world() -> None:
    texts = dataset.filler(1000, seed=7)
    assert texts == dataset.filler(1000, seed=7)
    assert texts != dataset.filler(1000, seed=8)
    assert len(set(texts)) == 1000
    assert not {memory.text for memory in MEMORIES} & set(texts)
    han = sum(any("\u4e00" <= char <= "\u9fff" for char in text) for text in texts)
    assert han == 400
    assert all(8 <= dataset.words(text) <= 45 for text in texts)


NEWER = {
    "tidewell": {"en": 48, "zh": 32, "mixed": 16},
    "lumora": {"ja": 12, "ko": 12, "de": 12, "es": 12, "ru": 12, "en": 12},
}


def test_the_newer_sets_are_of_every_kind_and_their_parts_are_alike() -> None:
    for name, languages in NEWER.items():
        known = {memory.id for memory in dataset.memories(dataset.home(name))}
        prompts = dataset.prompts(dataset.home(name))
        assert len({prompt.id for prompt in prompts}) == len({prompt.text for prompt in prompts})
        assert len(prompts) == 2 * sum(languages.values())
        assert all(set(prompt.expected) <= known for prompt in prompts)
        parts = [
            [prompt for prompt in prompts if prompt.part == part]
            for part in ("tuning", "kept_aside")
        ]
        kinds, others = (Counter((it.kind, it.language) for it in part) for part in parts)
        assert kinds == others
        assert {kind for kind, _ in kinds} == set(get_args(dataset.Kind))
        assert Counter(prompt.language for prompt in parts[0]) == languages
        for prompt in prompts:
            wanted = {"none": 0, "decoy": 0, "two": 2}.get(prompt.kind, 1)
            assert len(set(prompt.expected)) == wanted, prompt.id
