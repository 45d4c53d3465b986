# SPDX-License-Identifier: Apache-2.0
"""Recall on the wire: ``powercontext.prepared-context.v1``, closed. Anything unexpected discards the answer."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from powercontext_deerflow.errors import AnswerError
from powercontext_deerflow.text import byte_length
from powercontext_deerflow.wire.decoding import Unshown, decoded, encode

# Exactly the four keys that every server from 1.0.0 accepts; any optional key breaks one (facts: server-versions).
_ASSEMBLY = msgspec.Raw(b'{"format":"markdown","sections":[{"family":"memory","limit":6}]}')


class PrepareRequest(Unshown, frozen=True):
    scope_id: str
    query: str
    max_bytes: int
    assembly: msgspec.Raw = _ASSEMBLY


class PreparedContext(Unshown, frozen=True, forbid_unknown_fields=True):
    """``powercontext.prepared-context.v1``, its ``content`` still in JSON."""

    schema: Literal["powercontext.prepared-context.v1"]
    status: Literal["ready", "empty"]
    content: msgspec.Raw
    content_bytes: Annotated[int, Meta(ge=0, le=32768)]
    reason: Literal["inference_timeout", "inference_unavailable"] | UnsetType | None = UNSET


_PREPARED = msgspec.json.Decoder(PreparedContext)
_CONTENT: msgspec.json.Decoder[str | None] = msgspec.json.Decoder(str | None)


def decode_prepared(body: bytes, max_bytes: int) -> str | None:
    """The prepared text in ``body``, or None if it is empty, checked against the budget sent (UTF-8 bytes).

    Raises AnswerError: ``malformed``, ``status_mismatch``, ``byte_count_mismatch`` or ``over_budget``.
    """
    prepared = decoded(_PREPARED, body)
    content = decoded(_CONTENT, prepared.content)
    # msgspec keeps the last of two equal keys. An answer as short as it can be written has no room for a second one;
    # in any other one, which is flat and has colons of its own in the content only, the other colons count the keys.
    if len(encode(prepared)) != len(body):
        keys = 4 if prepared.reason is UNSET else 5
        if body.count(b":") - bytes(prepared.content).count(b":") != keys:
            raise AnswerError("malformed")
    if content is None and prepared.status == "empty" and prepared.content_bytes == 0:
        return None
    if not content or prepared.status != "ready":
        raise AnswerError("status_mismatch")
    if byte_length(content) != prepared.content_bytes:
        raise AnswerError("byte_count_mismatch")
    if prepared.content_bytes > max_bytes:
        raise AnswerError("over_budget")
    return content
