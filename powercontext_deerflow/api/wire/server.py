# SPDX-License-Identifier: Apache-2.0
"""What a server says of itself on the wire: its errors, its version, its Scopes."""

from __future__ import annotations

from typing import Final, cast, get_args

import msgspec
from msgspec import Struct

from powercontext_deerflow.api.wire.codec import skimmed
from powercontext_deerflow.codes import KnownServerCode
from powercontext_deerflow.errors import AnswerError


class Version(Struct, frozen=True):
    """Of the API contract: another ``major`` may break, another ``minor`` adds."""

    major: int
    minor: int


class ServerInfo(Struct, frozen=True):
    """``GET /v1/server-info``, servers from 1.3.0; keys unknown to us are tolerated, as the API asks."""

    product: str
    package_version: str
    api_contract_version: Version


class Scope(Struct, frozen=True):
    """``GET /v1/scopes/{scope_id}``: what says that the bound Scope exists."""

    scope_id: str


class Capabilities(Struct, frozen=True):
    """``GET /v1/capabilities``, every server: how it searches. ``["auto", "fts"]`` is by words only."""

    search_modes: list[str]


class _ErrorDetail(Struct):
    """Its ``details`` are passed over: they may hold prose, or anything."""

    code: str
    message: str


class _ErrorBody(Struct):
    error: _ErrorDetail


class _FrameworkErrorBody(Struct):
    detail: str


KNOWN_CODES: Final = frozenset(get_args(KnownServerCode))

_ERROR = msgspec.json.Decoder(_ErrorBody)
_FRAMEWORK_ERROR = msgspec.json.Decoder(_FrameworkErrorBody)


def decode_error(body: bytes) -> tuple[bool, KnownServerCode | None]:
    """Whether an error body has PowerContext's or its framework's shape, and its code if that is a known one."""
    try:
        code = skimmed(_ERROR, body).error.code
    except AnswerError:
        pass
    else:
        return True, cast("KnownServerCode", code) if code in KNOWN_CODES else None
    try:
        skimmed(_FRAMEWORK_ERROR, body)
    except AnswerError:
        return False, None
    return True, None


def is_unknown_route(status: int, body: bytes) -> bool:
    """Whether this is the framework's own answer to a path or method that it does not have."""
    try:
        skimmed(_FRAMEWORK_ERROR, body)
    except AnswerError:
        return False
    return status in (404, 405)
