# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.atomic_memory_state import AtomicMemoryState
from ..models.atomic_memory_state import check_atomic_memory_state
from ..models.tag_match import check_tag_match
from ..models.tag_match import TagMatch
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="ListAtomicMemoryRequest")



@_attrs_define
class ListAtomicMemoryRequest:
    """ 
        Attributes:
            scope_id (str):
            cursor (None | str | Unset):
            kind (None | str | Unset):
            limit (int | Unset):
            states (list[AtomicMemoryState] | Unset):
            tag_match (TagMatch | Unset):
            tags (list[str] | Unset):
     """

    scope_id: str
    cursor: None | str | Unset = UNSET
    kind: None | str | Unset = UNSET
    limit: int | Unset = UNSET
    states: list[AtomicMemoryState] | Unset = UNSET
    tag_match: TagMatch | Unset = UNSET
    tags: list[str] | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        scope_id = self.scope_id

        cursor: None | str | Unset
        if isinstance(self.cursor, Unset):
            cursor = UNSET
        else:
            cursor = self.cursor

        kind: None | str | Unset
        if isinstance(self.kind, Unset):
            kind = UNSET
        else:
            kind = self.kind

        limit = self.limit

        states: list[str] | Unset = UNSET
        if not isinstance(self.states, Unset):
            states = []
            for states_item_data in self.states:
                states_item: str = states_item_data
                states.append(states_item)



        tag_match: str | Unset = UNSET
        if not isinstance(self.tag_match, Unset):
            tag_match = self.tag_match


        tags: list[str] | Unset = UNSET
        if not isinstance(self.tags, Unset):
            tags = self.tags




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "scope_id": scope_id,
        })
        if cursor is not UNSET:
            field_dict["cursor"] = cursor
        if kind is not UNSET:
            field_dict["kind"] = kind
        if limit is not UNSET:
            field_dict["limit"] = limit
        if states is not UNSET:
            field_dict["states"] = states
        if tag_match is not UNSET:
            field_dict["tag_match"] = tag_match
        if tags is not UNSET:
            field_dict["tags"] = tags

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        scope_id = d.pop("scope_id")

        def _parse_cursor(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        cursor = _parse_cursor(d.pop("cursor", UNSET))


        def _parse_kind(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        kind = _parse_kind(d.pop("kind", UNSET))


        limit = d.pop("limit", UNSET)

        _states = d.pop("states", UNSET)
        states: list[AtomicMemoryState] | Unset = UNSET
        if _states is not UNSET:
            states = []
            for states_item_data in _states:
                states_item = check_atomic_memory_state(states_item_data)



                states.append(states_item)


        _tag_match = d.pop("tag_match", UNSET)
        tag_match: TagMatch | Unset
        if isinstance(_tag_match,  Unset):
            tag_match = UNSET
        else:
            tag_match = check_tag_match(_tag_match)




        tags = cast(list[str], d.pop("tags", UNSET))


        list_atomic_memory_request = cls(
            scope_id=scope_id,
            cursor=cursor,
            kind=kind,
            limit=limit,
            states=states,
            tag_match=tag_match,
            tags=tags,
        )

        return list_atomic_memory_request

