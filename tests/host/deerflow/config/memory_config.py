# SPDX-License-Identifier: Apache-2.0
"""Stand-in for the `memory:` section of the host's config.yaml.

Keys of the default backend that older releases kept at the top level are moved into
`backend_config`, whichever backend is selected: that is how foreign keys reach ours.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field

logger = logging.getLogger(__name__)

LEGACY_KEYS = frozenset({
    "storage_path", "storage_class", "debounce_seconds", "max_facts", "fact_confidence_threshold",
    "max_injection_tokens", "token_counting", "guaranteed_categories", "guaranteed_token_budget",
    "staleness_review_enabled", "staleness_age_days", "staleness_min_candidates",
    "staleness_max_removals_per_cycle", "staleness_protected_categories",
    "staleness_max_lifetime_multiplier", "staleness_max_extension_days", "consolidation_enabled",
    "consolidation_min_facts", "consolidation_max_groups_per_cycle", "consolidation_max_sources",
    "model_name",
})  # fmt: skip


class MemoryConfig(BaseModel):
    enabled: bool = True
    mode: Literal["middleware", "tool"] = "middleware"
    injection_enabled: bool = True
    shutdown_flush_timeout_seconds: float = Field(default=30.0, ge=1.0, le=300.0)
    manager_class: str = "deermem"
    backend_config: dict[str, Any] = Field(default_factory=dict)


_memory_config = MemoryConfig()


def get_memory_config() -> MemoryConfig:
    return _memory_config


def set_memory_config(config: MemoryConfig) -> None:
    global _memory_config
    _memory_config = config


def load_memory_config_from_dict(section: Mapping[str, Any] | None) -> None:
    section = dict(section or {})
    backend = dict(section.pop("backend_config", None) or {})
    shared = {key: section.pop(key) for key in list(section) if key in MemoryConfig.model_fields}
    for key, value in section.items():
        if key in LEGACY_KEYS:
            _migrate(key, value, backend)
        else:
            logger.warning("memory.%s is no known setting and is ignored", key)
    set_memory_config(MemoryConfig(**shared, backend_config=backend))


def _migrate(key: str, value: object, backend: dict[str, Any]) -> None:
    if value is None or value == "":
        return
    if key == "storage_path" and str(value).endswith(".json"):
        logger.warning("memory.storage_path names a file and is dropped")
        return
    if key == "model_name":
        backend["model"] = {"model": value, **(backend.get("model") or {})}
    else:
        backend.setdefault(key, value)
    logger.warning("memory.%s was moved into memory.backend_config", key)
