# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

ArtifactReadFamily = Literal['atomic-memory', 'experience', 'handoff', 'memory', 'profile', 'prompt', 'skill', 'topic-memory']

ARTIFACT_READ_FAMILY_VALUES: set[ArtifactReadFamily] = { 'atomic-memory', 'experience', 'handoff', 'memory', 'profile', 'prompt', 'skill', 'topic-memory',  }

def check_artifact_read_family(value: str) -> ArtifactReadFamily:
    if value in ARTIFACT_READ_FAMILY_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ARTIFACT_READ_FAMILY_VALUES!r}")
