# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="RememberMemoryRequest")



@_attrs_define
class RememberMemoryRequest:
    """ 
        Attributes:
            kind (str):
            scope_id (str):
            text (str):
            expected_revision (int | None | Unset):
            reason (None | str | Unset):
     """

    kind: str
    scope_id: str
    text: str
    expected_revision: int | None | Unset = UNSET
    reason: None | str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        scope_id = self.scope_id

        text = self.text

        expected_revision: int | None | Unset
        if isinstance(self.expected_revision, Unset):
            expected_revision = UNSET
        else:
            expected_revision = self.expected_revision

        reason: None | str | Unset
        if isinstance(self.reason, Unset):
            reason = UNSET
        else:
            reason = self.reason


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "kind": kind,
            "scope_id": scope_id,
            "text": text,
        })
        if expected_revision is not UNSET:
            field_dict["expected_revision"] = expected_revision
        if reason is not UNSET:
            field_dict["reason"] = reason

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = d.pop("kind")

        scope_id = d.pop("scope_id")

        text = d.pop("text")

        def _parse_expected_revision(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        expected_revision = _parse_expected_revision(d.pop("expected_revision", UNSET))


        def _parse_reason(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        reason = _parse_reason(d.pop("reason", UNSET))


        remember_memory_request = cls(
            kind=kind,
            scope_id=scope_id,
            text=text,
            expected_revision=expected_revision,
            reason=reason,
        )

        return remember_memory_request

