# SPDX-License-Identifier: Apache-2.0
"""Stand-in: a tool's result that is too long goes into a file of the conversation, and the model reads a synopsis."""

from __future__ import annotations

import uuid
from collections.abc import MutableMapping

from langchain_core.messages import ToolMessage

EXTERNALIZE_MIN_CHARS = 12_000
SYNOPSIS_CHARS = 4_000
FOLDER = "/mnt/user-data/outputs/.tool-results"


def budgeted(message: ToolMessage, outputs: MutableMapping[str, str]) -> ToolMessage:
    """``message``, or one with a synopsis; ``outputs`` are the conversation's files, by their paths."""
    text = message.content
    if not isinstance(text, str) or len(text) <= EXTERNALIZE_MIN_CHARS:
        return message
    path = f"{FOLDER}/{message.name}-{uuid.uuid4().hex[:12]}.txt"
    outputs[path] = text
    synopsis = f"[The whole result of {len(text)} characters is in {path}]\n{text}"
    return message.model_copy(update={"content": synopsis[:SYNOPSIS_CHARS]})
