# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.prepared_context_reason import check_prepared_context_reason
from ..models.prepared_context_reason import PreparedContextReason
from ..models.prepared_context_schema import check_prepared_context_schema
from ..models.prepared_context_schema import PreparedContextSchema
from ..models.prepared_context_status import check_prepared_context_status
from ..models.prepared_context_status import PreparedContextStatus
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="PreparedContext")



@_attrs_define
class PreparedContext:
    """ 
        Attributes:
            content (None | str):
            content_bytes (int):
            schema (PreparedContextSchema):
            status (PreparedContextStatus):
            reason (None | PreparedContextReason | Unset):
     """

    content: None | str
    content_bytes: int
    schema: PreparedContextSchema
    status: PreparedContextStatus
    reason: None | PreparedContextReason | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        content: None | str
        content = self.content

        content_bytes = self.content_bytes

        schema: str = self.schema

        status: str = self.status

        reason: None | str | Unset
        if isinstance(self.reason, Unset):
            reason = UNSET
        elif isinstance(self.reason, str):
            reason = self.reason
        else:
            reason = self.reason


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "content": content,
            "content_bytes": content_bytes,
            "schema": schema,
            "status": status,
        })
        if reason is not UNSET:
            field_dict["reason"] = reason

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_content(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        content = _parse_content(d.pop("content"))


        content_bytes = d.pop("content_bytes")

        schema = check_prepared_context_schema(d.pop("schema"))




        status = check_prepared_context_status(d.pop("status"))




        def _parse_reason(data: object) -> None | PreparedContextReason | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                reason_type_1 = check_prepared_context_reason(data)



                return reason_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PreparedContextReason | Unset, data)

        reason = _parse_reason(d.pop("reason", UNSET))


        prepared_context = cls(
            content=content,
            content_bytes=content_bytes,
            schema=schema,
            status=status,
            reason=reason,
        )

        return prepared_context

