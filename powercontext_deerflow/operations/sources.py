# SPDX-License-Identifier: Apache-2.0
"""Sources of a Scope: captured once, by a name of the caller's."""

from __future__ import annotations

from powercontext_deerflow.api.calls import ask
from powercontext_deerflow.api.wire.sources import SourceAnswer
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import AnswerError, ServerError
from powercontext_deerflow.operations import arguments
from powercontext_deerflow.operations.memories import conflict
from powercontext_deerflow.outcomes import Captured, CaptureOutcome
from powercontext_deerflow.transport import IO


async def capture(
    io: IO, scope_id: str, source_id: object, content: object, metadata: object, deadline: Deadline
) -> CaptureOutcome:
    source, path = arguments.source(scope_id, source_id, content, metadata), "/v1/sources/content"
    try:
        answer, request_id = await ask(io, path, source, SourceAnswer, deadline, success=202)
    except ServerError as error:
        return conflict(error)
    if answer.source.source_id != source.source_id:
        raise AnswerError("answer_mismatch", request_id, 202)
    return Captured(answer.position, request_id)
