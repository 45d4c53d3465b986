# SPDX-License-Identifier: Apache-2.0
"""Every code that the doctor can say, from the one table: codes.toml. Needs the standard library only."""

from __future__ import annotations

import errno
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Final, Literal, get_args

Level = Literal["ok", "note", "warning", "fault", "skipped"]

TABLE: Final = tomllib.loads(files(__package__).joinpath("codes.toml").read_text("utf-8"))
"""What the doctor and ``config --check`` can say, in each language, as codes.toml has it."""
CODES: Final[dict[str, tuple[Level, str, str]]] = {
    code: (level, *said["en"])
    for level in get_args(Level)
    for code, said in TABLE["doctor"][level].items()
}
"""Code -> level, sentence, next step (empty if all is well)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check came to. Nothing in it is secret, recalled, or a server's prose."""

    check: str
    code: str
    level: Level
    detail: str
    next_step: str


def finding(check: str, code: str, particulars: str = "") -> Finding:
    """``code`` as the table says it; ``particulars`` are ours: numbers, versions, names of settings."""
    level, sentence, next_step = CODES[code]
    detail = f"{sentence} ({particulars})" if particulars else sentence
    return Finding(check, code, level, detail, next_step)


def found_by(check: str, look: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """What ``look`` finds until it breaks off, which is a finding, too. Never raises."""
    found = []
    try:
        for one in look():
            found.append(one)  # noqa: PERF402 - what was found before it broke off stays
    except MemoryError:
        found.append(finding(check, "out_of_memory"))
    except Exception as error:  # noqa: BLE001 - its type is all that is said: a text may hold anything
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            found.append(finding(check, "no_descriptor"))
        else:
            found.append(finding(check, "unexpected_failure", type(error).__name__))
    return found
