# SPDX-License-Identifier: Apache-2.0
"""`make matrix`: every operation of the SDK on a real server of every release, into docs/en/compatibility.md.

A release that cannot be installed or started here is told with its real error, and so is an operation that fails;
both make the run fail.
"""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass, field
from pathlib import Path

from powercontext_deerflow.version import VERSION
from tests.real.matrix.operations import OPERATIONS, VERSIONS, visited
from tests.support.servers.real import PowerContextServer

PAGE = Path(__file__).resolve().parent.parent / "docs" / "en" / "compatibility.md"


@dataclass
class Column:
    """One release: a cell for each operation, and why it could not run."""

    version: str
    cells: dict[str, str] = field(default_factory=dict)
    error: str = ""


def examined(version: str) -> Column:
    column = Column(version)
    try:
        with PowerContextServer(version) as server:
            for operation in OPERATIONS:
                column.cells[operation] = cell(server, operation)
                print(f"{version}  {operation}: {column.cells[operation]}", flush=True)
    except (RuntimeError, OSError) as error:
        column.error = f"{type(error).__name__}: {' '.join(str(error).split())}"[:600]
        column.cells = dict.fromkeys(OPERATIONS, "not run") | column.cells
    return column


def cell(server: PowerContextServer, operation: str) -> str:
    try:
        return visited(server, operation)
    except Exception as error:  # noqa: BLE001 - told in the table, and the run fails
        print(f"{server.version}  {operation}: {error!r}", file=sys.stderr, flush=True)
        return f"**fails**: `{type(error).__name__}`"


def failures(columns: list[Column]) -> list[str]:
    return [
        f"{column.version} {operation}: {column.error or text}"
        for column in columns
        for operation, text in column.cells.items()
        if text == "not run" or text.startswith("**fails**")
    ]


def page(columns: list[Column]) -> str:
    rows = [["operation", *(column.version for column in columns)], ["---"] * (len(columns) + 1)]
    rows += [[name, *(column.cells[name] for column in columns)] for name in OPERATIONS]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    told = [f"- {column.version}: `{column.error}`" for column in columns if column.error]
    not_run = "\n\nCould not run here:\n\n" + "\n".join(told) if told else ""
    return f"""# Compatibility

Written by `make matrix`; not edited by hand.

Every operation of the SDK {VERSION} on a real PowerContext server of every release, each installed from its wheel:
SQLite, no models, access enforced, Python {platform.python_version()}.

{table}{not_run}

*yes*: all that the [reference](api.md) says of it holds. The other words say where the two server generations differ:

- Servers up to 1.2.0 find an equal memory themselves, name no kinds in a search, list all memories at once, and take
  only citations of the current head to forget an entry: after any save, list or recall again.
- Servers from 1.3.0 store an equal text again, so the look-up before a save matters there.
- Servers up to 1.2.0 call every state but `active` `inactive`, revise nothing that is retired, and bring nothing back.
  Servers up to 1.3.0 do not say when a memory was made.
- A citation of the other generation is `NotSupportedByServer`, wherever it is given.
"""


def main() -> int:
    columns = [examined(version) for version in VERSIONS]
    PAGE.write_text(page(columns), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(PAGE.parents[2])}")
    for failure in failures(columns):
        print(failure, file=sys.stderr)
    return 1 if failures(columns) else 0


if __name__ == "__main__":
    sys.exit(main())
