# SPDX-License-Identifier: Apache-2.0
"""Stand-in for the host's read caller: the only place that calls `get_context`."""

from __future__ import annotations

import logging

from deerflow.agents.memory.manager import (
    MemoryManagerError,
    MemoryReadError,
    context_query_kwargs,
    get_memory_manager,
)
from deerflow.config.memory_config import get_memory_config
from deerflow.runtime.user_context import resolve_runtime_user_id

logger = logging.getLogger(__name__)


def _get_memory_context(
    agent_name: str | None = None, *, user_id: str | None = None, query: str | None = None
) -> str:
    """The recalled text in its block, or "". Without `query` this is the host before PR 5251.

    Any exception is logged with its traceback and its text, which is why a backend must not
    put content into one.
    """
    config = get_memory_config()
    try:
        if not config.enabled or not config.injection_enabled:
            return ""
        manager = get_memory_manager()
        content = manager.get_context(
            user_id=user_id or resolve_runtime_user_id(None),
            agent_name=agent_name,
            **context_query_kwargs(manager.get_context, query),
        )
        return f"<memory>\n{content}\n</memory>\n" if content.strip() else ""
    except MemoryReadError:
        logger.exception("Required memory context could not be read")
        raise
    except Exception as error:
        logger.exception("Failed to load memory context")
        policy = config.backend_config.get("failure_policy")
        strict = isinstance(policy, dict) and policy.get("read") == "fail_closed"
        if strict and isinstance(error, MemoryManagerError):
            raise
        return ""
