# SPDX-License-Identifier: Apache-2.0
"""Every operation on a real server of each generation; `make matrix` does the same on every release.

docs/en/compatibility.md is what it wrote, and must say of these two servers what is so now.
"""

from __future__ import annotations

import pytest

from scripts import matrix
from tests.real.matrix.operations import OPERATIONS, VERSIONS, visited
from tests.support.servers.real import PowerContextServer


def written(version: str, operation: str) -> str:
    """The cell in the checked-in table."""
    table = [
        line.strip("| ").split(" | ")
        for line in matrix.PAGE.read_text().splitlines()
        if "|" in line
    ]
    column = table[0].index(version)
    return next(row[column] for row in table if row[0] == operation)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("release", ["powercontext_141", "powercontext_120"])
def test_operation(release: str, operation: str, request: pytest.FixtureRequest) -> None:
    server: PowerContextServer = request.getfixturevalue(release)
    assert visited(server, operation) == written(server.version, operation)


def test_the_page_tells_of_every_release_and_operation() -> None:
    for version in VERSIONS:
        for operation in OPERATIONS:
            assert written(version, operation)


def test_a_release_that_cannot_run_is_told_with_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(version: str) -> PowerContextServer:
        raise RuntimeError(f"cannot install PowerContext {version}:\nno | such wheel\n")

    monkeypatch.setattr(matrix, "PowerContextServer", refuse)
    column = matrix.examined("9.9.9")
    assert set(column.cells.values()) == {"not run"}
    assert (
        "9.9.9: `RuntimeError: cannot install PowerContext 9.9.9: no | such wheel`"
        in matrix.page([column])
    )
    assert matrix.failures([column])


def test_an_operation_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: object, operation: str) -> str:
        raise ValueError(operation)

    monkeypatch.setattr(matrix, "visited", fails)
    cell = matrix.cell(PowerContextServer("1.4.1"), "`get`")
    assert cell == "**fails**: `ValueError`"
