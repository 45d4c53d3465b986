# SPDX-License-Identifier: Apache-2.0
"""DeerFlow's memory backend: recall at the start of a conversation, or on each turn, for the bound owner only.

Nothing is captured passively. On a bad configuration the manager is inert instead of raising, because an exception
here fails every run of the host, not only its memory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from powercontext_deerflow.edge import edge
from powercontext_deerflow.errors import ConfigurationError, Problem
from powercontext_deerflow.host.events import LOGGER
from powercontext_deerflow.host.runtime import Runtime, current
from powercontext_deerflow.settings import PREFIX, Settings

try:  # pydantic is the host's, too
    from deerflow.agents.memory.manager import MemoryManager
    from pydantic import PrivateAttr
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "powercontext_deerflow.memory is DeerFlow's memory backend: import it where DeerFlow is installed",
        name=error.name,
    ) from None

_OURS = {setting.name for setting in dataclasses.fields(Settings)}
_CLOSE_BUDGET = 2.0  # seconds; the host sets none


class PowerContextMemoryManager(MemoryManager):
    """``memory.manager_class: powercontext_deerflow.memory:PowerContextMemoryManager``."""

    # One branch of the host passes a query only to managers that say this.
    supports_query_aware_context: ClassVar[bool] = True

    _inert: bool = PrivateAttr(default=False)

    @classmethod
    def from_config(
        cls,
        backend_config: dict[str, Any] | None,  # the host's own contract
        *,
        mode: Literal["middleware", "tool"] = "middleware",
        **host_hooks: Any,  # not used: this backend extracts nothing
    ) -> Self:
        """Never raises. The binding comes from the environment only; YAML must not repeat it."""
        manager = cls(backend_config={}, mode="middleware")
        problems = _refused(backend_config or {}, mode)
        for problem in problems:
            LOGGER.error("powercontext recall is off: %s", problem)
        manager._inert = bool(problems)
        _runtime()  # says now what is wrong with the settings
        return manager

    def _recalling(self) -> Runtime | None:
        return None if self._inert else _runtime()

    @edge
    def get_context(
        self,
        user_id: str | None,
        *,
        agent_name: str | None = None,
        thread_id: str | None = None,
        query: str | None = None,
    ) -> str:
        """Prepared context for what the owner says, unchanged, or "". Never raises.

        Where the host recalls on every turn, it names the thread: then "" also if that was given all of it before.
        """
        runtime = self._recalling()
        return "" if runtime is None else runtime.recall(user_id, query, thread_id)

    @edge
    async def aget_context(
        self,
        user_id: str | None,
        *,
        agent_name: str | None = None,
        thread_id: str | None = None,
        query: str | None = None,
    ) -> str:
        """As ``get_context``, without blocking the event loop."""
        runtime = self._recalling()
        return "" if runtime is None else await runtime.arecall(user_id, query, thread_id)

    def add(self, thread_id: str, messages: list[Any], **_: Any) -> None:
        """Nothing: conversations are not captured. Saving is the ``remember`` tool's, on request."""

    def add_nowait(self, thread_id: str, messages: list[Any], **_: Any) -> None:
        """Nothing, as ``add``."""

    async def aadd(self, thread_id: str, messages: list[Any], **_: Any) -> None:
        """Nothing, as ``add``."""

    def warm(self) -> bool:
        """Whether recall can be asked for. Sends nothing: the host calls this even with memory disabled."""
        return self._recalling() is not None

    def shutdown_flush(self, timeout: float) -> bool:
        """Wait at most ``timeout`` seconds for saves under way; whether all have ended.

        Also where recall is off: the tool has its own switch, and its saves are not lost for that.
        """
        runtime = _runtime()
        return runtime is None or runtime.client.flush(timeout)

    def close(self) -> None:
        """Release sockets and threads, within three seconds. Recall is "" and saving refused from then on.

        Nothing where the host also ends this package's service: that comes later, and running tools still save.
        """
        runtime = _runtime()
        if runtime is not None and not runtime.outlives_manager:
            runtime.close(_CLOSE_BUDGET)


def _runtime() -> Runtime | None:
    try:
        return current()
    except (ConfigurationError, MemoryError):
        return None  # logged when it was found; for want of memory, tried again


def _refused(backend_config: Mapping[Any, object], mode: str) -> list[Problem]:
    """What in ``memory:`` makes this backend unusable; what merely is left over from another one is warned about."""
    problems = []
    if mode != "middleware":
        problems.append(Problem("memory.mode", "mode_unsupported", "set it to middleware"))
    leftover = 0
    for key in backend_config:
        # Only text can name a setting; of YAML, keys can be anything, also numbers too long to be written.
        if isinstance(key, str) and key.lower().removeprefix(PREFIX.lower()) in _OURS:
            advice = "remove it: the binding comes from the Gateway's environment only"
            problems.append(Problem(f"memory.backend_config.{key}", "binding_in_yaml", advice))
        elif key != "storage_path":
            leftover += 1
    if leftover:
        LOGGER.warning(
            "powercontext ignores %d keys of memory.backend_config left from another backend",
            leftover,
        )
    return problems
