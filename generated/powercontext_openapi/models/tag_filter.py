# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.tag_match import check_tag_match
from ..models.tag_match import TagMatch
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="TagFilter")



@_attrs_define
class TagFilter:
    """ 
        Attributes:
            tags (list[str]):
            match (TagMatch | Unset):
     """

    tags: list[str]
    match: TagMatch | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        tags = self.tags



        match: str | Unset = UNSET
        if not isinstance(self.match, Unset):
            match = self.match



        field_dict: dict[str, Any] = {}

        field_dict.update({
            "tags": tags,
        })
        if match is not UNSET:
            field_dict["match"] = match

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        tags = cast(list[str], d.pop("tags"))


        _match = d.pop("match", UNSET)
        match: TagMatch | Unset
        if isinstance(_match,  Unset):
            match = UNSET
        else:
            match = check_tag_match(_match)




        tag_filter = cls(
            tags=tags,
            match=match,
        )

        return tag_filter

