# SPDX-License-Identifier: Apache-2.0
"""The stand-in of DeerFlow's memory manager: what a backend is held to, and how the host makes the one that it has."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import ClassVar

import pytest
from deerflow.agents.memory import manager as manager_module
from deerflow.agents.memory.manager import MemoryManager, get_memory_manager, reset_memory_manager
from deerflow.config.memory_config import (
    MemoryConfig,
    get_memory_config,
    load_memory_config_from_dict,
    set_memory_config,
)
from pydantic import ValidationError

from tests.support.cases import each_case
from tests.unit.stand_ins.backend import RECORDER, Recorder, Searching

# --- the manager's contract


def test_a_manager_cannot_have_undeclared_attributes_and_ignores_unknown_arguments() -> None:
    manager = Recorder.model_validate({"unknown": 1})
    with pytest.raises(ValueError, match="no field"):
        manager.unknown = 1  # type: ignore[attr-defined]
    assert Recorder.model_validate({"backend_config": None}).backend_config == {}


def test_overriding_search_and_announcing_it_go_together() -> None:
    class Silent(Searching):
        supports_search: ClassVar[bool] = False

    class Boasting(Recorder):
        supports_search: ClassVar[bool] = True

    for broken in (Silent, Boasting):
        with pytest.raises(ValidationError, match="supports_search"):
            broken()


def test_tool_mode_needs_search() -> None:
    with pytest.raises(ValidationError, match="search"):
        Recorder(mode="tool")
    assert Searching(mode="tool").mode == "tool"


def test_a_backend_must_write_read_and_build() -> None:
    with pytest.raises(TypeError, match="abstract"):
        MemoryManager()  # type: ignore[abstract]


@each_case(
    ("name", "args"),
    [
        ("search", ("q",)),
        ("get_memory", ()),
        ("delete_memory", ()),
        ("clear_memory", ()),
        ("import_memory", ({},)),
        ("export_memory", ()),
        ("reload_memory", ()),
        ("create_fact", ("text",)),
        ("delete_fact", ("id",)),
        ("update_fact", ("id",)),
    ],
)
def test_what_is_not_supported_says_so(name: str, args: tuple[object, ...]) -> None:
    with pytest.raises(NotImplementedError, match=f"^{name} not supported by Recorder$"):
        getattr(Recorder(), name)(*args)


def test_optional_hooks_do_nothing_by_default() -> None:
    manager = Recorder()
    assert (manager.warm(), manager.shutdown_flush(1.0)) == (None, True)
    assert manager.cancel_by_agent() == 0
    manager.close()


def test_async_and_nowait_writes_go_through_add() -> None:
    manager = Recorder()
    manager.add_nowait("t", [1])
    asyncio.run(manager.aadd("t", [1, 2]))
    nowait, later = (kwargs for _, kwargs in Recorder.calls)
    assert nowait == {"thread_id": "t", "n": 1, "agent_name": None, "user_id": None}
    assert later == {**nowait, "n": 2, "trace_id": None}


# --- the factory


def test_from_config_gets_a_storage_path_the_mode_and_the_host_hooks(tmp_path: Path) -> None:
    get_memory_manager()
    ((_, given),) = Recorder.calls
    assert given["storage_path"] == str(tmp_path)
    assert given["mode"] == "middleware"
    assert set(given["hooks"]) == {
        "callbacks",
        "extraction_callback",
        "host_llm_factory",
        "should_keep_hidden_message",
        "trace_context_manager",
    }


def test_a_relative_storage_path_is_below_the_home_and_the_config_is_not_touched(
    tmp_path: Path,
) -> None:
    set_memory_config(
        MemoryConfig(manager_class=RECORDER, backend_config={"storage_path": "a/../b"})
    )
    assert get_memory_manager().backend_config == {"storage_path": str(tmp_path / "b")}
    assert get_memory_config().backend_config == {"storage_path": "a/../b"}


def test_there_is_one_manager_even_under_contention() -> None:
    barrier = threading.Barrier(4)
    found: list[MemoryManager] = []

    def ask() -> None:
        barrier.wait(10)
        found.append(get_memory_manager())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(found) == 4
    assert len({id(manager) for manager in found}) == 1
    assert [name for name, _ in Recorder.calls] == ["from_config"]


def test_from_config_runs_inside_a_lock_that_is_not_reentrant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    free: list[bool] = []
    monkeypatch.setattr(
        Recorder,
        "build",
        staticmethod(lambda: free.append(manager_module._lock.acquire(blocking=False))),
    )
    get_memory_manager()
    assert free == [False]


def test_a_failing_from_config_is_tried_again_at_the_next_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail() -> None:
        raise ValueError("bad settings")

    monkeypatch.setattr(Recorder, "build", staticmethod(fail))
    for _ in range(2):
        with pytest.raises(ValueError, match="bad settings"):
            get_memory_manager()
    assert len(Recorder.calls) == 2


def test_reset_forgets_the_manager_without_closing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[MemoryManager] = []
    monkeypatch.setattr(Recorder, "close", closed.append, raising=False)
    first = get_memory_manager()
    reset_memory_manager()
    assert get_memory_manager() is not first
    assert closed == []


def test_both_spellings_of_the_class_resolve() -> None:
    for path in (RECORDER, RECORDER.replace(":", ".")):
        set_memory_config(MemoryConfig(manager_class=path))
        reset_memory_manager()
        assert type(get_memory_manager()) is Recorder


@each_case(
    "path", ["deermem", "no.such.module:Cls", "json:nope", "json:dumps", "json:JSONDecoder", ""]
)
def test_a_class_that_does_not_resolve_is_an_error_and_never_another_backend(path: str) -> None:
    set_memory_config(MemoryConfig(manager_class=path))
    with pytest.raises(ValueError, match="manager_class"):
        get_memory_manager()


def test_only_import_errors_are_turned_into_value_errors(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "explodes_on_import.py").write_text("raise KeyError('x')")
    monkeypatch.syspath_prepend(tmp_path)
    set_memory_config(MemoryConfig(manager_class="explodes_on_import:Cls"))
    with pytest.raises(KeyError):
        get_memory_manager()


# --- configuration


def test_leftover_keys_of_the_default_backend_end_in_our_backend_config(
    caplog: pytest.LogCaptureFixture,
) -> None:
    load_memory_config_from_dict(
        {
            "manager_class": "x:Y",
            "max_facts": 100,
            "token_counting": "",
            "debounce_seconds": 5,
            "model_name": "m",
            "storage_path": "memory.json",
            "typo": 1,
            "backend_config": {"debounce_seconds": 9},
        }
    )
    config = get_memory_config()
    assert config.manager_class == "x:Y"
    assert config.backend_config == {
        "debounce_seconds": 9,
        "max_facts": 100,
        "model": {"model": "m"},
    }
    assert "memory.typo is no known setting" in caplog.text


def test_configuration_defaults() -> None:
    load_memory_config_from_dict(None)
    assert get_memory_config().model_dump() == {
        "enabled": True,
        "mode": "middleware",
        "injection_enabled": True,
        "shutdown_flush_timeout_seconds": 30.0,
        "manager_class": "deermem",
        "backend_config": {},
    }
