# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="SourceTypeReference")



@_attrs_define
class SourceTypeReference:
    """ 
        Attributes:
            source_id (str):
            source_type (str):
     """

    source_id: str
    source_type: str





    def to_dict(self) -> dict[str, Any]:
        source_id = self.source_id

        source_type = self.source_type


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "source_id": source_id,
            "source_type": source_type,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        source_id = d.pop("source_id")

        source_type = d.pop("source_type")

        source_type_reference = cls(
            source_id=source_id,
            source_type=source_type,
        )

        return source_type_reference

