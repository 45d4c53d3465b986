# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="ScopeExternalReference")



@_attrs_define
class ScopeExternalReference:
    """ 
        Attributes:
            kind (str):
            value (str):
     """

    kind: str
    value: str





    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        value = self.value


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "kind": kind,
            "value": value,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = d.pop("kind")

        value = d.pop("value")

        scope_external_reference = cls(
            kind=kind,
            value=value,
        )

        return scope_external_reference

