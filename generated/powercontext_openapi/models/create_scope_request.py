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





T = TypeVar("T", bound="CreateScopeRequest")



@_attrs_define
class CreateScopeRequest:
    """ 
        Attributes:
            idempotency_key (str):
            summary (str):
            title (str):
            context_references (list[str] | Unset):
            external_references (list[ScopeExternalReference] | Unset):
            parent_scope_id (None | str | Unset):
     """

    idempotency_key: str
    summary: str
    title: str
    context_references: list[str] | Unset = UNSET
    external_references: list[ScopeExternalReference] | Unset = UNSET
    parent_scope_id: None | str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.scope_external_reference import ScopeExternalReference # noqa: PLC0415
        idempotency_key = self.idempotency_key

        summary = self.summary

        title = self.title

        context_references: list[str] | Unset = UNSET
        if not isinstance(self.context_references, Unset):
            context_references = self.context_references



        external_references: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.external_references, Unset):
            external_references = []
            for external_references_item_data in self.external_references:
                external_references_item = external_references_item_data.to_dict()
                external_references.append(external_references_item)



        parent_scope_id: None | str | Unset
        if isinstance(self.parent_scope_id, Unset):
            parent_scope_id = UNSET
        else:
            parent_scope_id = self.parent_scope_id


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "idempotency_key": idempotency_key,
            "summary": summary,
            "title": title,
        })
        if context_references is not UNSET:
            field_dict["context_references"] = context_references
        if external_references is not UNSET:
            field_dict["external_references"] = external_references
        if parent_scope_id is not UNSET:
            field_dict["parent_scope_id"] = parent_scope_id

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.scope_external_reference import ScopeExternalReference # noqa: PLC0415
        d = dict(src_dict)
        idempotency_key = d.pop("idempotency_key")

        summary = d.pop("summary")

        title = d.pop("title")

        context_references = cast(list[str], d.pop("context_references", UNSET))


        _external_references = d.pop("external_references", UNSET)
        external_references: list[ScopeExternalReference] | Unset = UNSET
        if _external_references is not UNSET:
            external_references = []
            for external_references_item_data in _external_references:
                external_references_item = ScopeExternalReference.from_dict(external_references_item_data)



                external_references.append(external_references_item)


        def _parse_parent_scope_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        parent_scope_id = _parse_parent_scope_id(d.pop("parent_scope_id", UNSET))


        create_scope_request = cls(
            idempotency_key=idempotency_key,
            summary=summary,
            title=title,
            context_references=context_references,
            external_references=external_references,
            parent_scope_id=parent_scope_id,
        )

        return create_scope_request

