# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

ContextAssemblyFormat = Literal['markdown']

CONTEXT_ASSEMBLY_FORMAT_VALUES: set[ContextAssemblyFormat] = { 'markdown',  }

def check_context_assembly_format(value: str) -> ContextAssemblyFormat:
    if value in CONTEXT_ASSEMBLY_FORMAT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CONTEXT_ASSEMBLY_FORMAT_VALUES!r}")
