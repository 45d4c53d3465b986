# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

PreparedContextStatus = Literal['empty', 'ready']

PREPARED_CONTEXT_STATUS_VALUES: set[PreparedContextStatus] = { 'empty', 'ready',  }

def check_prepared_context_status(value: str) -> PreparedContextStatus:
    if value in PREPARED_CONTEXT_STATUS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PREPARED_CONTEXT_STATUS_VALUES!r}")
