# SPDX-License-Identifier: Apache-2.0
"""The pictures are what `make docs` draws, and name nothing that is not there."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from scripts import pictures


def texts(drawn: str) -> list[str | None]:
    return [text.text for text in ElementTree.fromstring(drawn).findall(".//{*}text")]


@pytest.mark.parametrize("name", pictures.pictures())
def test_each_picture_is_what_the_script_draws(name: str) -> None:
    assert (pictures.FOLDER / name).read_text() == pictures.pictures()[name], "run `make docs`"


def test_every_room_of_the_contracts_is_drawn() -> None:
    assert texts(pictures.rooms()) == [room for layer in pictures.layers() for room in layer]


@pytest.mark.parametrize("name", pictures.WAYS)
def test_a_way_leads_through_rooms_that_exist(name: str) -> None:
    assert texts(pictures.way(name)) == [word for step in pictures.WAYS[name] for word in step]
    for room, _ in pictures.WAYS[name]:
        module = pictures.ROOT / "powercontext_deerflow" / f"{room}.py"
        assert room in pictures.OTHERS or module.exists(), room
