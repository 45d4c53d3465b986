# SPDX-License-Identifier: Apache-2.0
"""A memory corrected, forgotten, or brought back, by the revision that the change is meant for."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from powercontext_deerflow.api import calls, wire
from powercontext_deerflow.api.calls import ask
from powercontext_deerflow.api.wire import records
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import (
    AnswerError,
    PowerContextError,
    ServerError,
    TransportError,
)
from powercontext_deerflow.limits import memory_text
from powercontext_deerflow.operations import arguments, entries, memories
from powercontext_deerflow.operations.deciding import decided, is_absent
from powercontext_deerflow.outcomes import (
    ChangeUnknown,
    Conflict,
    ForgetOutcome,
    Forgotten,
    Restored,
    RestoreOutcome,
    Revised,
    ReviseOutcome,
)
from powercontext_deerflow.transport import IO


async def revise(
    io: IO, scope_id: str, given: object, text: str, kind: object, deadline: Deadline
) -> ReviseOutcome:
    """Raises InputError for an argument that is refused here; what else is raised has changed nothing."""
    citation, wanted = arguments.citation(given), memory_text(text)
    named = None if kind is None else arguments.kind_to_save(kind)
    if isinstance(citation, wire.EntryCitation):
        return await entries.revise(io, scope_id, citation, wanted, named, deadline)
    # Asked for first: a memory that is not there is told from one that is somebody else's by this only.
    before = await memories.state(io, scope_id, citation, deadline)
    if named is None:
        named = (await memories.revision(io, scope_id, citation, deadline)).content.kind
    content = records.Content(named, wanted)
    outcome = await _revised(io, scope_id, citation, content, deadline)
    if not isinstance(outcome, Revised):
        return outcome
    now = before
    with suppress(PowerContextError):  # what was read before is told then
        now = await memories.state(io, scope_id, citation, deadline)
    return replace(outcome, memory=replace(outcome.memory, state=now.state))


async def _revised(
    io: IO,
    scope_id: str,
    citation: wire.ArtifactCitation,
    content: records.Content,
    deadline: Deadline,
) -> ReviseOutcome:
    path = memories.artifact(scope_id, citation)
    following = wire.ArtifactCitation(citation.family, citation.artifact_id, citation.revision + 1)
    said = (content.kind, content.text)

    async def made(by: Deadline) -> Revised:
        answer, request_id = await calls.replace(
            io,
            path,
            records.ReviseRequest(content),
            records.RevisionAnswer,
            by,
            only_if=f'"revision:{citation.revision}"',
        )
        if answer.citation != following or (answer.content.kind, answer.content.text) != said:
            raise AnswerError("answer_mismatch", request_id, 200)
        return Revised(memories.as_memory(answer, "active"), request_id)

    async def seen(by: Deadline) -> Revised | None:
        try:
            answer = await memories.revision(io, scope_id, following, by)
        except ServerError as error:
            if is_absent(error):
                return None
            raise
        if (answer.content.kind, answer.content.text) != said:
            return None
        return Revised(memories.as_memory(answer, "active"), confirmed_by="read_back")

    return await decided(io, made, seen, deadline)


async def forget(io: IO, scope_id: str, given: object, deadline: Deadline) -> ForgetOutcome:
    """Raises InputError for no citation; what else is raised has changed nothing."""
    citation = arguments.citation(given)
    if isinstance(citation, wire.EntryCitation):
        return await entries.retire(io, scope_id, citation, deadline)
    before = await memories.state(io, scope_id, citation, deadline)
    target = wire.RetireTarget(citation, before.state_version)

    async def made(by: Deadline) -> Forgotten:
        request, path = wire.RetireRequest(scope_id, target), "/v1/atomic-memory/lifecycle"
        answer, request_id = await ask(io, path, request, wire.Remembered, by)
        for record in answer.records:
            if record.artifact == citation and record.state == "forgotten":
                return Forgotten(memories.memory_of(record), request_id)
        raise AnswerError("answer_mismatch", request_id, 200)

    async def seen(by: Deadline) -> Forgotten | None:
        now = await memories.state(io, scope_id, citation, by)
        if now.state != "forgotten":
            return None
        # Perhaps revised since: it stays forgotten then.
        answer = await memories.revision(io, scope_id, now.artifact, by)
        return Forgotten(memories.as_memory(answer, now.state), confirmed_by="read_back")

    return await decided(io, made, seen, deadline)


async def restore(
    io: IO, scope_id: str, given: object, revision: object, deadline: Deadline
) -> RestoreOutcome:
    """Raises as ``revise`` does.

    The text comes first, by its precondition: a conflict then has changed nothing. Restoring has none and needs none,
    since of an active memory it changes nothing.
    """
    citation, number = arguments.citation(given), arguments.revision(revision)
    if isinstance(citation, wire.EntryCitation):
        await memories.refuse_entry(io, scope_id, citation, deadline)
    before = await memories.state(io, scope_id, citation, deadline)
    if before.artifact != citation:
        return Conflict("revision_conflict")
    shown = await memories.revision(io, scope_id, citation, deadline)
    if number is not None and number != citation.revision:
        earlier = wire.ArtifactCitation(citation.family, citation.artifact_id, number)
        wanted = (await memories.revision(io, scope_id, earlier, deadline)).content
        if (wanted.kind, wanted.text) != (shown.content.kind, shown.content.text):
            content = records.Content(wanted.kind, wanted.text)
            revised = await _revised(io, scope_id, citation, content, deadline)
            if not isinstance(revised, Revised):
                return revised
            if before.state == "active":
                return Restored(revised.memory, revised.request_id)
            try:
                return await _restored(io, scope_id, citation.artifact_id, deadline)
            except (ServerError, TransportError) as error:  # half of it is done
                return ChangeUnknown(error.code, error.status, error.request_id)
    return await _restored(io, scope_id, citation.artifact_id, deadline)


async def _restored(io: IO, scope_id: str, artifact_id: str, deadline: Deadline) -> RestoreOutcome:
    request = records.RestoreRequest(scope_id, records.RestoreTarget(artifact_id))

    async def made(by: Deadline) -> Restored:
        path = "/v1/atomic-memory/restorations"
        answer, request_id = await ask(io, path, request, records.RestoreAnswer, by)
        for citation in answer.restored:
            if citation.artifact_id == artifact_id:
                with suppress(PowerContextError):
                    shown = await memories.revision(io, scope_id, citation, by)
                    return Restored(memories.as_memory(shown, "active"), request_id)
        # It is restored, or may be: asked again, the server says so again.
        raise AnswerError("answer_mismatch", request_id, 200)

    async def seen(_: Deadline) -> Restored | None:
        return None

    return await decided(io, made, seen, deadline)
