# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

AtomicMemoryState = Literal['active', 'forgotten', 'merged', 'retired']

ATOMIC_MEMORY_STATE_VALUES: set[AtomicMemoryState] = { 'active', 'forgotten', 'merged', 'retired',  }

def check_atomic_memory_state(value: str) -> AtomicMemoryState:
    if value in ATOMIC_MEMORY_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ATOMIC_MEMORY_STATE_VALUES!r}")
