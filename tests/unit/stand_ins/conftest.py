# SPDX-License-Identifier: Apache-2.0
"""The host of each test of the stand-ins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from deerflow.agents.memory.manager import reset_memory_manager
from deerflow.agents.middlewares import dynamic_context_middleware as dynamic
from deerflow.config.memory_config import MemoryConfig, get_memory_config, set_memory_config

from tests.unit.stand_ins.backend import RECORDER, TODAY, Recorder


@pytest.fixture(autouse=True)
def host(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A host of its own for each test: its home, its day, its configuration, no manager yet."""
    monkeypatch.setenv("DEER_FLOW_HOME", str(tmp_path))
    monkeypatch.setattr(dynamic, "_today", lambda: TODAY)
    monkeypatch.setattr(Recorder, "calls", [])
    before = get_memory_config()
    set_memory_config(MemoryConfig(manager_class=RECORDER))
    reset_memory_manager()
    yield
    set_memory_config(before)
    reset_memory_manager()
