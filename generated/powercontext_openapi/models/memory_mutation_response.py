# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.atomic_memory_record import AtomicMemoryRecord





T = TypeVar("T", bound="MemoryMutationResponse")



@_attrs_define
class MemoryMutationResponse:
    """ 
        Attributes:
            changed (bool):
            records (list[AtomicMemoryRecord]):
     """

    changed: bool
    records: list[AtomicMemoryRecord]





    def to_dict(self) -> dict[str, Any]:
        from ..models.atomic_memory_record import AtomicMemoryRecord # noqa: PLC0415
        changed = self.changed

        records = []
        for records_item_data in self.records:
            records_item = records_item_data.to_dict()
            records.append(records_item)




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "changed": changed,
            "records": records,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.atomic_memory_record import AtomicMemoryRecord # noqa: PLC0415
        d = dict(src_dict)
        changed = d.pop("changed")

        records = []
        _records = d.pop("records")
        for records_item_data in (_records):
            records_item = AtomicMemoryRecord.from_dict(records_item_data)



            records.append(records_item)


        memory_mutation_response = cls(
            changed=changed,
            records=records,
        )

        return memory_mutation_response

