# SPDX-License-Identifier: Apache-2.0
"""The picture of the rooms is what `make docs` draws from the import contracts."""

from __future__ import annotations

from xml.etree import ElementTree

from scripts import pictures


def test_the_picture_is_what_the_script_draws() -> None:
    committed = pictures.PICTURE.read_text()
    assert committed == pictures.rooms(), "run `make docs`"
    named = [text.text for text in ElementTree.fromstring(committed).findall(".//{*}text")]
    assert named == [room for layer in pictures.layers() for room in layer]
