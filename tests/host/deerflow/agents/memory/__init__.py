# SPDX-License-Identifier: Apache-2.0
"""Stand-in for the host's memory package: the names it re-exports."""

from deerflow.agents.memory.manager import (
    MemoryConflictError,
    MemoryCorruptionError,
    MemoryManager,
    MemoryManagerError,
    MemoryReadError,
    get_memory_manager,
    memory_read_failures_are_fatal,
    reset_memory_manager,
)

__all__ = [
    "MemoryConflictError",
    "MemoryCorruptionError",
    "MemoryManager",
    "MemoryManagerError",
    "MemoryReadError",
    "get_memory_manager",
    "memory_read_failures_are_fatal",
    "reset_memory_manager",
]
