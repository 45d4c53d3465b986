# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.access_action import AccessAction
from ..models.access_action import check_access_action
from ..models.access_role import AccessRole
from ..models.access_role import check_access_role
from ..models.artifact_family_access_capability_share_unit import ArtifactFamilyAccessCapabilityShareUnit
from ..models.artifact_family_access_capability_share_unit import check_artifact_family_access_capability_share_unit
from typing import cast






T = TypeVar("T", bound="ArtifactFamilyAccessCapability")



@_attrs_define
class ArtifactFamilyAccessCapability:
    """ 
        Attributes:
            actions (list[AccessAction]):
            enabled (bool):
            family (str):
            grantable_roles (list[AccessRole]):
            share_unit (ArtifactFamilyAccessCapabilityShareUnit):
     """

    actions: list[AccessAction]
    enabled: bool
    family: str
    grantable_roles: list[AccessRole]
    share_unit: ArtifactFamilyAccessCapabilityShareUnit





    def to_dict(self) -> dict[str, Any]:
        actions = []
        for actions_item_data in self.actions:
            actions_item: str = actions_item_data
            actions.append(actions_item)



        enabled = self.enabled

        family = self.family

        grantable_roles = []
        for grantable_roles_item_data in self.grantable_roles:
            grantable_roles_item: str = grantable_roles_item_data
            grantable_roles.append(grantable_roles_item)



        share_unit: str = self.share_unit


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "actions": actions,
            "enabled": enabled,
            "family": family,
            "grantable_roles": grantable_roles,
            "share_unit": share_unit,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        actions = []
        _actions = d.pop("actions")
        for actions_item_data in (_actions):
            actions_item = check_access_action(actions_item_data)



            actions.append(actions_item)


        enabled = d.pop("enabled")

        family = d.pop("family")

        grantable_roles = []
        _grantable_roles = d.pop("grantable_roles")
        for grantable_roles_item_data in (_grantable_roles):
            grantable_roles_item = check_access_role(grantable_roles_item_data)



            grantable_roles.append(grantable_roles_item)


        share_unit = check_artifact_family_access_capability_share_unit(d.pop("share_unit"))




        artifact_family_access_capability = cls(
            actions=actions,
            enabled=enabled,
            family=family,
            grantable_roles=grantable_roles,
            share_unit=share_unit,
        )

        return artifact_family_access_capability

