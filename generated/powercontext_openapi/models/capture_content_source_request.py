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
  from ..models.capture_content_source_request_metadata_type_0 import CaptureContentSourceRequestMetadataType0





T = TypeVar("T", bound="CaptureContentSourceRequest")



@_attrs_define
class CaptureContentSourceRequest:
    """ 
        Attributes:
            content (str):
            scope_id (str):
            source_id (str):
            metadata (CaptureContentSourceRequestMetadataType0 | None | Unset):
     """

    content: str
    scope_id: str
    source_id: str
    metadata: CaptureContentSourceRequestMetadataType0 | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.capture_content_source_request_metadata_type_0 import CaptureContentSourceRequestMetadataType0 # noqa: PLC0415
        content = self.content

        scope_id = self.scope_id

        source_id = self.source_id

        metadata: dict[str, Any] | None | Unset
        if isinstance(self.metadata, Unset):
            metadata = UNSET
        elif isinstance(self.metadata, CaptureContentSourceRequestMetadataType0):
            metadata = self.metadata.to_dict()
        else:
            metadata = self.metadata


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "content": content,
            "scope_id": scope_id,
            "source_id": source_id,
        })
        if metadata is not UNSET:
            field_dict["metadata"] = metadata

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.capture_content_source_request_metadata_type_0 import CaptureContentSourceRequestMetadataType0 # noqa: PLC0415
        d = dict(src_dict)
        content = d.pop("content")

        scope_id = d.pop("scope_id")

        source_id = d.pop("source_id")

        def _parse_metadata(data: object) -> CaptureContentSourceRequestMetadataType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                metadata_type_0 = CaptureContentSourceRequestMetadataType0.from_dict(data)



                return metadata_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CaptureContentSourceRequestMetadataType0 | None | Unset, data)

        metadata = _parse_metadata(d.pop("metadata", UNSET))


        capture_content_source_request = cls(
            content=content,
            scope_id=scope_id,
            source_id=source_id,
            metadata=metadata,
        )

        return capture_content_source_request

