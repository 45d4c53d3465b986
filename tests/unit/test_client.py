# SPDX-License-Identifier: Apache-2.0
"""The client without a server: what it is made of, and that each operation has a twin that does not block."""

from __future__ import annotations

import inspect

import pytest

from powercontext_deerflow import InputError, PowerContext, Settings
from tests.support.cases import each_case
from tests.support.lookalikes import Alike

TWINS = [name for name in dir(PowerContext) if name[0] == "a" and name[1:] in dir(PowerContext)]


def test_there_is_a_twin_for_each_operation() -> None:
    assert len(TWINS) >= 14


@each_case("name", TWINS)
def test_what_does_not_block_is_called_and_described_as_what_does(name: str) -> None:
    twin, plain = getattr(PowerContext, name), getattr(PowerContext, name[1:])
    ours, its = inspect.signature(twin), inspect.signature(plain)
    assert ours.parameters == its.parameters
    assert f"``{name[1:]}``" in (twin.__doc__ or "")
    assert twin.__name__ == name


def test_a_client_wants_settings() -> None:
    mock = {"base_url": "http://localhost", "scope_id": "s", "token": "t"}
    for wrong in ("http://localhost", None, mock, Settings, object(), Alike()):
        with pytest.raises(InputError) as refused:
            PowerContext(wrong)  # type: ignore[arg-type]
        assert (refused.value.code, refused.value.field) == ("settings_not_settings", "settings")
