# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

PreparedContextSchema = Literal['powercontext.prepared-context.v1']

PREPARED_CONTEXT_SCHEMA_VALUES: set[PreparedContextSchema] = { 'powercontext.prepared-context.v1',  }

def check_prepared_context_schema(value: str) -> PreparedContextSchema:
    if value in PREPARED_CONTEXT_SCHEMA_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PREPARED_CONTEXT_SCHEMA_VALUES!r}")
