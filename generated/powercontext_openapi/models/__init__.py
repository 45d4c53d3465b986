# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
""" Contains all the data models used in inputs/outputs """

from .access_action import AccessAction
from .access_control_mode import AccessControlMode
from .access_me_response import AccessMeResponse
from .access_principal import AccessPrincipal
from .access_principal_type import AccessPrincipalType
from .access_provider_capabilities import AccessProviderCapabilities
from .access_resource_type import AccessResourceType
from .access_role import AccessRole
from .artifact_family_access_capability import ArtifactFamilyAccessCapability
from .artifact_family_access_capability_share_unit import ArtifactFamilyAccessCapabilityShareUnit
from .artifact_read_family import ArtifactReadFamily
from .artifact_reference import ArtifactReference
from .artifact_revision import ArtifactRevision
from .artifact_revision_content import ArtifactRevisionContent
from .atomic_memory_input import AtomicMemoryInput
from .atomic_memory_lifecycle_request import AtomicMemoryLifecycleRequest
from .atomic_memory_lifecycle_state import AtomicMemoryLifecycleState
from .atomic_memory_mutation_response import AtomicMemoryMutationResponse
from .atomic_memory_record import AtomicMemoryRecord
from .atomic_memory_search_hit import AtomicMemorySearchHit
from .atomic_memory_search_hit_matched_by_item import AtomicMemorySearchHitMatchedByItem
from .atomic_memory_search_mode import AtomicMemorySearchMode
from .atomic_memory_state import AtomicMemoryState
from .capture_content_source_request import CaptureContentSourceRequest
from .capture_content_source_request_metadata_type_0 import CaptureContentSourceRequestMetadataType0
from .capture_content_source_response import CaptureContentSourceResponse
from .capture_status import CaptureStatus
from .context_assembly import ContextAssembly
from .context_assembly_family import ContextAssemblyFamily
from .context_assembly_format import ContextAssemblyFormat
from .context_assembly_metadata import ContextAssemblyMetadata
from .context_assembly_section import ContextAssemblySection
from .contract_version import ContractVersion
from .create_scope_request import CreateScopeRequest
from .error_detail import ErrorDetail
from .error_detail_details_type_0 import ErrorDetailDetailsType0
from .error_response import ErrorResponse
from .feature_contract import FeatureContract
from .health_response import HealthResponse
from .list_atomic_memory_request import ListAtomicMemoryRequest
from .list_atomic_memory_response import ListAtomicMemoryResponse
from .memory_mutation_response import MemoryMutationResponse
from .memory_search_mode import MemorySearchMode
from .prepare_context_request import PrepareContextRequest
from .prepared_context import PreparedContext
from .prepared_context_reason import PreparedContextReason
from .prepared_context_schema import PreparedContextSchema
from .prepared_context_status import PreparedContextStatus
from .readiness_response import ReadinessResponse
from .readiness_response_checks import ReadinessResponseChecks
from .readiness_status import ReadinessStatus
from .remember_memory_request import RememberMemoryRequest
from .scope_descriptor import ScopeDescriptor
from .scope_external_reference import ScopeExternalReference
from .search_memory_request import SearchMemoryRequest
from .search_memory_response import SearchMemoryResponse
from .server_info import ServerInfo
from .server_info_feature_contracts import ServerInfoFeatureContracts
from .server_info_product import ServerInfoProduct
from .source_reference import SourceReference
from .source_type_reference import SourceTypeReference
from .tag_filter import TagFilter
from .tag_match import TagMatch

__all__ = (
    "AccessAction",
    "AccessControlMode",
    "AccessMeResponse",
    "AccessPrincipal",
    "AccessPrincipalType",
    "AccessProviderCapabilities",
    "AccessResourceType",
    "AccessRole",
    "ArtifactFamilyAccessCapability",
    "ArtifactFamilyAccessCapabilityShareUnit",
    "ArtifactReadFamily",
    "ArtifactReference",
    "ArtifactRevision",
    "ArtifactRevisionContent",
    "AtomicMemoryInput",
    "AtomicMemoryLifecycleRequest",
    "AtomicMemoryLifecycleState",
    "AtomicMemoryMutationResponse",
    "AtomicMemoryRecord",
    "AtomicMemorySearchHit",
    "AtomicMemorySearchHitMatchedByItem",
    "AtomicMemorySearchMode",
    "AtomicMemoryState",
    "CaptureContentSourceRequest",
    "CaptureContentSourceRequestMetadataType0",
    "CaptureContentSourceResponse",
    "CaptureStatus",
    "ContextAssembly",
    "ContextAssemblyFamily",
    "ContextAssemblyFormat",
    "ContextAssemblyMetadata",
    "ContextAssemblySection",
    "ContractVersion",
    "CreateScopeRequest",
    "ErrorDetail",
    "ErrorDetailDetailsType0",
    "ErrorResponse",
    "FeatureContract",
    "HealthResponse",
    "ListAtomicMemoryRequest",
    "ListAtomicMemoryResponse",
    "MemoryMutationResponse",
    "MemorySearchMode",
    "PrepareContextRequest",
    "PreparedContext",
    "PreparedContextReason",
    "PreparedContextSchema",
    "PreparedContextStatus",
    "ReadinessResponse",
    "ReadinessResponseChecks",
    "ReadinessStatus",
    "RememberMemoryRequest",
    "ScopeDescriptor",
    "ScopeExternalReference",
    "SearchMemoryRequest",
    "SearchMemoryResponse",
    "ServerInfo",
    "ServerInfoFeatureContracts",
    "ServerInfoProduct",
    "SourceReference",
    "SourceTypeReference",
    "TagFilter",
    "TagMatch",
)
