# SPDX-License-Identifier: Apache-2.0
"""Stand-in: what the host makes of a tool's result for its own steering, by the words in it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from langchain_core.messages import ToolMessage

TOOL_META_KEY = "deerflow_tool_meta"


class _Rule(NamedTuple):
    words: Sequence[str]
    error_type: str
    recoverable: bool
    action: str


# The first that matches; numbers only as words of their own.
_RULES = (
    _Rule(("401", "403", "unauthorized", "authentication", "invalid api key"), "auth", False, "stop"),
    _Rule(("rate limit", "rate limited", "rate_limit"), "rate_limited", False, "summarize"),
    _Rule(
        ("timeout", "timed out", "connection", "network error", "temporarily unavailable"),
        "transient", False, "try_alternative",
    ),
    _Rule(
        ("not configured", "not installed", "missing required", "disabled", "no api key"),
        "config", False, "stop",
    ),
    _Rule(
        ("permission denied", "access denied", "path traversal", "forbidden"),
        "permission", True, "try_alternative",
    ),
    _Rule(
        ("no results found", "no content found", "no images found", "no results"),
        "no_results", True, "rewrite_query",
    ),
    _Rule(
        ("not found", "no such file", "does not exist", "404"), "not_found", True, "rewrite_query"
    ),
    _Rule(("unexpected error", "internal error", "500"), "internal", False, "stop"),
)  # fmt: skip
_UNKNOWN = _Rule((), "unknown", True, "try_alternative")
_PARTIAL = (
    "partial results", "limited results", "truncated", "results may be incomplete",
    "no results found", "no content found", "no images found",
)  # fmt: skip
_NO_ERROR = {"none", "null", "false", "no", "ok", "success", "n/a", ""}


def normalize_tool_message(message: ToolMessage) -> ToolMessage:
    """Stamp ``message``, once."""
    if TOOL_META_KEY not in message.additional_kwargs:
        message.additional_kwargs = {**message.additional_kwargs, TOOL_META_KEY: _meta(message)}
    return message


def _meta(message: ToolMessage) -> dict[str, object]:
    text = message.content if isinstance(message.content, str) else ""
    said = _error_in_json(text)
    if text.startswith("Error:"):
        return _failed(_rule(text.removeprefix("Error:")))
    if message.status == "error":
        # Of JSON without an error in it no word counts.
        return _failed(_rule(said) if said else _UNKNOWN if _object(text) else _rule(text))
    if said:
        return _failed(_rule(said))
    if any(word in text.lower() for word in _PARTIAL):
        return _stamp("partial_success", None, True, "rewrite_query", "content_analysis")
    return _stamp("success", None, True, "continue", "content_analysis")


def _failed(rule: _Rule) -> dict[str, object]:
    return _stamp("error", rule.error_type, rule.recoverable, rule.action, "tool_return")


def _stamp(
    status: str, error_type: str | None, recoverable: bool, action: str, source: str
) -> dict[str, object]:
    return {
        "status": status,
        "error_type": error_type,
        "recoverable_by_model": recoverable,
        "recommended_next_action": action,
        "source": source,
    }


def _rule(text: str) -> _Rule:
    lower = text.lower()
    return next((rule for rule in _RULES if any(_has(lower, w) for w in rule.words)), _UNKNOWN)


def _has(text: str, word: str) -> bool:
    return bool(re.search(rf"\b{word}\b", text)) if word.isdigit() else word in text


def _object(text: str) -> dict[str, object] | None:
    try:
        read = json.loads(text)
    except ValueError:
        return None
    return read if isinstance(read, dict) else None


def _error_in_json(text: str) -> str | None:
    error = (_object(text) or {}).get("error")
    if not error or (isinstance(error, str) and error.lower().strip() in _NO_ERROR):
        return None
    return error if isinstance(error, str) else json.dumps(error)
