# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="SourceReference")



@_attrs_define
class SourceReference:
    """ 
        Attributes:
            name (str):
            source_id (str):
     """

    name: str
    source_id: str





    def to_dict(self) -> dict[str, Any]:
        name = self.name

        source_id = self.source_id


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "name": name,
            "source_id": source_id,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        source_id = d.pop("source_id")

        source_reference = cls(
            name=name,
            source_id=source_id,
        )

        return source_reference

