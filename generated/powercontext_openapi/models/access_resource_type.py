# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

AccessResourceType = Literal['artifact', 'scope', 'server']

ACCESS_RESOURCE_TYPE_VALUES: set[AccessResourceType] = { 'artifact', 'scope', 'server',  }

def check_access_resource_type(value: str) -> AccessResourceType:
    if value in ACCESS_RESOURCE_TYPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ACCESS_RESOURCE_TYPE_VALUES!r}")
