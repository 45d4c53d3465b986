# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="ArtifactReference")



@_attrs_define
class ArtifactReference:
    """ 
        Attributes:
            artifact_id (str):
            family (str):
            revision (int):
     """

    artifact_id: str
    family: str
    revision: int





    def to_dict(self) -> dict[str, Any]:
        artifact_id = self.artifact_id

        family = self.family

        revision = self.revision


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "artifact_id": artifact_id,
            "family": family,
            "revision": revision,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        artifact_id = d.pop("artifact_id")

        family = d.pop("family")

        revision = d.pop("revision")

        artifact_reference = cls(
            artifact_id=artifact_id,
            family=family,
            revision=revision,
        )

        return artifact_reference

