# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

AtomicMemorySearchHitMatchedByItem = Literal['text', 'vector']

ATOMIC_MEMORY_SEARCH_HIT_MATCHED_BY_ITEM_VALUES: set[AtomicMemorySearchHitMatchedByItem] = { 'text', 'vector',  }

def check_atomic_memory_search_hit_matched_by_item(value: str) -> AtomicMemorySearchHitMatchedByItem:
    if value in ATOMIC_MEMORY_SEARCH_HIT_MATCHED_BY_ITEM_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ATOMIC_MEMORY_SEARCH_HIT_MATCHED_BY_ITEM_VALUES!r}")
