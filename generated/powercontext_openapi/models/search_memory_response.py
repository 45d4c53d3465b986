# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.atomic_memory_search_mode import AtomicMemorySearchMode
from ..models.atomic_memory_search_mode import check_atomic_memory_search_mode
from typing import cast

if TYPE_CHECKING:
  from ..models.atomic_memory_search_hit import AtomicMemorySearchHit





T = TypeVar("T", bound="SearchMemoryResponse")



@_attrs_define
class SearchMemoryResponse:
    """ 
        Attributes:
            hits (list[AtomicMemorySearchHit]):
            mode (AtomicMemorySearchMode):
     """

    hits: list[AtomicMemorySearchHit]
    mode: AtomicMemorySearchMode





    def to_dict(self) -> dict[str, Any]:
        from ..models.atomic_memory_search_hit import AtomicMemorySearchHit # noqa: PLC0415
        hits = []
        for hits_item_data in self.hits:
            hits_item = hits_item_data.to_dict()
            hits.append(hits_item)



        mode: str = self.mode


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "hits": hits,
            "mode": mode,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.atomic_memory_search_hit import AtomicMemorySearchHit # noqa: PLC0415
        d = dict(src_dict)
        hits = []
        _hits = d.pop("hits")
        for hits_item_data in (_hits):
            hits_item = AtomicMemorySearchHit.from_dict(hits_item_data)



            hits.append(hits_item)


        mode = check_atomic_memory_search_mode(d.pop("mode"))




        search_memory_response = cls(
            hits=hits,
            mode=mode,
        )

        return search_memory_response

