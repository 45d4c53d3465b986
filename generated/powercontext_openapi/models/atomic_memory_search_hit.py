# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.atomic_memory_search_hit_matched_by_item import AtomicMemorySearchHitMatchedByItem
from ..models.atomic_memory_search_hit_matched_by_item import check_atomic_memory_search_hit_matched_by_item
from typing import cast

if TYPE_CHECKING:
  from ..models.atomic_memory_record import AtomicMemoryRecord





T = TypeVar("T", bound="AtomicMemorySearchHit")



@_attrs_define
class AtomicMemorySearchHit:
    """ 
        Attributes:
            matched_by (list[AtomicMemorySearchHitMatchedByItem]):
            memory (AtomicMemoryRecord):
            score (float):
     """

    matched_by: list[AtomicMemorySearchHitMatchedByItem]
    memory: AtomicMemoryRecord
    score: float





    def to_dict(self) -> dict[str, Any]:
        from ..models.atomic_memory_record import AtomicMemoryRecord # noqa: PLC0415
        matched_by = []
        for matched_by_item_data in self.matched_by:
            matched_by_item: str = matched_by_item_data
            matched_by.append(matched_by_item)



        memory = self.memory.to_dict()

        score = self.score


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "matched_by": matched_by,
            "memory": memory,
            "score": score,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.atomic_memory_record import AtomicMemoryRecord # noqa: PLC0415
        d = dict(src_dict)
        matched_by = []
        _matched_by = d.pop("matched_by")
        for matched_by_item_data in (_matched_by):
            matched_by_item = check_atomic_memory_search_hit_matched_by_item(matched_by_item_data)



            matched_by.append(matched_by_item)


        memory = AtomicMemoryRecord.from_dict(d.pop("memory"))




        score = d.pop("score")

        atomic_memory_search_hit = cls(
            matched_by=matched_by,
            memory=memory,
            score=score,
        )

        return atomic_memory_search_hit

