# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.atomic_memory_state import AtomicMemoryState
from ..models.atomic_memory_state import check_atomic_memory_state
from typing import cast

if TYPE_CHECKING:
  from ..models.artifact_reference import ArtifactReference





T = TypeVar("T", bound="AtomicMemoryRecord")



@_attrs_define
class AtomicMemoryRecord:
    """ 
        Attributes:
            artifact (ArtifactReference):
            kind (str):
            merged_into_id (None | str):
            state (AtomicMemoryState):
            state_version (int):
            text (str):
     """

    artifact: ArtifactReference
    kind: str
    merged_into_id: None | str
    state: AtomicMemoryState
    state_version: int
    text: str





    def to_dict(self) -> dict[str, Any]:
        from ..models.artifact_reference import ArtifactReference # noqa: PLC0415
        artifact = self.artifact.to_dict()

        kind = self.kind

        merged_into_id: None | str
        merged_into_id = self.merged_into_id

        state: str = self.state

        state_version = self.state_version

        text = self.text


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "artifact": artifact,
            "kind": kind,
            "merged_into_id": merged_into_id,
            "state": state,
            "state_version": state_version,
            "text": text,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.artifact_reference import ArtifactReference # noqa: PLC0415
        d = dict(src_dict)
        artifact = ArtifactReference.from_dict(d.pop("artifact"))




        kind = d.pop("kind")

        def _parse_merged_into_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        merged_into_id = _parse_merged_into_id(d.pop("merged_into_id"))


        state = check_atomic_memory_state(d.pop("state"))




        state_version = d.pop("state_version")

        text = d.pop("text")

        atomic_memory_record = cls(
            artifact=artifact,
            kind=kind,
            merged_into_id=merged_into_id,
            state=state,
            state_version=state_version,
            text=text,
        )

        return atomic_memory_record

