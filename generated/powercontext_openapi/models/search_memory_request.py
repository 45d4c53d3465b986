# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.memory_search_mode import check_memory_search_mode
from ..models.memory_search_mode import MemorySearchMode
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.tag_filter import TagFilter





T = TypeVar("T", bound="SearchMemoryRequest")



@_attrs_define
class SearchMemoryRequest:
    """ 
        Attributes:
            query (str):
            scope_id (str):
            limit (int | Unset):
            mode (MemorySearchMode | Unset):
            tag_filter (TagFilter | Unset):
     """

    query: str
    scope_id: str
    limit: int | Unset = UNSET
    mode: MemorySearchMode | Unset = UNSET
    tag_filter: TagFilter | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.tag_filter import TagFilter # noqa: PLC0415
        query = self.query

        scope_id = self.scope_id

        limit = self.limit

        mode: str | Unset = UNSET
        if not isinstance(self.mode, Unset):
            mode = self.mode


        tag_filter: dict[str, Any] | Unset = UNSET
        if not isinstance(self.tag_filter, Unset):
            tag_filter = self.tag_filter.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "query": query,
            "scope_id": scope_id,
        })
        if limit is not UNSET:
            field_dict["limit"] = limit
        if mode is not UNSET:
            field_dict["mode"] = mode
        if tag_filter is not UNSET:
            field_dict["tag_filter"] = tag_filter

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.tag_filter import TagFilter # noqa: PLC0415
        d = dict(src_dict)
        query = d.pop("query")

        scope_id = d.pop("scope_id")

        limit = d.pop("limit", UNSET)

        _mode = d.pop("mode", UNSET)
        mode: MemorySearchMode | Unset
        if isinstance(_mode,  Unset):
            mode = UNSET
        else:
            mode = check_memory_search_mode(_mode)




        _tag_filter = d.pop("tag_filter", UNSET)
        tag_filter: TagFilter | Unset
        if isinstance(_tag_filter,  Unset):
            tag_filter = UNSET
        else:
            tag_filter = TagFilter.from_dict(_tag_filter)




        search_memory_request = cls(
            query=query,
            scope_id=scope_id,
            limit=limit,
            mode=mode,
            tag_filter=tag_filter,
        )

        return search_memory_request

