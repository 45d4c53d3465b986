# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin for `make mutants`: run exactly the tests that a file names, and note there how each failed first.

``--verdicts=FILE``: a JSON list of node ids, each of a test function or the beginning of one with its parameters. It is
replaced by a JSON object that has for each of them how many ran, and of the first that failed its id and its error.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

BLUNDERS = (TypeError, NameError, AttributeError, ImportError, SyntaxError)
"""What a patch that is wrong in itself ends in, wherever it is found out."""


def blunder(error: BaseException) -> str | None:
    """The type of the first blunder in ``error``, in what it groups, and in what it came from."""
    return next((type(one).__name__ for one in _chain(error) if isinstance(one, BLUNDERS)), None)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    if error is not None:
        yield error
        for part in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
            yield from _chain(part)
        before = None if error.__suppress_context__ else error.__context__
        yield from _chain(error.__cause__ or before)


class Verdicts:
    def __init__(self, file: Path) -> None:
        self.file = file
        self.of: dict[str, dict[str, Any]] = {
            name: {"ran": 0, "failed": None, "blunder": None}
            for name in json.loads(file.read_text())
        }

    def named(self, item: pytest.Item) -> list[dict[str, Any]]:
        return [
            verdict
            for name, verdict in self.of.items()
            if item.nodeid == name or item.nodeid.startswith(name if "[" in name else f"{name}[")
        ]

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        named = [item for item in items if self.named(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in named])
        items[:] = named

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if all(verdict["failed"] for verdict in self.named(item)):
            pytest.skip("one of its parametrisations has failed, which is enough")
        for verdict in self.named(item):
            verdict["ran"] += 1

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[Any]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.failed:
            found = blunder(call.excinfo.value) if call.excinfo else None
            for verdict in self.named(item):
                if verdict["failed"] is None:
                    verdict.update(failed=item.nodeid, blunder=found)
        return report

    def pytest_sessionfinish(self) -> None:
        self.file.write_text(json.dumps(self.of))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--verdicts", type=Path, required=True, help="the tests, and then how they ended"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Verdicts(config.getoption("--verdicts")))
