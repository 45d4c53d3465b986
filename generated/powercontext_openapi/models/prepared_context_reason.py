# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

PreparedContextReason = Literal['inference_timeout', 'inference_unavailable']

PREPARED_CONTEXT_REASON_VALUES: set[PreparedContextReason] = { 'inference_timeout', 'inference_unavailable',  }

def check_prepared_context_reason(value: str) -> PreparedContextReason:
    if value in PREPARED_CONTEXT_REASON_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PREPARED_CONTEXT_REASON_VALUES!r}")
