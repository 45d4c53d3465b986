# SPDX-License-Identifier: Apache-2.0
"""The memory backend without a server: the host's contract, and what is true before anything is asked."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from deerflow.agents.memory.manager import MemoryManager, context_query_kwargs

from powercontext_deerflow import ConfigurationError
from powercontext_deerflow.host import runtime
from powercontext_deerflow.memory import PowerContextMemoryManager
from tests.support import bound
from tests.support.bound import NOWHERE, OWNER
from tests.support.cases import each_case


@pytest.fixture(autouse=True)
def new_process() -> Iterator[None]:
    """No runtime is inherited, and none is left open."""
    runtime.forget()
    yield
    with contextlib.suppress(ConfigurationError):
        runtime.current().close(2)
    runtime.forget()


Bind = Callable[..., None]


@pytest.fixture
def bind(monkeypatch: pytest.MonkeyPatch) -> Bind:
    """Settings of this process; None takes one away."""
    return functools.partial(bound.bind, monkeypatch)


def built(config: dict[str, Any] | None = None, **options: Any) -> PowerContextMemoryManager:
    hooks = {"callbacks": None, "host_llm_factory": lambda: None, "judge": None}
    return PowerContextMemoryManager.from_config(config, **{**hooks, **options})


@each_case("name", ["get_context", "aget_context", "warm", "shutdown_flush", "close"])
def test_signature_is_the_hosts(name: str) -> None:
    ours, hosts = (
        inspect.signature(getattr(cls, name)).parameters.values()
        for cls in (PowerContextMemoryManager, MemoryManager)
    )
    assert [(p.name, p.kind, p.default) for p in ours] == [
        (p.name, p.kind, p.default) for p in hosts
    ]


@each_case("name", ["add", "add_nowait", "aadd", "from_config"])
def test_signature_takes_all_that_the_host_passes_and_later_keywords(name: str) -> None:
    ours = inspect.signature(getattr(PowerContextMemoryManager, name))
    hosts = inspect.signature(getattr(MemoryManager, name))
    positional = [p.name for p in hosts.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert list(ours.parameters)[: len(positional)] == positional
    keywords = {p.name: None for p in hosts.parameters.values() if p.kind is p.KEYWORD_ONLY}
    ours.bind(*positional, **keywords, observability_context=None)


def test_query_reaches_this_backend_on_every_host(bind: Bind) -> None:
    bind(NOWHERE)
    assert context_query_kwargs(built().get_context, "q") == {"query": "q"}
    assert PowerContextMemoryManager.supports_query_aware_context is True
    assert inspect.iscoroutinefunction(PowerContextMemoryManager.aget_context)
    assert inspect.iscoroutinefunction(PowerContextMemoryManager.aadd)


UNSUPPORTED: dict[str, tuple[object, ...]] = {
    "search": ("q",),
    "get_memory": (),
    "delete_memory": (),
    "clear_memory": (),
    "import_memory": ({},),
    "export_memory": (),
    "reload_memory": (),
    "create_fact": ("f",),
    "delete_fact": ("f",),
    "update_fact": ("f",),
}


@each_case("inert", [False, True])
@each_case("operation", UNSUPPORTED)
def test_unsupported_operation(bind: Bind, operation: str, inert: bool) -> None:
    """The Gateway makes a 501 of exactly this, and the doctor's user a sentence."""
    bind(NOWHERE, token=None if inert else "t")
    says = f"^{operation} not supported by PowerContextMemoryManager$"
    with pytest.raises(NotImplementedError, match=says):
        getattr(built(), operation)(*UNSUPPORTED[operation])


def test_a_fault_of_our_own_is_not_the_chats(
    bind: Bind, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("CANARY")

    bind(NOWHERE)
    manager = built()
    monkeypatch.setattr(runtime, "recall", broken)
    assert manager.get_context(OWNER, query="q") == ""
    assert asyncio.run(manager.aget_context(OWNER, query="q")) == ""
    assert runtime.current().events.counts == {("recall", "internal_error"): 2}
    assert "CANARY" not in caplog.text


@pytest.mark.parametrize("config", [None, {}, {"storage_path": "/x"}, {"max_facts": 1, 7: "x"}])
def test_other_backend_config_is_no_obstacle(bind: Bind, config: Any) -> None:
    bind(NOWHERE)
    assert built(config).warm() is True


def test_close_before_the_first_use(bind: Bind, no_leaks: None) -> None:
    bind(NOWHERE)
    manager = built()
    manager.close()
    assert manager.get_context(OWNER, query="q") == ""


def test_repr_shows_no_binding(bind: Bind) -> None:
    bind(NOWHERE)
    shown = f"{built()!r}{built()}{built().model_dump()}"
    assert not [secret for secret in ("CANARY", "scp_1", OWNER) if secret in shown]
