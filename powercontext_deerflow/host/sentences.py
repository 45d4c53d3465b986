# SPDX-License-Identifier: Apache-2.0
"""One plain sentence for each code, as a person may be told why a tool did not do what was asked."""

from __future__ import annotations

from typing import Final

_SAID: Final = {
    "not_owner": "These memories belong to another user.",
    "not_configured": "Memory is not set up here; the operator can ask the doctor why.",
    "not_yours": "Only whoever saved this memory can change it.",
    "undo_unsupported": "This memory server cannot bring it back; its text can be saved anew.",
    "nothing_to_undo": "This memory says that already, and is recalled.",
    "closed": "DeerFlow is shutting down.",
    "internal_error": "Something broke on the way.",
    "source_conflict": "Something else is stored under that name.",
    "scope_idempotency_conflict": "Something else is stored under that name.",
    "client_upgrade_required": "The memory server is too new for this DeerFlow.",
    "answer_too_large": "The memory server's answer is too large.",
} | {
    code: sentence
    for codes, sentence in {
        "dns_failed dns_timeout connect_failed connect_timeout connection_lost protocol_error answer_encoded": (
            "The memory server cannot be reached."
        ),
        "tls_failed tls_timeout tls_expired tls_not_yet_valid tls_unknown_issuer tls_root_missing tls_wrong_name"
        " tls_not_tls tls_client_certificate ca_file_unreadable": (
            "No safe way to the memory server; the operator can ask the doctor why."
        ),
        "answer_timeout inference_timeout http_408 http_504": ("The memory server took too long."),
        "no_connection_free no_thread no_descriptor out_of_memory saves_ahead server_overloaded capacity_exceeded"
        " http_429 breaker_open": "Too much is going on; it can be tried again in a moment.",
        "malformed status_mismatch byte_count_mismatch over_budget unexpected_status answer_mismatch over_limit"
        " cursor_repeated": "The memory server's answer makes no sense, so it is not used.",
        "unauthorized authentication_unavailable forbidden invalid_access_request access_unavailable http_401"
        " http_403 http_407": "The memory server does not let DeerFlow do that; the operator can ask the doctor why.",
        "scope_not_found binding-version idempotency-key": (
            "The place for memories is not ready on the server; the operator can ask the doctor why."
        ),
        "artifact_not_found memory_not_found not_found artifact_owner_pending http_404 http_410": (
            "There is no such memory."
        ),
        "revision_conflict atomic_memory_changed http_409 http_412": (
            "It was changed meanwhile; find it again first."
        ),
        "capability_not_supported legacy_memory_operation_unsupported http_405 http_501": (
            "This memory server cannot do that."
        ),
        "request_too_large http_413": "That is too long for the memory server.",
        "inference_unavailable runtime_not_ready http_502 http_503": (
            "The memory server is not ready; it can be tried again in a moment."
        ),
        "http_500 http_5xx http_505 http_506 http_507 http_508 http_510 http_511": (
            "The memory server has a fault."
        ),
    }.items()
    for code in codes.split()
}
_REFUSED: Final = "The memory server did not accept that."


def sentence(code: str) -> str:
    """In English; the model says it in the user's own language."""
    return _SAID.get(code, _REFUSED)
