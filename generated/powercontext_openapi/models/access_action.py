# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

AccessAction = Literal['artifact.read', 'artifact.share', 'artifact.write', 'handoff.acknowledge', 'handoff.evidence.inspect', 'prompt.use', 'scope.admin', 'scope.contribute', 'scope.delegate', 'scope.read', 'scope.review', 'server.admin', 'server.observe']

ACCESS_ACTION_VALUES: set[AccessAction] = { 'artifact.read', 'artifact.share', 'artifact.write', 'handoff.acknowledge', 'handoff.evidence.inspect', 'prompt.use', 'scope.admin', 'scope.contribute', 'scope.delegate', 'scope.read', 'scope.review', 'server.admin', 'server.observe',  }

def check_access_action(value: str) -> AccessAction:
    if value in ACCESS_ACTION_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ACCESS_ACTION_VALUES!r}")
