# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.scope_external_reference import ScopeExternalReference





T = TypeVar("T", bound="ScopeDescriptor")



@_attrs_define
class ScopeDescriptor:
    """ 
        Attributes:
            context_references (list[str]):
            external_references (list[ScopeExternalReference]):
            scope_id (str):
            summary (str):
            title (str):
            version (int):
            parent_scope_id (None | str | Unset):
     """

    context_references: list[str]
    external_references: list[ScopeExternalReference]
    scope_id: str
    summary: str
    title: str
    version: int
    parent_scope_id: None | str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.scope_external_reference import ScopeExternalReference # noqa: PLC0415
        context_references = self.context_references



        external_references = []
        for external_references_item_data in self.external_references:
            external_references_item = external_references_item_data.to_dict()
            external_references.append(external_references_item)



        scope_id = self.scope_id

        summary = self.summary

        title = self.title

        version = self.version

        parent_scope_id: None | str | Unset
        if isinstance(self.parent_scope_id, Unset):
            parent_scope_id = UNSET
        else:
            parent_scope_id = self.parent_scope_id


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "context_references": context_references,
            "external_references": external_references,
            "scope_id": scope_id,
            "summary": summary,
            "title": title,
            "version": version,
        })
        if parent_scope_id is not UNSET:
            field_dict["parent_scope_id"] = parent_scope_id

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.scope_external_reference import ScopeExternalReference # noqa: PLC0415
        d = dict(src_dict)
        context_references = cast(list[str], d.pop("context_references"))


        external_references = []
        _external_references = d.pop("external_references")
        for external_references_item_data in (_external_references):
            external_references_item = ScopeExternalReference.from_dict(external_references_item_data)



            external_references.append(external_references_item)


        scope_id = d.pop("scope_id")

        summary = d.pop("summary")

        title = d.pop("title")

        version = d.pop("version")

        def _parse_parent_scope_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        parent_scope_id = _parse_parent_scope_id(d.pop("parent_scope_id", UNSET))


        scope_descriptor = cls(
            context_references=context_references,
            external_references=external_references,
            scope_id=scope_id,
            summary=summary,
            title=title,
            version=version,
            parent_scope_id=parent_scope_id,
        )

        return scope_descriptor

