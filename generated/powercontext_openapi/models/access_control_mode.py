# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

AccessControlMode = Literal['disabled', 'enforced']

ACCESS_CONTROL_MODE_VALUES: set[AccessControlMode] = { 'disabled', 'enforced',  }

def check_access_control_mode(value: str) -> AccessControlMode:
    if value in ACCESS_CONTROL_MODE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ACCESS_CONTROL_MODE_VALUES!r}")
