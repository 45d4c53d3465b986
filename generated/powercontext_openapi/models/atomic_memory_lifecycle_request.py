# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.atomic_memory_lifecycle_state import AtomicMemoryLifecycleState
from ..models.atomic_memory_lifecycle_state import check_atomic_memory_lifecycle_state
from typing import cast

if TYPE_CHECKING:
  from ..models.atomic_memory_input import AtomicMemoryInput





T = TypeVar("T", bound="AtomicMemoryLifecycleRequest")



@_attrs_define
class AtomicMemoryLifecycleRequest:
    """ 
        Attributes:
            scope_id (str):
            state (AtomicMemoryLifecycleState):
            target (AtomicMemoryInput):
     """

    scope_id: str
    state: AtomicMemoryLifecycleState
    target: AtomicMemoryInput





    def to_dict(self) -> dict[str, Any]:
        from ..models.atomic_memory_input import AtomicMemoryInput # noqa: PLC0415
        scope_id = self.scope_id

        state: str = self.state

        target = self.target.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "scope_id": scope_id,
            "state": state,
            "target": target,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.atomic_memory_input import AtomicMemoryInput # noqa: PLC0415
        d = dict(src_dict)
        scope_id = d.pop("scope_id")

        state = check_atomic_memory_lifecycle_state(d.pop("state"))




        target = AtomicMemoryInput.from_dict(d.pop("target"))




        atomic_memory_lifecycle_request = cls(
            scope_id=scope_id,
            state=state,
            target=target,
        )

        return atomic_memory_lifecycle_request

