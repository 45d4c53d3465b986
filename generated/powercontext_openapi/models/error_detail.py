# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.error_detail_details_type_0 import ErrorDetailDetailsType0





T = TypeVar("T", bound="ErrorDetail")



@_attrs_define
class ErrorDetail:
    """ 
        Attributes:
            code (str):
            details (ErrorDetailDetailsType0 | None):
            message (str):
     """

    code: str
    details: ErrorDetailDetailsType0 | None
    message: str





    def to_dict(self) -> dict[str, Any]:
        from ..models.error_detail_details_type_0 import ErrorDetailDetailsType0 # noqa: PLC0415
        code = self.code

        details: dict[str, Any] | None
        if isinstance(self.details, ErrorDetailDetailsType0):
            details = self.details.to_dict()
        else:
            details = self.details

        message = self.message


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "code": code,
            "details": details,
            "message": message,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.error_detail_details_type_0 import ErrorDetailDetailsType0 # noqa: PLC0415
        d = dict(src_dict)
        code = d.pop("code")

        def _parse_details(data: object) -> ErrorDetailDetailsType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                details_type_0 = ErrorDetailDetailsType0.from_dict(data)



                return details_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ErrorDetailDetailsType0 | None, data)

        details = _parse_details(d.pop("details"))


        message = d.pop("message")

        error_detail = cls(
            code=code,
            details=details,
            message=message,
        )

        return error_detail

