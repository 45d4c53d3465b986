# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

AccessPrincipalType = Literal['service', 'user']

ACCESS_PRINCIPAL_TYPE_VALUES: set[AccessPrincipalType] = { 'service', 'user',  }

def check_access_principal_type(value: str) -> AccessPrincipalType:
    if value in ACCESS_PRINCIPAL_TYPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ACCESS_PRINCIPAL_TYPE_VALUES!r}")
