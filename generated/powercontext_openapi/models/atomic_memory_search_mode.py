# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

AtomicMemorySearchMode = Literal['hybrid', 'text', 'vector']

ATOMIC_MEMORY_SEARCH_MODE_VALUES: set[AtomicMemorySearchMode] = { 'hybrid', 'text', 'vector',  }

def check_atomic_memory_search_mode(value: str) -> AtomicMemorySearchMode:
    if value in ATOMIC_MEMORY_SEARCH_MODE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ATOMIC_MEMORY_SEARCH_MODE_VALUES!r}")
