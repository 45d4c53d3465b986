# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.readiness_status import check_readiness_status
from ..models.readiness_status import ReadinessStatus
from typing import cast

if TYPE_CHECKING:
  from ..models.readiness_response_checks import ReadinessResponseChecks





T = TypeVar("T", bound="ReadinessResponse")



@_attrs_define
class ReadinessResponse:
    """ 
        Attributes:
            checks (ReadinessResponseChecks):
            status (ReadinessStatus):
     """

    checks: ReadinessResponseChecks
    status: ReadinessStatus





    def to_dict(self) -> dict[str, Any]:
        from ..models.readiness_response_checks import ReadinessResponseChecks # noqa: PLC0415
        checks = self.checks.to_dict()

        status: str = self.status


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "checks": checks,
            "status": status,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.readiness_response_checks import ReadinessResponseChecks # noqa: PLC0415
        d = dict(src_dict)
        checks = ReadinessResponseChecks.from_dict(d.pop("checks"))




        status = check_readiness_status(d.pop("status"))




        readiness_response = cls(
            checks=checks,
            status=status,
        )

        return readiness_response

