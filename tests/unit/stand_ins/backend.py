# SPDX-License-Identifier: Apache-2.0
"""A memory backend that records how the host calls it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from deerflow.agents.memory.manager import MemoryManager

RECORDER = f"{__name__}:Recorder"
"""As `memory.manager_class` names it."""
TODAY = "2026-11-29, Sunday"


class Recorder(MemoryManager):
    """A backend that records how the host calls it and answers what the test asks for."""

    calls: ClassVar[list[tuple[str, dict[str, Any]]]] = []
    answer: ClassVar[Callable[[], str]] = staticmethod(lambda: "fact one")
    build: ClassVar[Callable[[], None]] = staticmethod(lambda: None)

    @classmethod
    def from_config(
        cls, backend_config: dict[str, Any], *, mode: Any = "middleware", **host_hooks: Any
    ) -> Recorder:
        cls.calls.append(("from_config", {**backend_config, "mode": mode, "hooks": host_hooks}))
        cls.build()
        return cls(backend_config=backend_config, mode=mode)

    def add(self, thread_id: str, messages: list[Any], **kwargs: Any) -> None:
        self.calls.append(("add", {"thread_id": thread_id, "n": len(messages), **kwargs}))

    def get_context(
        self,
        user_id: str | None,
        *,
        agent_name: str | None = None,
        thread_id: str | None = None,
        query: str | None = None,
    ) -> str:
        seen = {"user_id": user_id, "agent_name": agent_name, "query": query}
        self.calls.append(("get_context", {**seen, "thread": threading.current_thread()}))
        return type(self).answer()


class Searching(Recorder):
    supports_search: ClassVar[bool] = True

    def search(self, query: str, top_k: int = 5, **kwargs: Any) -> list[dict[str, Any]]:
        return []


def answer(monkeypatch: pytest.MonkeyPatch, what: str | Exception) -> None:
    def reply() -> str:
        if isinstance(what, Exception):
            raise what
        return what

    monkeypatch.setattr(Recorder, "answer", staticmethod(reply))


def queries() -> list[object]:
    return [kwargs["query"] for name, kwargs in Recorder.calls if name == "get_context"]
