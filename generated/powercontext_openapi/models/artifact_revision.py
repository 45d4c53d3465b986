# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.artifact_read_family import ArtifactReadFamily
from ..models.artifact_read_family import check_artifact_read_family
from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.access_principal import AccessPrincipal
  from ..models.artifact_reference import ArtifactReference
  from ..models.artifact_revision_content import ArtifactRevisionContent
  from ..models.source_type_reference import SourceTypeReference





T = TypeVar("T", bound="ArtifactRevision")



@_attrs_define
class ArtifactRevision:
    """ 
        Attributes:
            artifact_id (str):
            artifacts (list[ArtifactReference]):
            content (ArtifactRevisionContent):
            content_digest (str):
            family (ArtifactReadFamily):
            revision (int):
            scope_id (str):
            sources (list[SourceTypeReference]):
            created_at (datetime.datetime | None | Unset):
            created_by (AccessPrincipal | None | Unset):
            reason (None | str | Unset):
            restored_from_revision (int | None | Unset):
     """

    artifact_id: str
    artifacts: list[ArtifactReference]
    content: ArtifactRevisionContent
    content_digest: str
    family: ArtifactReadFamily
    revision: int
    scope_id: str
    sources: list[SourceTypeReference]
    created_at: datetime.datetime | None | Unset = UNSET
    created_by: AccessPrincipal | None | Unset = UNSET
    reason: None | str | Unset = UNSET
    restored_from_revision: int | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.access_principal import AccessPrincipal # noqa: PLC0415
        from ..models.artifact_reference import ArtifactReference # noqa: PLC0415
        from ..models.artifact_revision_content import ArtifactRevisionContent # noqa: PLC0415
        from ..models.source_type_reference import SourceTypeReference # noqa: PLC0415
        artifact_id = self.artifact_id

        artifacts = []
        for artifacts_item_data in self.artifacts:
            artifacts_item = artifacts_item_data.to_dict()
            artifacts.append(artifacts_item)



        content = self.content.to_dict()

        content_digest = self.content_digest

        family: str = self.family

        revision = self.revision

        scope_id = self.scope_id

        sources = []
        for sources_item_data in self.sources:
            sources_item = sources_item_data.to_dict()
            sources.append(sources_item)



        created_at: None | str | Unset
        if isinstance(self.created_at, Unset):
            created_at = UNSET
        elif isinstance(self.created_at, datetime.datetime):
            created_at = self.created_at.isoformat()
        else:
            created_at = self.created_at

        created_by: dict[str, Any] | None | Unset
        if isinstance(self.created_by, Unset):
            created_by = UNSET
        elif isinstance(self.created_by, AccessPrincipal):
            created_by = self.created_by.to_dict()
        else:
            created_by = self.created_by

        reason: None | str | Unset
        if isinstance(self.reason, Unset):
            reason = UNSET
        else:
            reason = self.reason

        restored_from_revision: int | None | Unset
        if isinstance(self.restored_from_revision, Unset):
            restored_from_revision = UNSET
        else:
            restored_from_revision = self.restored_from_revision


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "artifact_id": artifact_id,
            "artifacts": artifacts,
            "content": content,
            "content_digest": content_digest,
            "family": family,
            "revision": revision,
            "scope_id": scope_id,
            "sources": sources,
        })
        if created_at is not UNSET:
            field_dict["created_at"] = created_at
        if created_by is not UNSET:
            field_dict["created_by"] = created_by
        if reason is not UNSET:
            field_dict["reason"] = reason
        if restored_from_revision is not UNSET:
            field_dict["restored_from_revision"] = restored_from_revision

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.access_principal import AccessPrincipal # noqa: PLC0415
        from ..models.artifact_reference import ArtifactReference # noqa: PLC0415
        from ..models.artifact_revision_content import ArtifactRevisionContent # noqa: PLC0415
        from ..models.source_type_reference import SourceTypeReference # noqa: PLC0415
        d = dict(src_dict)
        artifact_id = d.pop("artifact_id")

        artifacts = []
        _artifacts = d.pop("artifacts")
        for artifacts_item_data in (_artifacts):
            artifacts_item = ArtifactReference.from_dict(artifacts_item_data)



            artifacts.append(artifacts_item)


        content = ArtifactRevisionContent.from_dict(d.pop("content"))




        content_digest = d.pop("content_digest")

        family = check_artifact_read_family(d.pop("family"))




        revision = d.pop("revision")

        scope_id = d.pop("scope_id")

        sources = []
        _sources = d.pop("sources")
        for sources_item_data in (_sources):
            sources_item = SourceTypeReference.from_dict(sources_item_data)



            sources.append(sources_item)


        def _parse_created_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                created_at_type_0 = datetime.datetime.fromisoformat(data)



                return created_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        created_at = _parse_created_at(d.pop("created_at", UNSET))


        def _parse_created_by(data: object) -> AccessPrincipal | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                created_by_type_1 = AccessPrincipal.from_dict(data)



                return created_by_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(AccessPrincipal | None | Unset, data)

        created_by = _parse_created_by(d.pop("created_by", UNSET))


        def _parse_reason(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        reason = _parse_reason(d.pop("reason", UNSET))


        def _parse_restored_from_revision(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        restored_from_revision = _parse_restored_from_revision(d.pop("restored_from_revision", UNSET))


        artifact_revision = cls(
            artifact_id=artifact_id,
            artifacts=artifacts,
            content=content,
            content_digest=content_digest,
            family=family,
            revision=revision,
            scope_id=scope_id,
            sources=sources,
            created_at=created_at,
            created_by=created_by,
            reason=reason,
            restored_from_revision=restored_from_revision,
        )


        artifact_revision.additional_properties = d
        return artifact_revision

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
