# SPDX-License-Identifier: Apache-2.0
"""What an operation came to: closed unions of values, each of which a caller must branch on, and memories.

No repr shows recalled text. ``code`` is a stable, content-free reason; ``request_id`` is the server's name for the
exchange (16 hex digits) where it gave one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from powercontext_deerflow.api.citations import Cited, cited
from powercontext_deerflow.api.wire import Citation, MemoryRef
from powercontext_deerflow.codes import ChangeCode, NothingCode, RecallCode, SaveCode, ServerCode


@dataclass(frozen=True, slots=True)
class Recalled:
    """Prepared context: the server's own text, unchanged, with its citations, within the budget that was asked for."""

    content: str = field(repr=False)
    content_bytes: int
    """UTF-8 bytes of ``content``."""
    request_id: str | None = None
    focused: bool = False
    """The second look found it, not the literal query."""

    @property
    def citations(self) -> tuple[Cited, ...]:
        """Which memories ``content`` shows, in its order. Read from ``content`` at each use."""
        return tuple(cited(self.content))


@dataclass(frozen=True, slots=True)
class NothingRecalled:
    """Nothing matched, or nothing fitted, or nothing was asked. It does not mean that no memory exists."""

    code: NothingCode = "empty"
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class RecallFailed:
    """No usable answer came by the deadline."""

    code: RecallCode
    status: int | None = None
    request_id: str | None = None
    retry_after: float | None = None
    """Seconds that the server asks to wait before it is asked again."""


Recall = Recalled | NothingRecalled | RecallFailed
"""What a recall came to."""


MemoryState = Literal["active", "forgotten", "merged", "retired", "inactive"]
"""Only ``active`` memories are recalled. Servers up to 1.2.0 call all others ``inactive``."""


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory as the server holds it, of either server generation."""

    citation: Citation
    text: str = field(repr=False)
    """At most 8192 UTF-8 bytes, whole: recalled text may show less of it."""
    kind: str | None
    """None where a server up to 1.2.0 does not name it: in what a search found."""
    state: MemoryState
    created_at: datetime | None = None
    """When this revision was made, where that was asked for, of servers from 1.4.0; else None."""


@dataclass(frozen=True, slots=True)
class Saved:
    """The server confirmed this very text and kind as an active memory."""

    citation: Citation
    request_id: str | None = None
    unfamiliar_keys: bool = False
    """The answer also said things that this version does not know: a newer server."""
    confirmed_by: Literal["answer", "read_back"] = "answer"
    """``answer``, or ``read_back`` if the answer was lost and a look-up found the memory."""
    searchable: bool = True
    """False if no word of the text finds it, so that recall never shows it: emoji, punctuation, function words."""
    similar: tuple[Memory, ...] = field(default=(), repr=False)
    """At most three active memories of other texts that the look-up before the save has seen, the best first."""


@dataclass(frozen=True, slots=True)
class AlreadySaved:
    """This very text and kind is an active memory already; nothing was added."""

    citation: Citation | None
    """None if a server up to 1.2.0 said so without naming the entry."""
    request_id: str | None = None
    memory: MemoryRef | None = None
    """The unchanged revision that such a server names instead."""
    searchable: bool = True
    """As of ``Saved``."""
    similar: tuple[Memory, ...] = field(default=(), repr=False)
    """As of ``Saved``."""


@dataclass(frozen=True, slots=True)
class SaveUnknown:
    """The request may have been carried out; no answer confirms it. Sending again may store it twice."""

    code: SaveCode
    status: int | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class SaveRejected:
    """PowerContext refused; nothing was stored."""

    code: SaveCode
    status: int | None = None
    request_id: str | None = None
    retry_after: float | None = None
    """Seconds after which it may be sent again unchanged; None if the server names none, as for most refusals."""


@dataclass(frozen=True, slots=True)
class SaveNotSent:
    """Not one byte of the save left this process; nothing was stored."""

    code: SaveCode


SaveOutcome = Saved | AlreadySaved | SaveUnknown | SaveRejected | SaveNotSent
"""What a save came to."""


@dataclass(frozen=True, slots=True)
class Revision:
    """One revision in the history of a memory."""

    citation: Citation
    created_at: datetime | None
    """None where the server does not say: 1.3.0."""


@dataclass(frozen=True, slots=True)
class Revised:
    """The memory says the new text: ``memory`` is its new revision.

    Of a memory that is not ``active`` the text changes, too, and it is still not recalled: ``memory.state`` says so.
    """

    memory: Memory
    request_id: str | None = None
    confirmed_by: Literal["answer", "read_back"] = "answer"
    """``read_back`` if the answer was lost, and the server holds this very text as the next revision."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The memory is not recalled any more; the server keeps it in its history."""

    memory: Memory
    request_id: str | None = None
    confirmed_by: Literal["answer", "read_back"] = "answer"
    """``read_back`` if the answer was lost, and the server has the memory as forgotten."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The memory is recalled again, with the text that was asked for: ``memory`` is its current revision."""

    memory: Memory
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class ChangeRejected:
    """PowerContext refused; nothing was changed. ``not_yours``: only who saved a memory may change it."""

    code: ChangeCode
    status: int | None = None
    request_id: str | None = None
    retry_after: float | None = None
    """Seconds after which it may be sent again unchanged; None if the server names none, as for most refusals."""


@dataclass(frozen=True, slots=True)
class ChangeUnknown:
    """The deadline ended before any answer told whether the change was made. Doing it again is safe, and tells."""

    code: ChangeCode
    status: int | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class Captured:
    """The Source is stored, now or by an equal capture before."""

    position: int
    """Where it stands in the Scope's journal of Sources, from 1 on; a replay has the same position."""
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """The server holds something else than the caller believes, so nothing was changed.

    ``code``: ``revision_conflict`` (the memory was revised), ``atomic_memory_changed`` (its state changed meanwhile),
    ``source_conflict`` (the Source has other content or metadata), ``http_409`` for a code that is unknown here.
    """

    code: ServerCode
    request_id: str | None = None


ReviseOutcome = Revised | Conflict | ChangeRejected | ChangeUnknown
"""What correcting a memory came to."""
ForgetOutcome = Forgotten | Conflict | ChangeRejected | ChangeUnknown
"""What forgetting a memory came to."""
RestoreOutcome = Restored | Conflict | ChangeRejected | ChangeUnknown
"""What taking a change back came to."""
CaptureOutcome = Captured | Conflict
"""What capturing a Source came to."""


@dataclass(frozen=True, slots=True)
class Found:
    """Some of the active memories of the Scope."""

    memories: tuple[Memory, ...]
    total: int | None = None
    """How many there are in all, if they were counted; None for a search, and where counting took too long."""
    more: bool = False
    """Whether there are more than these."""
