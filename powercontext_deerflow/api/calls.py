# SPDX-License-Identifier: Apache-2.0
"""One operation, one exchange: a typed request out, a strictly decoded answer in, or one of our errors."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import quote

from powercontext_deerflow.api import wire
from powercontext_deerflow.api.wire import records
from powercontext_deerflow.codes import of_status
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import (
    AnswerError,
    InputError,
    NotSupportedByServer,
    ServerError,
)
from powercontext_deerflow.transport import IO, Answer, Sealed

T = TypeVar("T")
_AT_ONCE = 64 * 1024
"""Bytes of an answer that are decoded in less time than an event loop may stand."""
_SECONDS = re.compile(rb"[0-9]{1,5}")
_NOTHING = Sealed(b"")
_FROM_1_4 = (b"x-powercontext-dream-contract", b"2")


async def call(
    io: IO, path: str, request: object | None, deadline: Deadline, success: int = 200
) -> Answer:
    """POST ``request`` as JSON, or GET without one; the answer if its status is ``success``.

    The status rules do not depend on the statuses that the API declares, because 404 ``scope_not_found`` and the
    framework's errors are undeclared. Raises TransportError, ServerError or AnswerError.
    """
    if request is None:
        answer = await io.exchange("GET", path, _NOTHING, deadline)
    else:
        answer = await io.exchange("POST", path, _encoded(request), deadline)
    return _checked(answer, success)


def _checked(answer: Answer, success: int) -> Answer:
    if answer.status == success:
        return answer
    if 200 <= answer.status < 300:
        raise AnswerError("unexpected_status", answer.request_id, answer.status)
    structured, code = wire.decode_error(answer.body)
    absent = code == "legacy_memory_operation_unsupported" or (
        structured and code is None and wire.is_unknown_route(answer.status, answer.body)
    )
    kind = NotSupportedByServer if absent else ServerError
    error = kind(
        code or of_status(answer.status), answer.status, answer.request_id, structured=structured
    )
    error.retry_after = _retry_after(answer)
    raise error


def _retry_after(answer: Answer) -> float | None:
    """What ``Retry-After`` says, if it is once a plain number of seconds, of at most a day."""
    said = [value for name, value in answer.headers if name == b"retry-after"]
    if len(said) != 1 or not _SECONDS.fullmatch(said[0]) or int(said[0]) > 86_400:
        return None
    return float(said[0])


def _encoded(request: object) -> Sealed:
    try:
        return Sealed(wire.encode(request))
    except (TypeError, ValueError, RecursionError):
        pass
    # Raised out here: the encoder's own error may quote what it could not encode.
    raise InputError(
        "not_json", "argument", "use what JSON can carry: no lone surrogates, no objects"
    )


async def ask(
    io: IO,
    path: str,
    request: object | None,
    kind: type[T],
    deadline: Deadline,
    *,
    success: int = 200,
) -> tuple[T, str | None]:
    """As ``call``, but the answer as a ``kind``, and the request id."""
    answer = await call(io, path, request, deadline, success)
    return await _read(io, answer, lambda body: wire.decode(body, kind), deadline)


async def _read(
    io: IO, answer: Answer, decode: Callable[[bytes], T], deadline: Deadline
) -> tuple[T, str | None]:
    try:
        if len(answer.body) <= _AT_ONCE:
            return decode(answer.body), answer.request_id
        return await io.compute(lambda: decode(answer.body), deadline), answer.request_id
    except AnswerError as error:
        error.request_id, error.status = answer.request_id, answer.status
        raise
    except MemoryError:
        pass
    raise AnswerError("out_of_memory", answer.request_id, answer.status)


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a prepare came to."""

    text: tuple[str, int] | None = field(repr=False)
    """Prepared, and its UTF-8 bytes; None if it is empty."""
    request_id: str | None
    wide: bool
    """Whether the server takes a ``wide_search``."""


async def prepare(io: IO, request: wire.PrepareRequest, deadline: Deadline) -> Prepared:
    answer = await call(io, "/v1/context/prepare", request, deadline)
    text, request_id = await _read(
        io, answer, lambda body: wire.decode_prepared(body, request.max_bytes), deadline
    )
    return Prepared(text, request_id, is_wide(answer))


def is_wide(answer: Answer) -> bool:
    """Whether a server that answers with these headers takes a ``wide_search``: 1.4.0 and later."""
    return _FROM_1_4 in answer.headers


async def remember(
    io: IO, request: wire.RememberRequest, deadline: Deadline
) -> tuple[tuple[wire.Remembered | wire.LegacyRemembered, bool], str | None]:
    """What is saved, whether the answer had keys unknown to us, and the request id."""
    answer = await call(io, "/v1/memory/remember", request, deadline)
    return await _read(io, answer, wire.decode_remembered, deadline)


async def search(
    io: IO, request: wire.SearchRequest, deadline: Deadline
) -> wire.SearchAnswer | wire.LegacySearchAnswer:
    answer = await call(io, "/v1/memory/search", request, deadline)
    found, _ = await _read(io, answer, wire.decode_search, deadline)
    del found.hits[request.limit :]  # whatever the server sends
    return found


async def wide_search(
    io: IO, scope_id: str, request: records.WideRequest, deadline: Deadline
) -> list[records.RevisionAnswer]:
    """Of the active memories that share a word with the query, in their current revisions, the best first.

    Servers from 1.4.0 take it (``is_wide``). Others refuse it: 422, or 405 if they have no such route, a ServerError.
    """
    path = f"/v1/scopes/{quote(scope_id, safe='')}/artifacts/atomic-memory/search"
    answer, _ = await ask(io, path, request, records.WideAnswer, deadline)
    return answer.results[: request.limit]  # whatever the server sends


async def server_info(io: IO, deadline: Deadline) -> wire.ServerInfo:
    return (await ask(io, "/v1/server-info", None, wire.ServerInfo, deadline))[0]


async def has_scope(io: IO, scope_id: str, deadline: Deadline) -> bool:
    """Whether the Scope that the server finds has exactly this id; its storage may fold case or accents."""
    path = f"/v1/scopes/{quote(scope_id, safe='')}"
    return (await ask(io, path, None, wire.Scope, deadline))[0].scope_id == scope_id


async def capabilities(io: IO, deadline: Deadline) -> wire.Capabilities:
    return (await ask(io, "/v1/capabilities", None, wire.Capabilities, deadline))[0]
