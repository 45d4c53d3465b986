# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

CaptureStatus = Literal['accepted']

CAPTURE_STATUS_VALUES: set[CaptureStatus] = { 'accepted',  }

def check_capture_status(value: str) -> CaptureStatus:
    if value in CAPTURE_STATUS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CAPTURE_STATUS_VALUES!r}")
