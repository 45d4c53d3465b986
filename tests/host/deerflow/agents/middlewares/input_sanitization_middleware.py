# SPDX-License-Identifier: Apache-2.0
"""Stand-in: what the host does to text of users, and to results of its own web tools, before a model reads it.

Neither a memory nor the result of a plugin's tool comes through here.
"""

from __future__ import annotations

import re

BEGIN, END = "--- BEGIN USER INPUT ---", "--- END USER INPUT ---"

# Every block that the host itself puts before a model, and what attackers like to imitate.
_BLOCKED_TAG_NAMES = frozenset(
    """
    analysis available-deferred-tools available_skills background_task_event citations clarification_system
    critical_reminders current_date current_uploads disabled_skills durable_context_data file_editing_workflow
    goal_continuation guidelines ignore important instruction mcp_routing_hints memory memory_tool_system output_format
    override prompt response_style role self_update skill_index skill_system slash_skill_activation soul
    subagent_system system system-reminder system_reminder think thinking_style todo_list_system tool_restrictions
    uploaded_files working_directory
    """.split()  # noqa: SIM905
)
_BLOCKED_TAG = re.compile(
    rf"<\s*/?\s*(?:{'|'.join(map(re.escape, sorted(_BLOCKED_TAG_NAMES)))})\b[^>]*>?", re.IGNORECASE
)


def neutralize_untrusted_tags(text: str) -> str:
    if not text.strip():
        return text
    text = _BLOCKED_TAG.sub(lambda tag: tag[0].replace("<", "&lt;").replace(">", "&gt;"), text)
    for marker in (BEGIN, END):
        text = text.replace(marker, f"[{marker.strip('- ')}]")
    return text


def frame_untrusted_text(text: str) -> str:
    """A text that stands between the two markers already is not framed again."""
    if not text.strip():
        return text
    if text.startswith(BEGIN) and text.endswith(END):
        return f"{BEGIN}{neutralize_untrusted_tags(text[len(BEGIN) : -len(END)])}{END}"
    return f"{BEGIN}\n{neutralize_untrusted_tags(text)}\n{END}"
