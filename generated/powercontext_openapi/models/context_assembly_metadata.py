# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

ContextAssemblyMetadata = Literal['confidence', 'recall_rank']

CONTEXT_ASSEMBLY_METADATA_VALUES: set[ContextAssemblyMetadata] = { 'confidence', 'recall_rank',  }

def check_context_assembly_metadata(value: str) -> ContextAssemblyMetadata:
    if value in CONTEXT_ASSEMBLY_METADATA_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CONTEXT_ASSEMBLY_METADATA_VALUES!r}")
