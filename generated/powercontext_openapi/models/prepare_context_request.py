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
  from ..models.context_assembly import ContextAssembly





T = TypeVar("T", bound="PrepareContextRequest")



@_attrs_define
class PrepareContextRequest:
    """ 
        Attributes:
            query (str):
            scope_id (str):
            assembly (ContextAssembly | Unset):
            bootstrap_receipt_id (str | Unset):
            explain (bool | Unset):
            include_code (bool | Unset):
            max_bytes (int | Unset):
     """

    query: str
    scope_id: str
    assembly: ContextAssembly | Unset = UNSET
    bootstrap_receipt_id: str | Unset = UNSET
    explain: bool | Unset = UNSET
    include_code: bool | Unset = UNSET
    max_bytes: int | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.context_assembly import ContextAssembly # noqa: PLC0415
        query = self.query

        scope_id = self.scope_id

        assembly: dict[str, Any] | Unset = UNSET
        if not isinstance(self.assembly, Unset):
            assembly = self.assembly.to_dict()

        bootstrap_receipt_id = self.bootstrap_receipt_id

        explain = self.explain

        include_code = self.include_code

        max_bytes = self.max_bytes


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "query": query,
            "scope_id": scope_id,
        })
        if assembly is not UNSET:
            field_dict["assembly"] = assembly
        if bootstrap_receipt_id is not UNSET:
            field_dict["bootstrap_receipt_id"] = bootstrap_receipt_id
        if explain is not UNSET:
            field_dict["explain"] = explain
        if include_code is not UNSET:
            field_dict["include_code"] = include_code
        if max_bytes is not UNSET:
            field_dict["max_bytes"] = max_bytes

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.context_assembly import ContextAssembly # noqa: PLC0415
        d = dict(src_dict)
        query = d.pop("query")

        scope_id = d.pop("scope_id")

        _assembly = d.pop("assembly", UNSET)
        assembly: ContextAssembly | Unset
        if isinstance(_assembly,  Unset):
            assembly = UNSET
        else:
            assembly = ContextAssembly.from_dict(_assembly)




        bootstrap_receipt_id = d.pop("bootstrap_receipt_id", UNSET)

        explain = d.pop("explain", UNSET)

        include_code = d.pop("include_code", UNSET)

        max_bytes = d.pop("max_bytes", UNSET)

        prepare_context_request = cls(
            query=query,
            scope_id=scope_id,
            assembly=assembly,
            bootstrap_receipt_id=bootstrap_receipt_id,
            explain=explain,
            include_code=include_code,
            max_bytes=max_bytes,
        )

        return prepare_context_request

