# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

AccessRole = Literal['artifact.owner', 'artifact.viewer', 'handoff.receiver', 'handoff.viewer', 'prompt.user', 'scope.admin', 'scope.contributor', 'scope.delegator', 'scope.reviewer', 'scope.viewer', 'server.admin', 'server.observer']

ACCESS_ROLE_VALUES: set[AccessRole] = { 'artifact.owner', 'artifact.viewer', 'handoff.receiver', 'handoff.viewer', 'prompt.user', 'scope.admin', 'scope.contributor', 'scope.delegator', 'scope.reviewer', 'scope.viewer', 'server.admin', 'server.observer',  }

def check_access_role(value: str) -> AccessRole:
    if value in ACCESS_ROLE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ACCESS_ROLE_VALUES!r}")
