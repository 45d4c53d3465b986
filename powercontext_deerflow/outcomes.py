# SPDX-License-Identifier: Apache-2.0
"""What a recall or a save came to: two closed unions of values, each of which a caller must branch on.

No repr shows recalled text. ``code`` is a stable, content-free reason; ``request_id`` is the server's name for the
exchange (16 hex digits) where it gave one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from powercontext_deerflow.wire import Citation, MemoryRef


@dataclass(frozen=True, slots=True)
class Recalled:
    """Prepared context: the server's own text, unchanged, with its citations, within the budget that was asked for."""

    content: str = field(repr=False)
    content_bytes: int
    """UTF-8 bytes of ``content``."""
    request_id: str | None = None
    focused: bool = False
    """The second look found it: the literal query was too long to match."""


@dataclass(frozen=True, slots=True)
class NothingRecalled:
    """Nothing matched, or nothing fitted, or nothing was asked. It does not mean that no memory exists."""

    code: str = "empty"
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class RecallFailed:
    """No usable answer came by the deadline."""

    code: str
    status: int | None = None
    request_id: str | None = None


Recall = Recalled | NothingRecalled | RecallFailed


@dataclass(frozen=True, slots=True)
class Saved:
    """The server confirmed this very text and kind as an active memory."""

    citation: Citation
    request_id: str | None = None
    unfamiliar_keys: bool = False
    """The answer also said things that this version does not know: a newer server."""
    confirmed_by: str = "answer"
    """``answer``, or ``read_back`` if the answer was lost and a look-up found the memory."""


@dataclass(frozen=True, slots=True)
class AlreadySaved:
    """This very text and kind is an active memory already; nothing was added."""

    citation: Citation | None
    """None if a server up to 1.2.0 said so without naming the entry."""
    request_id: str | None = None
    memory: MemoryRef | None = None
    """The unchanged revision that such a server names instead."""


@dataclass(frozen=True, slots=True)
class SaveUnknown:
    """The request may have been carried out; no answer confirms it. Sending again may store it twice."""

    code: str
    status: int | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class SaveRejected:
    """PowerContext refused; nothing was stored."""

    code: str
    status: int | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class SaveNotSent:
    """Not one byte of the save left this process; nothing was stored."""

    code: str


SaveOutcome = Saved | AlreadySaved | SaveUnknown | SaveRejected | SaveNotSent
