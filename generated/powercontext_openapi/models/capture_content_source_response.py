# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.capture_status import CaptureStatus
from ..models.capture_status import check_capture_status
from typing import cast

if TYPE_CHECKING:
  from ..models.source_reference import SourceReference





T = TypeVar("T", bound="CaptureContentSourceResponse")



@_attrs_define
class CaptureContentSourceResponse:
    """ 
        Attributes:
            position (int):
            source (SourceReference):
            status (CaptureStatus):
     """

    position: int
    source: SourceReference
    status: CaptureStatus





    def to_dict(self) -> dict[str, Any]:
        from ..models.source_reference import SourceReference # noqa: PLC0415
        position = self.position

        source = self.source.to_dict()

        status: str = self.status


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "position": position,
            "source": source,
            "status": status,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.source_reference import SourceReference # noqa: PLC0415
        d = dict(src_dict)
        position = d.pop("position")

        source = SourceReference.from_dict(d.pop("source"))




        status = check_capture_status(d.pop("status"))




        capture_content_source_response = cls(
            position=position,
            source=source,
            status=status,
        )

        return capture_content_source_response

