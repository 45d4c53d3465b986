# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.artifact_reference import ArtifactReference





T = TypeVar("T", bound="AtomicMemoryInput")



@_attrs_define
class AtomicMemoryInput:
    """ 
        Attributes:
            artifact (ArtifactReference):
            state_version (int):
     """

    artifact: ArtifactReference
    state_version: int





    def to_dict(self) -> dict[str, Any]:
        from ..models.artifact_reference import ArtifactReference # noqa: PLC0415
        artifact = self.artifact.to_dict()

        state_version = self.state_version


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "artifact": artifact,
            "state_version": state_version,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.artifact_reference import ArtifactReference # noqa: PLC0415
        d = dict(src_dict)
        artifact = ArtifactReference.from_dict(d.pop("artifact"))




        state_version = d.pop("state_version")

        atomic_memory_input = cls(
            artifact=artifact,
            state_version=state_version,
        )

        return atomic_memory_input

