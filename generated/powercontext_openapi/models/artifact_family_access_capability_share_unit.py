# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

ArtifactFamilyAccessCapabilityShareUnit = Literal['artifact', 'memory_entry']

ARTIFACT_FAMILY_ACCESS_CAPABILITY_SHARE_UNIT_VALUES: set[ArtifactFamilyAccessCapabilityShareUnit] = { 'artifact', 'memory_entry',  }

def check_artifact_family_access_capability_share_unit(value: str) -> ArtifactFamilyAccessCapabilityShareUnit:
    if value in ARTIFACT_FAMILY_ACCESS_CAPABILITY_SHARE_UNIT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ARTIFACT_FAMILY_ACCESS_CAPABILITY_SHARE_UNIT_VALUES!r}")
