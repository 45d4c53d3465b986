# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

AtomicMemoryLifecycleState = Literal['forgotten']

ATOMIC_MEMORY_LIFECYCLE_STATE_VALUES: set[AtomicMemoryLifecycleState] = { 'forgotten',  }

def check_atomic_memory_lifecycle_state(value: str) -> AtomicMemoryLifecycleState:
    if value in ATOMIC_MEMORY_LIFECYCLE_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ATOMIC_MEMORY_LIFECYCLE_STATE_VALUES!r}")
