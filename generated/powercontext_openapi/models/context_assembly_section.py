# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.context_assembly_family import check_context_assembly_family
from ..models.context_assembly_family import ContextAssemblyFamily
from typing import cast






T = TypeVar("T", bound="ContextAssemblySection")



@_attrs_define
class ContextAssemblySection:
    """ 
        Attributes:
            family (ContextAssemblyFamily):
            limit (int):
     """

    family: ContextAssemblyFamily
    limit: int





    def to_dict(self) -> dict[str, Any]:
        family: str = self.family

        limit = self.limit


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "family": family,
            "limit": limit,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        family = check_context_assembly_family(d.pop("family"))




        limit = d.pop("limit")

        context_assembly_section = cls(
            family=family,
            limit=limit,
        )

        return context_assembly_section

