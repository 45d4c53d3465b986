# SPDX-License-Identifier: Apache-2.0
"""The pages of codes are what the table of codes gives, and the table is whole in both languages."""

from __future__ import annotations

from typing import get_args

import pytest

from powercontext_deerflow.doctor.findings import TABLE, Level
from scripts.doctor_codes import PAGES, page


@pytest.mark.parametrize("language", PAGES)
def test_the_committed_page_is_what_the_table_gives(language: str) -> None:
    assert page(language) == PAGES[language].read_text(encoding="utf-8"), "run make docs"


def test_every_level_is_known() -> None:
    assert TABLE["doctor"].keys() == set(get_args(Level))


def test_no_code_stands_on_two_levels() -> None:
    codes = [code for said in TABLE["doctor"].values() for code in said]
    assert len(set(codes)) == len(codes)


def test_a_next_step_is_there_in_every_language_or_in_none() -> None:
    for codes in TABLE["doctor"].values():
        for code, said in codes.items():
            assert said.keys() == PAGES.keys(), code
            assert len({bool(next_step) for _, next_step in said.values()}) == 1, code
