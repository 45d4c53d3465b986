# SPDX-License-Identifier: Apache-2.0
"""What the documentation says is so: names and codes are real, links resolve, both languages agree."""

from __future__ import annotations

import ast
import inspect
import logging
import re
import tomllib
from dataclasses import fields

import pytest

from powercontext_deerflow import Settings, errors
from powercontext_deerflow.api import wire
from powercontext_deerflow.host.events import Event, Events
from powercontext_deerflow.settings import PREFIX
from powercontext_deerflow.transport import UNREACHABLE
from tests.project.docs.pages import ARCHITECTURE, GUIDES, PAGES, PAIRS, ROOT, SDK, Page
from tests.project.test_architecture import modules

_OUTCOMES = {
    *("AnswerError", "InputError", "TransportError", "RecallFailed", "NothingRecalled"),
    *("SaveUnknown", "SaveRejected", "SaveNotSent"),
}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: str(pair[0]))
def test_both_languages_have_the_same_headings_code_blocks_and_tables(
    pair: tuple[Page, Page],
) -> None:
    english, chinese = pair
    assert [level for level, _ in english.headings] == [level for level, _ in chinese.headings]
    assert english.uncommented == chinese.uncommented
    assert [len(row) for row in english.rows()] == [len(row) for row in chinese.rows()]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_and_anchors_resolve(page: Page) -> None:
    for link in page.links:
        assert not link.startswith("http"), f"{link}: needs the network to be checked"
        path, _, anchor = link.partition("#")
        target = Page((page.path.parent / path).resolve()) if path else page
        assert target.path.exists(), link
        assert not anchor or anchor in target.anchors, link


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_variable_of_ours_exists(page: Page) -> None:
    assert _variables(page.text) <= _settings()


@pytest.mark.parametrize("page", [*GUIDES, *PAIRS[0]], ids=str)
def test_every_setting_is_explained(page: Page) -> None:
    assert _variables(page.text) == _settings()


def _variables(text: str) -> set[str]:
    return set(re.findall(PREFIX + r"[A-Z][A-Z_]*", text))


def _settings() -> set[str]:
    return {PREFIX + field.name.upper() for field in fields(Settings)}


def test_the_tables_of_events_and_the_code_agree() -> None:
    strings, outcomes = set(), set(UNREACHABLE)
    for path in modules().values():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                strings.add(node.value)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                position = 1 if node.func.id == "Event" else 0
                if node.func.id in _OUTCOMES | {"Event"} and len(node.args) > position:
                    code = node.args[position]
                    if isinstance(code, ast.Constant) and isinstance(code.value, str):
                        outcomes.add(code.value)
    documented = [_event_codes(guide) for guide in GUIDES]
    assert documented[0] == documented[1]
    assert documented[0] <= strings | wire.KNOWN_CODES
    # The host passes nothing but text, and lists nothing.
    outcomes -= {"not_json", "environ_not_a_mapping", "share_out_of_range", "no_asyncio_loop"}
    assert outcomes - {"cursor_repeated", "over_limit"} <= documented[0]


_EVENTS = {"recall", "remember", "find", "correct", "forget", "settings"}


def _event_codes(guide: Page) -> set[str]:
    """From the rows whose first cell names an event; ``all`` is the one word that a translation changes."""
    codes: set[str] = set()
    for first, second, *_ in (row for row in guide.rows() if len(row) == 3):
        if first in ("all", "全部") or set(re.findall(r"`(\w+)`", first)) & _EVENTS:
            codes |= {code for code in re.findall(r"`([^`]+)`", second) if "<" not in code}
    assert codes
    return codes


def test_the_log_line_is_as_shown(caplog: pytest.LogCaptureFixture) -> None:
    (shown,) = [text for text in GUIDES[0].blocks_in("text") if "held_back" in text]
    Events().report(Event("recall", "answer_timeout", elapsed_ms=2001), logging.WARNING)
    assert shown.strip() in caplog.messages


def test_the_tree_of_errors_is_as_shown() -> None:
    (shown,) = SDK.blocks_in("text")
    assert shown.strip() in inspect.cleandoc(errors.__doc__ or "").replace("\n    ", "\n")


def test_the_layers_are_as_shown() -> None:
    """The drawing has the layers that `lint-imports` holds, in their order."""
    (shown,) = ARCHITECTURE.blocks_in("text")
    rows = [line.split("│")[0].split() for line in shown.splitlines()]
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    rooms = next(found for found in declared["contracts"] if found["name"] == "the rooms")
    assert rows == [layer.split(" | ") for layer in rooms["layers"]]
