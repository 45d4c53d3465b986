# SPDX-License-Identifier: Apache-2.0
"""Recall on the wire: ``powercontext.prepared-context.v1``, closed. Anything unexpected discards the answer."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from powercontext_deerflow.api.wire.codec import Unshown, decoded
from powercontext_deerflow.errors import AnswerError
from powercontext_deerflow.limits import byte_length


def assembly(memories: int) -> msgspec.Raw:
    """What a prepared text is made of: at most so many memories, 1 to 8."""
    return msgspec.Raw(
        b'{"format":"markdown","sections":[{"family":"memory","limit":%d}]}' % memories
    )


class PrepareRequest(Unshown, frozen=True):
    """Exactly the four keys that every server from 1.0.0 accepts; any optional key breaks one."""

    scope_id: str
    query: str
    max_bytes: int
    assembly: msgspec.Raw = assembly(6)


_Count = Annotated[int, Meta(ge=0, le=32768)]


class PreparedContext(Unshown, frozen=True, forbid_unknown_fields=True):
    """``powercontext.prepared-context.v1``, its ``content`` still in JSON."""

    schema: Literal["powercontext.prepared-context.v1"]
    status: Literal["ready", "empty"]
    content: msgspec.Raw
    content_bytes: _Count
    reason: Literal["inference_timeout", "inference_unavailable"] | UnsetType | None = UNSET


_PREPARED = msgspec.json.Decoder(PreparedContext)
_CONTENT: msgspec.json.Decoder[str | None] = msgspec.json.Decoder(str | None)
_CONTENT_BYTES: msgspec.json.Decoder[int] = msgspec.json.Decoder(_Count)
# A ready answer to the byte as the servers write it; whether the content ends there, its own decoder says.
_READY = re.compile(
    rb'\{"schema":"powercontext\.prepared-context\.v1","status":"ready",'
    rb'"content":(".+"),"content_bytes":([0-9]+)\}',
    re.DOTALL,
)


def decode_prepared(body: bytes, max_bytes: int) -> tuple[str, int] | None:
    """The prepared text in ``body`` and its UTF-8 bytes, at most ``max_bytes``, the budget sent; None if it is empty.

    Raises AnswerError: ``malformed``, ``status_mismatch``, ``byte_count_mismatch`` or ``over_budget``.
    """
    ready = _READY.fullmatch(body)
    if ready:  # read once, and there is no room for a second key
        content, content_bytes = decoded(_CONTENT, ready[1]), decoded(_CONTENT_BYTES, ready[2])
    else:
        prepared = decoded(_PREPARED, body)
        _refuse_second_keys(body, prepared)
        content, content_bytes = decoded(_CONTENT, prepared.content), prepared.content_bytes
        if content is None and prepared.status == "empty" and content_bytes == 0:
            return None
        if prepared.status != "ready":
            raise AnswerError("status_mismatch")
    if not content:
        raise AnswerError("status_mismatch")
    if byte_length(content) != content_bytes:
        raise AnswerError("byte_count_mismatch")
    if content_bytes > max_bytes:
        raise AnswerError("over_budget")
    return content, content_bytes


def _refuse_second_keys(body: bytes, prepared: PreparedContext) -> None:
    """msgspec keeps the last of two equal keys. The answer is flat and has colons of its own in the content only, so
    the other colons count the keys."""
    keys = 4 if prepared.reason is UNSET else 5
    if body.count(b":") - bytes(prepared.content).count(b":") != keys:
        raise AnswerError("malformed")
