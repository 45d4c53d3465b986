# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="AccessProviderCapabilities")



@_attrs_define
class AccessProviderCapabilities:
    """ 
        Attributes:
            group_subjects (bool):
            max_direct_resource_keys (int):
            multi_principal (bool):
            multi_requirement_check (bool):
            relationship_management (bool):
            safe_resource_filtering (bool):
     """

    group_subjects: bool
    max_direct_resource_keys: int
    multi_principal: bool
    multi_requirement_check: bool
    relationship_management: bool
    safe_resource_filtering: bool





    def to_dict(self) -> dict[str, Any]:
        group_subjects = self.group_subjects

        max_direct_resource_keys = self.max_direct_resource_keys

        multi_principal = self.multi_principal

        multi_requirement_check = self.multi_requirement_check

        relationship_management = self.relationship_management

        safe_resource_filtering = self.safe_resource_filtering


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "group_subjects": group_subjects,
            "max_direct_resource_keys": max_direct_resource_keys,
            "multi_principal": multi_principal,
            "multi_requirement_check": multi_requirement_check,
            "relationship_management": relationship_management,
            "safe_resource_filtering": safe_resource_filtering,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        group_subjects = d.pop("group_subjects")

        max_direct_resource_keys = d.pop("max_direct_resource_keys")

        multi_principal = d.pop("multi_principal")

        multi_requirement_check = d.pop("multi_requirement_check")

        relationship_management = d.pop("relationship_management")

        safe_resource_filtering = d.pop("safe_resource_filtering")

        access_provider_capabilities = cls(
            group_subjects=group_subjects,
            max_direct_resource_keys=max_direct_resource_keys,
            multi_principal=multi_principal,
            multi_requirement_check=multi_requirement_check,
            relationship_management=relationship_management,
            safe_resource_filtering=safe_resource_filtering,
        )

        return access_provider_capabilities

