# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.context_assembly_format import check_context_assembly_format
from ..models.context_assembly_format import ContextAssemblyFormat
from ..models.context_assembly_metadata import check_context_assembly_metadata
from ..models.context_assembly_metadata import ContextAssemblyMetadata
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.context_assembly_section import ContextAssemblySection





T = TypeVar("T", bound="ContextAssembly")



@_attrs_define
class ContextAssembly:
    """ 
        Attributes:
            format_ (ContextAssemblyFormat | Unset):
            sections (list[ContextAssemblySection] | Unset):
            show (list[ContextAssemblyMetadata] | Unset):
     """

    format_: ContextAssemblyFormat | Unset = UNSET
    sections: list[ContextAssemblySection] | Unset = UNSET
    show: list[ContextAssemblyMetadata] | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.context_assembly_section import ContextAssemblySection # noqa: PLC0415
        format_: str | Unset = UNSET
        if not isinstance(self.format_, Unset):
            format_ = self.format_


        sections: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.sections, Unset):
            sections = []
            for sections_item_data in self.sections:
                sections_item = sections_item_data.to_dict()
                sections.append(sections_item)



        show: list[str] | Unset = UNSET
        if not isinstance(self.show, Unset):
            show = []
            for show_item_data in self.show:
                show_item: str = show_item_data
                show.append(show_item)




        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if format_ is not UNSET:
            field_dict["format"] = format_
        if sections is not UNSET:
            field_dict["sections"] = sections
        if show is not UNSET:
            field_dict["show"] = show

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.context_assembly_section import ContextAssemblySection # noqa: PLC0415
        d = dict(src_dict)
        _format_ = d.pop("format", UNSET)
        format_: ContextAssemblyFormat | Unset
        if isinstance(_format_,  Unset):
            format_ = UNSET
        else:
            format_ = check_context_assembly_format(_format_)




        _sections = d.pop("sections", UNSET)
        sections: list[ContextAssemblySection] | Unset = UNSET
        if _sections is not UNSET:
            sections = []
            for sections_item_data in _sections:
                sections_item = ContextAssemblySection.from_dict(sections_item_data)



                sections.append(sections_item)


        _show = d.pop("show", UNSET)
        show: list[ContextAssemblyMetadata] | Unset = UNSET
        if _show is not UNSET:
            show = []
            for show_item_data in _show:
                show_item = check_context_assembly_metadata(show_item_data)



                show.append(show_item)


        context_assembly = cls(
            format_=format_,
            sections=sections,
            show=show,
        )

        return context_assembly

