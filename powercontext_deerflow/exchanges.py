# SPDX-License-Identifier: Apache-2.0
"""One operation, one exchange: a typed request out, a strictly decoded answer in, or one of our errors."""

from __future__ import annotations

from urllib.parse import quote

from powercontext_deerflow import wire
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import AnswerError, ServerError
from powercontext_deerflow.transport import Answer, Engine


def call(engine: Engine, path: str, request: object | None, deadline: Deadline) -> Answer:
    """POST ``request`` as JSON, or GET without one; the answer if its status is 200.

    The status rules do not depend on the statuses that the API declares, because 404 ``scope_not_found`` and the
    framework's errors are undeclared (facts: powercontext-api 0.7). Raises TransportError, ServerError or AnswerError.
    """
    if request is None:
        answer = engine.exchange("GET", path, b"", deadline)
    else:
        answer = engine.exchange("POST", path, wire.encode(request), deadline)
    if answer.status == 200:
        return answer
    if 200 < answer.status < 300:
        raise AnswerError("unexpected_status", answer.request_id)
    structured, code = wire.decode_error(answer.body)
    raise ServerError(
        code or f"http_{answer.status}", answer.status, answer.request_id, structured=structured
    )


def prepare(
    engine: Engine, request: wire.PrepareRequest, deadline: Deadline
) -> tuple[str | None, str | None]:
    """The prepared text (None if empty) and the request id."""
    answer = call(engine, "/v1/context/prepare", request, deadline)
    return wire.decode_prepared(answer.body, request.max_bytes), answer.request_id


def search(
    engine: Engine, request: wire.SearchRequest, deadline: Deadline
) -> wire.SearchAnswer | wire.LegacySearchAnswer:
    return wire.decode_search(call(engine, "/v1/memory/search", request, deadline).body)


def server_info(engine: Engine, deadline: Deadline) -> wire.ServerInfo:
    return wire.decode_server_info(call(engine, "/v1/server-info", None, deadline).body)


def scope(engine: Engine, scope_id: str, deadline: Deadline) -> wire.Scope:
    path = f"/v1/scopes/{quote(scope_id, safe='')}"
    return wire.decode_scope(call(engine, path, None, deadline).body)


def capabilities(engine: Engine, deadline: Deadline) -> wire.Capabilities:
    return wire.decode_capabilities(call(engine, "/v1/capabilities", None, deadline).body)


def retire(engine: Engine, request: wire.RetireRequest, deadline: Deadline) -> bool:
    """Whether the server confirmed that this very memory is forgotten."""
    answer, _ = wire.decode_remembered(
        call(engine, "/v1/atomic-memory/lifecycle", request, deadline).body
    )
    return isinstance(answer, wire.Remembered) and any(
        record.artifact == request.target.artifact and record.state == request.state
        for record in answer.records
    )
