# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

ContextAssemblyFamily = Literal['experience', 'memory', 'profile', 'topic-memory']

CONTEXT_ASSEMBLY_FAMILY_VALUES: set[ContextAssemblyFamily] = { 'experience', 'memory', 'profile', 'topic-memory',  }

def check_context_assembly_family(value: str) -> ContextAssemblyFamily:
    if value in CONTEXT_ASSEMBLY_FAMILY_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CONTEXT_ASSEMBLY_FAMILY_VALUES!r}")
