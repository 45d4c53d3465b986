# SPDX-License-Identifier: Apache-2.0
"""How it is found out what became of a change whose answer was lost.

Each change is sent with the revision that it is meant for. So after a lost or unreadable answer the very same request
is sent again, which is safe and decides: a success means that it had not happened, and a refused precondition that
something did; then the memory itself shows whether that was this. A change ends *unknown* only with its deadline, and a
caller that asks for it again is told what became of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import (
    AnswerError,
    NotSupportedByServer,
    ServerError,
    TransportError,
)
from powercontext_deerflow.operations import memories
from powercontext_deerflow.operations.save import nothing_was_stored
from powercontext_deerflow.outcomes import ChangeRejected, ChangeUnknown, Conflict
from powercontext_deerflow.transport import IO

T = TypeVar("T")
Made = Callable[[Deadline], Awaitable[T]]
Seen = Callable[[Deadline], Awaitable[T | None]]
_SHARE: Final = 0.5
"""Of the time that is left, for one request: one that hangs leaves time to ask again."""
_PAUSES: Final = (0.1, 0.2, 0.4)
"""Seconds before a change is sent again; the last one from then on."""
_RACES: Final = ("binding-version", "idempotency-key")
"""Codes of a 409 that say nothing of the memory: of a race for the first one of a Scope."""
_ABSENT: Final = ("artifact_not_found", "memory_not_found", "not_found", "scope_not_found")
"""Its codes for what is not there; none of them is said after a change."""


class Moved(Exception):
    """The memory is not any more what it was when the change was meant."""


async def decided(
    io: IO, made: Made[T], seen: Seen[T], deadline: Deadline
) -> T | Conflict | ChangeRejected | ChangeUnknown:
    """What ``made`` comes to, again and again until an answer decides; ``seen`` looks whether it is so already."""
    lost: list[TransportError | ServerError | AnswerError] = []
    pauses = iter(_PAUSES)
    pause = 0.0
    while True:
        try:
            try:
                return await made(deadline.sooner(_SHARE))
            except (ServerError, Moved) as error:
                if isinstance(error, ServerError) and not is_stale(error):
                    raise
                found = await seen(deadline.sooner(_SHARE))
                return _conflict(error) if found is None else found
        except ServerError as error:
            if not lost:
                _raise_if_nothing_is_there(error)
            if not nothing_was_stored(error):
                lost.append(error)
            elif not lost:
                return _rejected(error)
        except TransportError as error:
            if error.sent:
                lost.append(error)
            elif not lost:
                raise
            if error.code == "closed":
                break
        except AnswerError as error:
            lost.append(error)
        pause = next(pauses, pause)
        if deadline.remaining() <= pause:
            break
        await io.pause(pause)
    last = lost[-1]
    return ChangeUnknown(last.code, last.status, last.request_id)


def is_stale(error: ServerError) -> bool:
    """Whether PowerContext refused the precondition, by whatever code: the memory is another than it was meant for."""
    return error.structured and error.status in (409, 412) and error.code not in _RACES


def is_absent(error: ServerError) -> bool:
    return error.structured and error.status == 404 and error.code in _ABSENT


def _conflict(error: ServerError | Moved) -> Conflict:
    if isinstance(error, ServerError):
        return Conflict(error.code, error.request_id)
    return Conflict("revision_conflict")


def _raise_if_nothing_is_there(error: ServerError) -> None:
    if isinstance(error, NotSupportedByServer) or is_absent(error):
        raise error
    memories.raise_if_pending(error)


def _rejected(error: ServerError) -> ChangeRejected:
    code = "not_yours" if error.code == "forbidden" else error.code
    return ChangeRejected(code, error.status, error.request_id, error.retry_after)
