# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.access_control_mode import AccessControlMode
from ..models.access_control_mode import check_access_control_mode
from ..models.access_resource_type import AccessResourceType
from ..models.access_resource_type import check_access_resource_type
from typing import cast

if TYPE_CHECKING:
  from ..models.access_principal import AccessPrincipal
  from ..models.access_provider_capabilities import AccessProviderCapabilities
  from ..models.artifact_family_access_capability import ArtifactFamilyAccessCapability





T = TypeVar("T", bound="AccessMeResponse")



@_attrs_define
class AccessMeResponse:
    """ 
        Attributes:
            artifact_families (list[ArtifactFamilyAccessCapability]):
            mode (AccessControlMode):
            principal (AccessPrincipal):
            provider_capabilities (AccessProviderCapabilities):
            resource_kinds (list[AccessResourceType]):
     """

    artifact_families: list[ArtifactFamilyAccessCapability]
    mode: AccessControlMode
    principal: AccessPrincipal
    provider_capabilities: AccessProviderCapabilities
    resource_kinds: list[AccessResourceType]





    def to_dict(self) -> dict[str, Any]:
        from ..models.access_principal import AccessPrincipal # noqa: PLC0415
        from ..models.access_provider_capabilities import AccessProviderCapabilities # noqa: PLC0415
        from ..models.artifact_family_access_capability import ArtifactFamilyAccessCapability # noqa: PLC0415
        artifact_families = []
        for artifact_families_item_data in self.artifact_families:
            artifact_families_item = artifact_families_item_data.to_dict()
            artifact_families.append(artifact_families_item)



        mode: str = self.mode

        principal = self.principal.to_dict()

        provider_capabilities = self.provider_capabilities.to_dict()

        resource_kinds = []
        for resource_kinds_item_data in self.resource_kinds:
            resource_kinds_item: str = resource_kinds_item_data
            resource_kinds.append(resource_kinds_item)




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "artifact_families": artifact_families,
            "mode": mode,
            "principal": principal,
            "provider_capabilities": provider_capabilities,
            "resource_kinds": resource_kinds,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.access_principal import AccessPrincipal # noqa: PLC0415
        from ..models.access_provider_capabilities import AccessProviderCapabilities # noqa: PLC0415
        from ..models.artifact_family_access_capability import ArtifactFamilyAccessCapability # noqa: PLC0415
        d = dict(src_dict)
        artifact_families = []
        _artifact_families = d.pop("artifact_families")
        for artifact_families_item_data in (_artifact_families):
            artifact_families_item = ArtifactFamilyAccessCapability.from_dict(artifact_families_item_data)



            artifact_families.append(artifact_families_item)


        mode = check_access_control_mode(d.pop("mode"))




        principal = AccessPrincipal.from_dict(d.pop("principal"))




        provider_capabilities = AccessProviderCapabilities.from_dict(d.pop("provider_capabilities"))




        resource_kinds = []
        _resource_kinds = d.pop("resource_kinds")
        for resource_kinds_item_data in (_resource_kinds):
            resource_kinds_item = check_access_resource_type(resource_kinds_item_data)



            resource_kinds.append(resource_kinds_item)


        access_me_response = cls(
            artifact_families=artifact_families,
            mode=mode,
            principal=principal,
            provider_capabilities=provider_capabilities,
            resource_kinds=resource_kinds,
        )

        return access_me_response

