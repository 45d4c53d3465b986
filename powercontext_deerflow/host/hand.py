# SPDX-License-Identifier: Apache-2.0
"""The owner's own hand on the memories: what there is, corrected, forgotten, brought back.

Each is for the owner only, by one deadline, reported once, and never raises: what went wrong is a value, too. A memory
is chosen by its ref and by nothing else.
"""

from __future__ import annotations

import logging
from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

from powercontext_deerflow.api.wire import ArtifactCitation, Citation, EntryCitation
from powercontext_deerflow.deadline import Deadline, now
from powercontext_deerflow.errors import (
    InputError,
    PowerContextError,
    ServerError,
    TransportError,
)
from powercontext_deerflow.host import refs
from powercontext_deerflow.host.runtime import Runtime
from powercontext_deerflow.operations.finding import find as find_memories
from powercontext_deerflow.outcomes import (
    ChangeRejected,
    ChangeUnknown,
    Conflict,
    Forgotten,
    Found,
    Restored,
    Revised,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was changed, or nothing was found out."""

    word: Literal["rejected", "not_sent", "failed"]
    code: str
    advice: str = ""
    """What is wrong with an argument."""
    status: int | None = None
    request_id: str | None = None
    retry_after: float | None = None


Change = Conflict | ChangeRejected | ChangeUnknown | Refused
_DONE: Final = {Found: "found", Revised: "corrected", Forgotten: "forgotten", Restored: "restored"}


async def find(runtime: Runtime, user_id: object, query: object, limit: object) -> Found | Refused:
    """At most ``limit`` memories by words of ``query``, or the newest without one."""
    scope_id = runtime.settings.scope_id

    async def ask(by: Deadline) -> Found:
        return await find_memories(runtime.client._on_loop, scope_id, query, limit, by)

    return await _carried_out(runtime, "find", user_id, ask)


async def correct(runtime: Runtime, user_id: object, ref: object, text: object) -> Revised | Change:
    """The memory that ``ref`` names, if it is the current revision, now says ``text``."""

    async def ask(by: Deadline) -> Revised | Change:
        if text is None:
            raise InputError("text_missing", "text", "pass what it shall say")
        citation = await _cited(runtime, ref, by)
        if isinstance(citation, Conflict | Refused):
            return citation
        return await runtime.client.arevise(citation, text, deadline=by)  # type: ignore[arg-type] # it checks

    return await _carried_out(runtime, "correct", user_id, ask)


async def forget(runtime: Runtime, user_id: object, ref: object) -> Forgotten | Change:
    """The memory that ``ref`` names, if it is the current revision, is not recalled any more."""

    async def ask(by: Deadline) -> Forgotten | Change:
        citation = await _cited(runtime, ref, by)
        if isinstance(citation, Conflict | Refused):
            return citation
        return await runtime.client.aforget(citation, deadline=by)

    return await _carried_out(runtime, "forget", user_id, ask)


async def undo(runtime: Runtime, user_id: object, ref: object, flag: object) -> Restored | Change:
    """The memory says again what the revision that ``ref`` names says, and is recalled again."""

    async def ask(by: Deadline) -> Restored | Change:
        if flag is not True:
            raise InputError("undo_not_a_flag", "undo", "pass true or false")
        citation = refs.read(ref)
        if not isinstance(citation, ArtifactCitation):
            return Refused("rejected", "undo_unsupported")
        head = await runtime.client.ahead(citation, deadline=by)
        if not isinstance(head.citation, ArtifactCitation):
            return Refused("rejected", "undo_unsupported")
        if head.citation.revision == citation.revision:
            if head.state == "active":
                return Refused("rejected", "nothing_to_undo")
            return await runtime.client.arestore(head.citation, deadline=by)
        return await runtime.client.arestore(head.citation, citation.revision, deadline=by)

    return await _carried_out(runtime, "forget", user_id, ask)


def takes_only(
    runtime: Runtime, name: str, known: Mapping[str, object], given: Mapping[str, object]
) -> None:
    """Raises InputError for an argument that is not ``known``: passed over in silence, it would seem to be heeded."""
    if not given.keys() <= known.keys():
        error = InputError("argument_unknown", "arguments", f"pass only {', '.join(known)}")
        runtime.report(name, error.code, logging.INFO, now())
        raise error


async def _cited(runtime: Runtime, given: object, by: Deadline) -> Citation | Conflict | Refused:
    """What a change is asked of; the citation of an entry has moved on with every save, so it is looked up."""
    named = refs.read(given)
    if isinstance(named, ArtifactCitation):
        return named
    async for memory in runtime.client.alist_memories(deadline=by):
        cited = memory.citation
        if not isinstance(cited, EntryCitation):
            break
        if cited.entry_id == named.entry_id:
            same = cited.entry_version_id == named.entry_version_id
            return cited if same else Conflict("revision_conflict")
    return Refused("rejected", "memory_not_found")


async def _carried_out(
    runtime: Runtime, name: str, user_id: object, ask: Callable[[Deadline], Awaitable[T]]
) -> T | Refused:
    started = now()
    outcome: T | Refused
    settings = runtime.settings
    reads = name == "find"
    try:
        if runtime.admits(user_id):
            by = settings.recall_timeout_seconds if reads else settings.remember_timeout_seconds
            outcome = await ask(Deadline.after(by))
        else:
            outcome = Refused("rejected", "not_owner")
    except InputError as error:
        outcome = Refused("rejected", error.code, f" {error}.")
    except PowerContextError as error:
        outcome = _refused(error, reads)
    except CancelledError:
        runtime.report(name, "cancelled", logging.INFO, started)
        raise
    except Exception:  # noqa: BLE001 - the host would say nothing of it
        outcome = Refused("failed", "internal_error") if reads else ChangeUnknown("internal_error")  # type: ignore[assignment]
    _report(runtime, name, outcome, started)
    return outcome


def _refused(error: PowerContextError, reads: bool) -> Refused:
    word: Literal["rejected", "not_sent", "failed"] = "failed" if reads else "not_sent"
    if isinstance(error, TransportError) and not error.sent:
        word = "not_sent"
    if isinstance(error, ServerError) and error.status < 500:
        word = "rejected"
    return Refused(word, error.code, "", error.status, error.request_id, error.retry_after)


def _report(runtime: Runtime, name: str, outcome: object, started: float) -> None:
    done = _DONE.get(type(outcome))
    code = done or str(getattr(outcome, "code", "internal_error"))
    status, request_id = getattr(outcome, "status", None), getattr(outcome, "request_id", None)
    level = logging.INFO if done else logging.WARNING
    runtime.report(name, code, level, started, status, request_id)
