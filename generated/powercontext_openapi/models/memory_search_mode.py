# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

MemorySearchMode = Literal['auto', 'fts', 'hybrid', 'vector']

MEMORY_SEARCH_MODE_VALUES: set[MemorySearchMode] = { 'auto', 'fts', 'hybrid', 'vector',  }

def check_memory_search_mode(value: str) -> MemorySearchMode:
    if value in MEMORY_SEARCH_MODE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {MEMORY_SEARCH_MODE_VALUES!r}")
