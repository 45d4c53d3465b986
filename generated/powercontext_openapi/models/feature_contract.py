# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.contract_version import ContractVersion





T = TypeVar("T", bound="FeatureContract")



@_attrs_define
class FeatureContract:
    """ 
        Attributes:
            operations (list[str]):
            version (ContractVersion):
     """

    operations: list[str]
    version: ContractVersion
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.contract_version import ContractVersion # noqa: PLC0415
        operations = self.operations



        version = self.version.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "operations": operations,
            "version": version,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.contract_version import ContractVersion # noqa: PLC0415
        d = dict(src_dict)
        operations = cast(list[str], d.pop("operations"))


        version = ContractVersion.from_dict(d.pop("version"))




        feature_contract = cls(
            operations=operations,
            version=version,
        )


        feature_contract.additional_properties = d
        return feature_contract

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
