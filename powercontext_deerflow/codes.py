# SPDX-License-Identifier: Apache-2.0
"""The reason codes of outcomes and errors: stable, content-free, never renamed.

They are types, so that a ``match`` with a misspelled code is a type error. What each of them means to an operator, and
what to do, is in docs/en/doctor-codes.md.
"""

from __future__ import annotations

from typing import Final, Literal, cast, get_args

# fmt: off
OutageCode = Literal[
    "dns_failed", "dns_timeout", "connect_failed", "connect_timeout", "tls_failed", "tls_timeout",
    "tls_expired", "tls_not_yet_valid", "tls_unknown_issuer", "tls_root_missing", "tls_wrong_name",
    "tls_not_tls", "tls_client_certificate", "answer_timeout", "connection_lost", "protocol_error",
    "no_connection_free", "no_thread", "no_descriptor", "out_of_memory",
]
"""No whole answer came, by time or connection, or for want of what both need: these open the breaker."""
TransportCode = OutageCode | Literal[
    "closed", "saves_ahead", "answer_too_large", "answer_encoded", "ca_file_unreadable",
]
"""Of TransportError: no whole answer came."""
AnswerCode = Literal[
    "malformed", "status_mismatch", "byte_count_mismatch", "over_budget", "unexpected_status",
    "answer_mismatch", "over_limit", "cursor_repeated", "out_of_memory",
]
"""Of AnswerError: a success that is discarded."""
KnownServerCode = Literal[
    "access_unavailable", "artifact_not_found", "artifact_owner_pending", "atomic_memory_changed",
    "authentication_unavailable", "binding-version", "capability_not_supported",
    "capacity_exceeded", "client_upgrade_required", "forbidden", "idempotency-key",
    "inference_timeout", "inference_unavailable", "internal_error", "invalid_access_request",
    "invalid_cursor", "invalid_request", "legacy_memory_operation_unsupported", "memory_not_found",
    "not_found", "precondition_required", "request_too_large", "revision_conflict",
    "runtime_not_ready", "scope_idempotency_conflict", "scope_not_found", "server_overloaded",
    "source_conflict", "unauthorized",
]
"""PowerContext's own codes that may be repeated to a user, an operator or a model."""
StatusCode = Literal[
    "http_300", "http_301", "http_302", "http_303", "http_304", "http_305", "http_307", "http_308",
    "http_400", "http_401", "http_402", "http_403", "http_404", "http_405", "http_406", "http_407",
    "http_408", "http_409", "http_410", "http_411", "http_412", "http_413", "http_414", "http_415",
    "http_416", "http_417", "http_418", "http_421", "http_422", "http_423", "http_424", "http_425",
    "http_426", "http_428", "http_429", "http_431", "http_451", "http_500", "http_501", "http_502",
    "http_503", "http_504", "http_505", "http_506", "http_507", "http_508", "http_510", "http_511",
    "http_3xx", "http_4xx", "http_5xx",
]
"""Where the server names no known code; its last three are for statuses that HTTP does not know."""
ServerCode = KnownServerCode | StatusCode
"""Of ServerError: an error status."""
HostCode = Literal["not_owner", "breaker_open", "internal_error"]
"""Only where DeerFlow asks: nobody else was admitted, an outage goes on, or something of ours broke."""
# fmt: on
RecallCode = TransportCode | AnswerCode | ServerCode | HostCode
"""Why a recall failed."""
SaveCode = TransportCode | AnswerCode | ServerCode | HostCode
"""Why a save was not confirmed."""
ChangeCode = TransportCode | AnswerCode | ServerCode | Literal["not_yours"]
"""Why a change was not made, or not confirmed; the last one where somebody else saved the memory."""
NothingCode = Literal["empty", "no_query", "host_passes_no_query"]
"""Why there is nothing to recall; the last one only where DeerFlow asks."""

_STATUSES: Final = frozenset(get_args(StatusCode))


def of_status(status: int) -> StatusCode:
    """The code for an error status (300 or more) without a known code."""
    code = f"http_{status}"
    return cast("StatusCode", code if code in _STATUSES else f"http_{min(status // 100, 5)}xx")
