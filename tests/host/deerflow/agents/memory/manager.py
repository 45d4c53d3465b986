# SPDX-License-Identifier: Apache-2.0
"""Stand-in for the host's memory contract and the factory that builds the one manager.

Contract: release f1f4af99 plus `query` of PR 5251 and the read
failure policy of PR 4726. The bundled backends are not here, so no short name resolves.
"""

from __future__ import annotations

import importlib
import inspect
import logging
import sys
import threading
from abc import abstractmethod
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from deerflow.config.memory_config import get_memory_config
from deerflow.config.runtime_paths import runtime_home

logger = logging.getLogger(__name__)

Document = dict[str, Any]

_manager: MemoryManager | None = None
_lock = threading.Lock()  # not reentrant, as in the host: from_config must not ask for the manager


class MemoryManagerError(RuntimeError):
    """Base of the errors a backend may raise at this boundary."""


class MemoryReadError(MemoryManagerError):
    """A required read failed; the run must not go on without it."""


class MemoryConflictError(MemoryManagerError):
    """A write lost a race."""


class MemoryCorruptionError(MemoryManagerError):
    """What is stored cannot be read safely."""


class MemoryCallbacks:
    """The host's observation hooks; opaque to a backend that calls no model."""


class MemoryManager(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    backend_config: dict[str, Any] = Field(default_factory=dict)
    mode: Literal["middleware", "tool"] = "middleware"
    callbacks: MemoryCallbacks | None = None

    supports_search: ClassVar[bool] = False
    requires_passive_writes_in_tool_mode: ClassVar[bool] = False

    @field_validator("backend_config", mode="before")
    @classmethod
    def _none_is_empty(cls, value: object) -> object:
        return value or {}

    @model_validator(mode="after")
    def _check_invariants(self) -> MemoryManager:
        searches = type(self).search is not MemoryManager.search
        if type(self).supports_search is not searches:
            raise ValueError("supports_search must say whether search() is overridden")
        if self.mode == "tool" and not searches:
            raise ValueError("memory mode 'tool' needs a backend that overrides search()")
        return self

    @classmethod
    def read_failures_are_fatal_for_config(cls, backend_config: dict[str, Any] | None) -> bool:
        policy = (backend_config or {}).get("failure_policy")
        return isinstance(policy, dict) and policy.get("read") == "fail_closed"

    @property
    def read_failures_are_fatal(self) -> bool:
        return type(self).read_failures_are_fatal_for_config(self.backend_config)

    @abstractmethod
    def add(
        self,
        thread_id: str,
        messages: list[Any],
        *,
        agent_name: str | None = None,
        user_id: str | None = None,
        trace_id: str | None = None,
    ) -> None: ...

    @abstractmethod
    def get_context(
        self,
        user_id: str | None,
        *,
        agent_name: str | None = None,
        thread_id: str | None = None,
        query: str | None = None,
    ) -> str: ...

    @classmethod
    @abstractmethod
    def from_config(
        cls,
        backend_config: dict[str, Any],
        *,
        mode: Literal["middleware", "tool"] = "middleware",
        **host_hooks: Any,
    ) -> MemoryManager: ...

    def add_nowait(
        self,
        thread_id: str,
        messages: list[Any],
        *,
        agent_name: str | None = None,
        user_id: str | None = None,
    ) -> None:
        self.add(thread_id, messages, agent_name=agent_name, user_id=user_id)

    def search(
        self,
        query: str,
        top_k: int = 5,
        *,
        user_id: str | None = None,
        agent_name: str | None = None,
        category: str | None = None,
    ) -> list[Document]:
        raise self._unsupported("search")

    def get_memory(self, *, user_id: str | None = None, agent_name: str | None = None) -> Document:
        raise self._unsupported("get_memory")

    def delete_memory(self, *, user_id: str | None = None, agent_name: str | None = None) -> None:
        raise self._unsupported("delete_memory")

    def clear_memory(
        self, *, user_id: str | None = None, agent_name: str | None = None
    ) -> Document:
        raise self._unsupported("clear_memory")

    def import_memory(
        self, memory_data: Document, *, user_id: str | None = None, agent_name: str | None = None
    ) -> Document:
        raise self._unsupported("import_memory")

    def export_memory(
        self, *, user_id: str | None = None, agent_name: str | None = None
    ) -> Document:
        raise self._unsupported("export_memory")

    def cancel_by_agent(self, agent_name: str | None = None, *, user_id: str | None = None) -> int:
        return 0

    def shutdown_flush(self, timeout: float) -> bool:
        return True

    def warm(self) -> bool | None:
        return None

    def reload_memory(
        self, *, user_id: str | None = None, agent_name: str | None = None
    ) -> Document:
        raise self._unsupported("reload_memory")

    def create_fact(
        self,
        content: str,
        category: str = "context",
        confidence: float = 0.5,
        *,
        agent_name: str | None = None,
        user_id: str | None = None,
    ) -> tuple[Document, str | None]:
        raise self._unsupported("create_fact")

    def delete_fact(
        self, fact_id: str, *, agent_name: str | None = None, user_id: str | None = None
    ) -> Document:
        raise self._unsupported("delete_fact")

    def update_fact(
        self,
        fact_id: str,
        content: str | None = None,
        category: str | None = None,
        confidence: float | None = None,
        *,
        agent_name: str | None = None,
        user_id: str | None = None,
    ) -> Document:
        raise self._unsupported("update_fact")

    def on_pre_compress(self, messages: list[Any]) -> str:
        return ""

    def on_turn_start(self, turn_number: int, message: Any, **kwargs: Any) -> None:
        return None

    async def aadd(
        self,
        thread_id: str,
        messages: list[Any],
        *,
        agent_name: str | None = None,
        user_id: str | None = None,
        trace_id: str | None = None,
    ) -> None:
        self.add(thread_id, messages, agent_name=agent_name, user_id=user_id, trace_id=trace_id)

    async def aget_context(
        self,
        user_id: str | None,
        *,
        agent_name: str | None = None,
        thread_id: str | None = None,
        query: str | None = None,
    ) -> str:
        passed = context_query_kwargs(self.get_context, query)
        return self.get_context(user_id, agent_name=agent_name, thread_id=thread_id, **passed)

    async def asearch(
        self,
        query: str,
        top_k: int = 5,
        *,
        user_id: str | None = None,
        agent_name: str | None = None,
        category: str | None = None,
    ) -> list[Document]:
        return self.search(query, top_k, user_id=user_id, agent_name=agent_name, category=category)

    def close(self) -> None:
        return None

    def _unsupported(self, operation: str) -> NotImplementedError:
        return NotImplementedError(f"{operation} not supported by {type(self).__name__}")


def context_query_kwargs(get_context: Callable[..., Any], query: str | None) -> dict[str, str]:
    """`{"query": query}` if this callable can take it by name; a blank hint is never passed."""
    if query is None:
        return {}
    try:
        parameters = inspect.signature(get_context).parameters.values()
    except (TypeError, ValueError):
        return {}
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    takes_it = any(
        p.kind is inspect.Parameter.VAR_KEYWORD or (p.name == "query" and p.kind in by_name)
        for p in parameters
    )
    return {"query": query} if takes_it else {}


def _resolve_manager_class(path: str, *, allow_import: bool = True) -> type[MemoryManager]:
    module_name, _, attribute = path.partition(":") if ":" in path else path.rpartition(".")
    problem = "it is neither a known backend nor a path like 'package.module:Class'"
    if module_name and attribute:
        try:
            load = importlib.import_module if allow_import else sys.modules.get
            found = getattr(load(module_name), attribute, None)
        except ImportError as error:  # only this one: anything else at import time propagates
            problem = f"the module does not import: {error}"
        else:
            if isinstance(found, type) and issubclass(found, MemoryManager):
                return found
            problem = "it does not name a MemoryManager subclass"
    raise ValueError(f"memory.manager_class={path!r} cannot be used: {problem}")


def memory_read_failures_are_fatal(
    manager_class: str, backend_config: dict[str, Any] | None, *, resolved_only: bool = False
) -> bool | None:
    """The backend's read policy without building it; None if its class is not loaded yet."""
    try:
        cls = _resolve_manager_class(manager_class, allow_import=not resolved_only)
        return cls.read_failures_are_fatal_for_config(backend_config)
    except Exception:  # noqa: BLE001 - as the host: unknown policy counts as strict
        return None if resolved_only else True


def _host_hooks() -> Mapping[str, object]:
    return {
        "callbacks": MemoryCallbacks(),
        "should_keep_hidden_message": lambda additional_kwargs: False,
        "trace_context_manager": nullcontext,
        "host_llm_factory": lambda: None,
        "extraction_callback": lambda payload: None,
    }


def get_memory_manager() -> MemoryManager:
    """The process-wide manager. A failing `from_config` is not remembered: it runs again."""
    global _manager
    if _manager is not None:
        return _manager
    with _lock:
        if _manager is None:
            config = get_memory_config()
            cls = _resolve_manager_class(config.manager_class)
            backend = dict(config.backend_config or {})
            stored = Path(backend.get("storage_path") or "")
            if not stored.is_absolute():
                backend["storage_path"] = str((runtime_home() / stored).resolve())
            _manager = cls.from_config(backend, mode=config.mode, **_host_hooks())
        return _manager


def reset_memory_manager() -> None:
    """Forget the manager. The host does not close it here."""
    global _manager
    with _lock:
        _manager = None
