# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.server_info_product import check_server_info_product
from ..models.server_info_product import ServerInfoProduct
from typing import cast

if TYPE_CHECKING:
  from ..models.contract_version import ContractVersion
  from ..models.server_info_feature_contracts import ServerInfoFeatureContracts





T = TypeVar("T", bound="ServerInfo")



@_attrs_define
class ServerInfo:
    """ 
        Attributes:
            api_contract_version (ContractVersion):
            feature_contracts (ServerInfoFeatureContracts):
            package_version (str):
            product (ServerInfoProduct):
            schema_version (ContractVersion):
            server_id (str):
     """

    api_contract_version: ContractVersion
    feature_contracts: ServerInfoFeatureContracts
    package_version: str
    product: ServerInfoProduct
    schema_version: ContractVersion
    server_id: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.contract_version import ContractVersion # noqa: PLC0415
        from ..models.server_info_feature_contracts import ServerInfoFeatureContracts # noqa: PLC0415
        api_contract_version = self.api_contract_version.to_dict()

        feature_contracts = self.feature_contracts.to_dict()

        package_version = self.package_version

        product: str = self.product

        schema_version = self.schema_version.to_dict()

        server_id = self.server_id


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "api_contract_version": api_contract_version,
            "feature_contracts": feature_contracts,
            "package_version": package_version,
            "product": product,
            "schema_version": schema_version,
            "server_id": server_id,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.contract_version import ContractVersion # noqa: PLC0415
        from ..models.server_info_feature_contracts import ServerInfoFeatureContracts # noqa: PLC0415
        d = dict(src_dict)
        api_contract_version = ContractVersion.from_dict(d.pop("api_contract_version"))




        feature_contracts = ServerInfoFeatureContracts.from_dict(d.pop("feature_contracts"))




        package_version = d.pop("package_version")

        product = check_server_info_product(d.pop("product"))




        schema_version = ContractVersion.from_dict(d.pop("schema_version"))




        server_id = d.pop("server_id")

        server_info = cls(
            api_contract_version=api_contract_version,
            feature_contracts=feature_contracts,
            package_version=package_version,
            product=product,
            schema_version=schema_version,
            server_id=server_id,
        )


        server_info.additional_properties = d
        return server_info

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
