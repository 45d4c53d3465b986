# SPDX-License-Identifier: Apache-2.0
"""`make docs`: the API reference, docs/en/api.md, from the docstrings of every name in ``__all__``.

The source is read, not imported (griffe), so the page is the same on every machine.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import griffe

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "en" / "api.md"
PACKAGE = "powercontext_deerflow"
_HEAD = """# API reference

Written by `make docs` from the docstrings; not edited by hand. Every name here can be imported from
`powercontext_deerflow`. How they work together is told in [SDK](sdk.md).
"""

_PLAINLY = {"Identifier": "str", "Revision": "int"}  # the names of the decoder's constraints

Public = griffe.Class | griffe.Function | griffe.Attribute


def page() -> str:
    package = griffe.load(PACKAGE, search_paths=[str(ROOT)])
    rooms: dict[str, list[Public]] = {}
    for name in map(str, package.exports or ()):
        found = _target(package.members[name])
        rooms.setdefault(str(found.relative_package_filepath), []).append(found)
    parts = [_HEAD]
    for room in sorted(rooms):
        module = rooms[room][0].module
        parts += [f"## `{module.path}`", f"Source: `{room}`", _prose(module)]
        for found in sorted(rooms[room], key=lambda found: found.lineno or 0):
            parts += [f"### {found.name}", *_described(found)]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _described(found: Public) -> Iterator[str]:
    if isinstance(found, griffe.Attribute):
        yield _code(f"{found.name} = {found.value}")
        yield _prose(found)
    elif isinstance(found, griffe.Class):
        yield _code(_class_line(found))
        yield _prose(found)
        members = [_target(member) for member in found.all_members.values()]
        members = [member for member in members if not member.name.startswith("_")]
        yield _table(found, members)
        for member in members:
            yield from _method(found, member)


def _class_line(found: griffe.Class) -> str:
    bases = ", ".join(str(base) for base in found.bases if str(base) != "Lifecycle")
    line = f"class {found.name}({bases})" if bases else f"class {found.name}"
    init = found.all_members.get("__init__")
    if init is None or "dataclass" in found.labels:
        return line
    made = _target(init)
    return (
        f"{line}:\n    def {_signature(made, '__init__')}"
        if isinstance(made, griffe.Function)
        else line
    )


def _table(owner: griffe.Class, members: list[Public]) -> str:
    """The data of a class: what it is typed as, its default, and what it means."""
    rows = []
    for member in members:
        if isinstance(member, griffe.Attribute) and _twin(owner, member) is None:
            cells = (f"`{cell}`" if cell else "" for cell in _typed(member))
            rows.append((f"`{member.name}`", *cells, " ".join(_prose(member).split())))
    if not rows:
        return ""
    table = [("name", "type", "default", "meaning"), ("---",) * 4, *rows]
    return "\n".join(" | ".join(["", *map(_cell, row), ""]).strip() for row in table)


def _typed(member: griffe.Attribute) -> tuple[str, str]:
    """Type and default; what ``__init__`` only hands on is typed as its parameter of that name."""
    owner = member.parent
    given = {p.name: p for p in owner.parameters} if isinstance(owner, griffe.Class) else {}
    parameter = given.get(member.name)
    if parameter is None:
        return _PLAINLY.get(str(member.annotation), str(member.annotation)), str(member.value or "")
    annotation = str(member.annotation or parameter.annotation)
    if parameter.kind is griffe.ParameterKind.var_positional:
        return f"tuple[{annotation}, ...]", ""
    return annotation, str(parameter.default or "")


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def _method(owner: griffe.Class, member: Public) -> Iterator[str]:
    twin = _twin(owner, member)
    if twin is not None:
        yield f"#### {owner.name}.{member.name}"
        yield _code(f"async def {_signature(twin, member.name)}")
        yield f"As `{twin.name}`, without blocking the event loop; the wait for a thread counts against the deadline."
    elif isinstance(member, griffe.Function):
        yield f"#### {owner.name}.{member.name}"
        label = "async def" if "async" in member.labels else "def"
        label = "@classmethod\ndef" if "classmethod" in member.labels else label
        yield _code(f"{label} {_signature(member, member.name)}")
        yield _prose(member)


def _twin(owner: griffe.Class, member: Public) -> griffe.Function | None:
    """The synchronous method that an ``asearch = without_blocking(search)`` is made of."""
    made = re.match(r"without_blocking\((\w+)", str(getattr(member, "value", "")))
    found = _target(owner.all_members[made[1]]) if made else None
    return found if isinstance(found, griffe.Function) else None


def _signature(function: griffe.Function, name: str) -> str:
    return function.signature(name=name).replace("wire.", "")


def _target(found: griffe.Object | griffe.Alias) -> Public:
    found = found.final_target if isinstance(found, griffe.Alias) else found
    if not isinstance(found, griffe.Class | griffe.Function | griffe.Attribute):
        raise TypeError(found.path)
    return found


def _prose(found: griffe.Object) -> str:
    said = found.docstring.value if found.docstring else ""
    return re.sub("``(.+?)``", r"`\1`", said)


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def main() -> int:
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
