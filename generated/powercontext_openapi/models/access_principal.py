# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.access_principal_type import AccessPrincipalType
from ..models.access_principal_type import check_access_principal_type
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="AccessPrincipal")



@_attrs_define
class AccessPrincipal:
    """ 
        Attributes:
            id (str):
            type_ (AccessPrincipalType):
            description (None | str | Unset):
     """

    id: str
    type_: AccessPrincipalType
    description: None | str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        type_: str = self.type_

        description: None | str | Unset
        if isinstance(self.description, Unset):
            description = UNSET
        else:
            description = self.description


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "id": id,
            "type": type_,
        })
        if description is not UNSET:
            field_dict["description"] = description

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        type_ = check_access_principal_type(d.pop("type"))




        def _parse_description(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        description = _parse_description(d.pop("description", UNSET))


        access_principal = cls(
            id=id,
            type_=type_,
            description=description,
        )

        return access_principal

