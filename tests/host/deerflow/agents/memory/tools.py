# SPDX-License-Identifier: Apache-2.0
"""Stand-in for the four tools that the host itself offers the model in ``memory.mode: tool``.

They ask whichever backend is configured. What one does not support is an error inside a successful result.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable

from langchain_core.tools import BaseTool, StructuredTool

from deerflow.agents.memory.manager import MemoryManager, get_memory_manager
from deerflow.runtime.user_context import Runtime, resolve_runtime_user_id

logger = logging.getLogger(__name__)


def _asked(ask: Callable[[MemoryManager], object], operation: str) -> str:
    manager = get_memory_manager()
    try:
        return json.dumps(ask(manager), ensure_ascii=False)
    except NotImplementedError:
        name = type(manager).__name__
        return json.dumps({"error": f"memory backend {name} does not support {operation}"})
    except Exception as error:
        logger.exception("memory tool failed")
        return json.dumps({"error": str(error)})


def memory_search(
    runtime: Runtime, query: str, category: str | None = None, limit: int = 10
) -> str:
    user = resolve_runtime_user_id(runtime)
    return _asked(
        lambda manager: {"results": manager.search(query, limit, user_id=user, category=category)},
        "search",
    )


def memory_add(
    runtime: Runtime, content: str, category: str = "context", confidence: float = 0.7
) -> str:
    user = resolve_runtime_user_id(runtime)

    def ask(manager: MemoryManager) -> object:
        manager.get_memory(user_id=user)
        made = manager.create_fact(content.strip(), category, confidence, user_id=user)
        return {"fact_id": made[1], "status": "added"}

    return _asked(ask, "create_fact")


def memory_update(runtime: Runtime, fact_id: str, content: str | None = None) -> str:
    user = resolve_runtime_user_id(runtime)

    def ask(manager: MemoryManager) -> object:
        manager.update_fact(fact_id, content, user_id=user)
        return {"fact_id": fact_id, "status": "updated"}

    return _asked(ask, "update_fact")


def memory_delete(runtime: Runtime, fact_id: str) -> str:
    user = resolve_runtime_user_id(runtime)

    def ask(manager: MemoryManager) -> object:
        manager.delete_fact(fact_id, user_id=user)
        return {"fact_id": fact_id, "status": "deleted"}

    return _asked(ask, "delete_fact")


def get_memory_tools() -> list[BaseTool]:
    """The host adds these to an agent's tools, beside those of plugins, if ``memory.mode`` is ``tool``."""
    parts = (memory_search, memory_add, memory_update, memory_delete)
    return [
        StructuredTool.from_function(part, name=part.__name__, description=part.__name__)
        for part in parts
    ]
