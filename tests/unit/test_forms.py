# SPDX-License-Identifier: Apache-2.0
"""Words, and the forms of one word that a server is asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from powercontext_deerflow.limits import MAX_QUERY_CODE_POINTS, is_encodable
from powercontext_deerflow.operations import forms
from tests.support.cases import each_case
from tests.support.cost import costs_less
from tests.support.texts import SLOW, adversarial


@each_case(
    ("text", "words"),
    [
        ("Where does the refundQueue stop?", ["refund", "queue", "refundqueue"]),
        ("mask_pii, kz-core-1", ["mask", "pii", "kz", "core"]),
        ("Dürfen Verträge", ["durfen", "vertrage"]),
        ("请帮我给库存服务加一个校验", ["库存", "存服", "服务", "务加", "校验"]),
        ("注文サービスは", ["注文", "サービス"]),
        ("주차장은", ["주차", "차장"]),
        ("E47", ["e47"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert [word for word in forms.words(text) if word != "stop"] == words


@each_case(
    ("one", "other"),
    [
        ("releases", "release"),
        ("policy", "policies"),
        ("deployed", "deploying"),
        ("vertrage", "vertrag"),
        ("договоры", "договора"),
        ("ветку", "ветка"),
        ("facturas", "factura"),
    ],
)
def test_two_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert forms.stem(one) == forms.stem(other)


@each_case(
    ("query", "form"),
    [
        ("max label rps", "maxlabelrps"),
        ("stockSyncJob", "stock_sync_job"),
        ("purge-readings", "purgereadings"),
        ("calib_offset", "caliboffset"),
        ("new laptop", "laptops"),
        ("ветку", "ветки"),
        ("teh choise wiregaurd", "wireguard"),
        ("타임아웃", "타임아웃은"),
        ("センサー", "センサーの"),
    ],
)
def test_a_widened_query_has_other_forms(query: str, form: str) -> None:
    assert form in forms.widened(query).split()


@examples(deadline=None)
@given(st.text() | adversarial)
def test_any_text_is_widened_within_bounds(query: str) -> None:
    widened = forms.widened(query)
    assert len(widened) <= MAX_QUERY_CODE_POINTS
    assert widened.strip() == widened
    assert is_encodable(widened) or not is_encodable(query)
    assert forms.widened(query[:MAX_QUERY_CODE_POINTS]) == widened


@pytest.mark.parametrize("query", SLOW, ids=lambda query: ascii(query[:4]))
def test_the_work_is_bounded(query: str) -> None:
    assert costs_less(0.3, lambda: forms.widened(query))
    assert costs_less(0.3, lambda: list(forms.words(query)))
