# SPDX-License-Identifier: Apache-2.0
"""Decoding that says nothing of what it read: decoder messages quote the server, so none leaves this module."""

from __future__ import annotations

from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from powercontext_deerflow.errors import AnswerError

T = TypeVar("T")

Revision = Annotated[int, Meta(ge=1, le=2**63 - 1)]
Identifier = Annotated[str, Meta(min_length=1, max_length=256, pattern=r"^[\x21-\x7E]+\Z")]

# Python reads no such number, so what is around it was not written for us either.
_ENDLESS_NUMBER = b"9" * 4301
_DIGITS_ALIKE = bytes(0x39 if 0x30 <= byte <= 0x39 else 0 for byte in range(256))


class Unshown(msgspec.Struct, frozen=True):
    """A message that holds somebody's words: its repr shows none of them."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"


encode = msgspec.json.Encoder().encode


def decode(body: bytes, kind: type[T]) -> T:
    """``body`` as a ``kind``; keys unknown to us are tolerated. Raises AnswerError ``malformed``."""
    return decoded(msgspec.json.Decoder(kind), body)


def decoded(decoder: msgspec.json.Decoder[T], body: bytes | msgspec.Raw) -> T:
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    # Raised out here, so that the decoder's own error, which quotes the body, is not in the chain.
    raise AnswerError("malformed")


def skimmed(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    """As ``decoded``, for a ``decoder`` that has few of the keys: the others are passed over, and nothing is built of
    them, because a mebibyte of ``[]`` costs a hundred times more to build than to pass over.
    """
    if _ENDLESS_NUMBER in body.translate(_DIGITS_ALIKE):
        raise AnswerError("malformed")
    return decoded(decoder, body)
