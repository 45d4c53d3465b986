# SPDX-License-Identifier: Apache-2.0
"""Values that look like what is asked for, and are not."""

from __future__ import annotations


class Text(str):
    """As a template library's or a message's own text: right characters, methods of its own."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __len__(self) -> int:
        return 1

    def __str__(self) -> str:
        return "another"

    def __getitem__(self, at: object) -> str:
        return "another"

    def strip(self, _: str | None = None) -> str:
        return "another"

    def encode(self, *_: str) -> bytes:
        return b"another"

    def isascii(self) -> bool:
        return True


class Whole(int):
    __slots__ = ()


class Alike:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]
