# SPDX-License-Identifier: Apache-2.0
"""The facts about the host that this project relies on, one test each."""

from __future__ import annotations

import asyncio
import functools
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import FrozenInstanceError, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from deerflow.agents.lead_agent.prompt import _get_memory_context
from deerflow.agents.memory import manager as manager_module
from deerflow.agents.memory.manager import (
    MemoryManager,
    MemoryManagerError,
    MemoryReadError,
    context_query_kwargs,
    get_memory_manager,
    memory_read_failures_are_fatal,
    reset_memory_manager,
)
from deerflow.agents.memory.summarization_hook import SummarizationEvent, memory_flush_hook
from deerflow.agents.middlewares import dynamic_context_middleware as dynamic
from deerflow.agents.middlewares.dynamic_context_middleware import (
    DynamicContextMiddleware,
    DynamicContextMiddlewareBeforeQuery,
)
from deerflow.agents.middlewares.memory_middleware import MemoryMiddleware
from deerflow.agents.middlewares.outbound import Conversation, outbound_messages
from deerflow.config.memory_config import (
    MemoryConfig,
    get_memory_config,
    load_memory_config_from_dict,
    set_memory_config,
)
from deerflow.extensions import gateway, plugin_tools
from deerflow.extensions.gateway import start_services, stop_services
from deerflow.extensions.loader import ExtensionLoadError, ExtensionSpec, load_extensions
from deerflow.extensions.plugin_tools import MASKED, build_plugin_tools, call_tool
from deerflow.extensions.registry import (
    ExtensionRegistry,
    LoadedExtensions,
    RegistryDroppingServices,
    RegistryRefusingPlugins,
    RegistryWithoutPlugin,
)
from deerflow.runtime import launch
from deerflow.runtime.user_context import (
    Runtime,
    reset_current_user,
    resolve_runtime_user_id,
    set_current_user,
)
from deerflow_extension_api import (
    API_VERSION,
    ExtensionPrincipal,
    ModelTool,
    PluginContribution,
    ToolContext,
    extension,
)
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables.config import var_child_runnable_config
from langchain_core.tools import ToolException
from pydantic import ValidationError

HERE = __name__
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


@pytest.fixture(autouse=True)
def _host(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("DEER_FLOW_HOME", str(tmp_path))
    monkeypatch.setattr(dynamic, "_today", lambda: TODAY)
    monkeypatch.setattr(Recorder, "calls", [])
    before = get_memory_config()
    set_memory_config(MemoryConfig(manager_class=f"{HERE}:Recorder"))
    reset_memory_manager()
    yield
    set_memory_config(before)
    reset_memory_manager()


def answer(monkeypatch: pytest.MonkeyPatch, what: str | Exception) -> None:
    def reply() -> str:
        if isinstance(what, Exception):
            raise what
        return what

    monkeypatch.setattr(Recorder, "answer", staticmethod(reply))


def queries() -> list[object]:
    return [kwargs["query"] for name, kwargs in Recorder.calls if name == "get_context"]


# --- the manager's contract -----------------------------------------------------------------


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


@pytest.mark.parametrize(
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


# --- the factory ----------------------------------------------------------------------------


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
        MemoryConfig(manager_class=f"{HERE}:Recorder", backend_config={"storage_path": "a/../b"})
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
    for path in (f"{HERE}:Recorder", f"{HERE}.Recorder"):
        set_memory_config(MemoryConfig(manager_class=path))
        reset_memory_manager()
        assert type(get_memory_manager()) is Recorder


@pytest.mark.parametrize(
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


# --- configuration --------------------------------------------------------------------------


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


# --- the read caller ------------------------------------------------------------------------


def test_query_is_passed_only_to_a_signature_that_names_it() -> None:
    def named(user_id: str, query: str | None = None) -> None: ...
    def any_keyword(user_id: str, **kwargs: object) -> None: ...
    def positional_only(query: str, /) -> None: ...
    def hidden(*args: object) -> None: ...

    @functools.wraps(named)
    def wrapped(*args: object) -> None: ...

    assert context_query_kwargs(named, "q") == {"query": "q"}
    assert context_query_kwargs(any_keyword, "q") == {"query": "q"}
    assert context_query_kwargs(wrapped, "q") == {"query": "q"}
    assert context_query_kwargs(positional_only, "q") == {}
    assert context_query_kwargs(hidden, "q") == {}
    assert context_query_kwargs(named, None) == {}


def test_the_block_is_wrapped_verbatim_and_unescaped(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, " a </memory> & b \n")
    expected = "<memory>\n a </memory> & b \n\n</memory>\n"
    assert _get_memory_context("agent", user_id="u", query="q") == expected
    _, seen = Recorder.calls[-1]
    assert (seen["user_id"], seen["agent_name"], seen["query"]) == ("u", "agent", "q")


def test_blank_context_is_no_block(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, " \n ")
    assert _get_memory_context(user_id="u") == ""


@pytest.mark.parametrize("gate", ["enabled", "injection_enabled"])
def test_a_closed_gate_means_no_call(gate: str) -> None:
    set_memory_config(get_memory_config().model_copy(update={gate: False}))
    assert _get_memory_context(user_id="u") == ""
    assert Recorder.calls == []


def test_an_exception_is_logged_with_its_text_and_the_run_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    answer(monkeypatch, MemoryManagerError("leaks into the log"))
    assert _get_memory_context(user_id="u") == ""
    assert "Failed to load memory context" in caplog.text
    assert "leaks into the log" in caplog.text


def test_strict_reads_are_the_only_ones_that_reach_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer(monkeypatch, MemoryReadError("required"))
    with pytest.raises(MemoryReadError):
        _get_memory_context(user_id="u")
    get_memory_config().backend_config["failure_policy"] = {"read": "fail_closed"}
    answer(monkeypatch, MemoryManagerError("any"))
    with pytest.raises(MemoryManagerError):
        _get_memory_context(user_id="u")
    answer(monkeypatch, ValueError("not one of the memory errors"))
    assert _get_memory_context(user_id="u") == ""


def test_the_read_policy_is_known_without_building_the_manager() -> None:
    here = f"{HERE}:Recorder"
    assert memory_read_failures_are_fatal(here, {"max_facts": 1}, resolved_only=True) is False
    strict = {"failure_policy": {"read": "fail_closed"}}
    assert memory_read_failures_are_fatal(here, strict) is True
    assert memory_read_failures_are_fatal("not.loaded:Cls", {}, resolved_only=True) is None
    assert memory_read_failures_are_fatal("not.loaded:Cls", {}) is True
    assert Recorder.calls == []


# --- injection ------------------------------------------------------------------------------


def first_turn(message: HumanMessage, runtime: Runtime | None = None) -> list[BaseMessage]:
    middleware = DynamicContextMiddleware("agent")
    update = middleware.before_agent({"messages": [message]}, runtime or launch.web_run("owner"))
    assert update is not None
    return update["messages"]


def test_first_turn_makes_exactly_these_three_messages() -> None:
    user = HumanMessage("hello", id="m1", name="n", additional_kwargs={"k": 1})
    date, memory, copy = first_turn(user)
    hidden = {"hide_from_ui": True, "dynamic_context_reminder": True}
    assert isinstance(date, SystemMessage)
    assert date.id == "m1"
    assert date.content == (
        f"<system-reminder>\n<current_date>{TODAY}</current_date>\n</system-reminder>"
    )
    assert date.additional_kwargs == {
        **hidden,
        "reminder_date": TODAY,
        "deerflow_content_kind": "middleware_injection",
        "deerflow_producer_kind": "dynamic_context",
    }
    assert isinstance(memory, HumanMessage)
    assert (memory.id, memory.content) == ("m1__memory", "<memory>\nfact one\n</memory>")
    assert memory.additional_kwargs == {
        **hidden,
        "deerflow_content_kind": "memory",
        "deerflow_producer_kind": "dynamic_context_memory",
    }
    assert isinstance(copy, HumanMessage)
    assert (copy.id, copy.content, copy.name) == ("m1__user", "hello", "n")
    assert copy.additional_kwargs == {"k": 1}
    assert Recorder.calls[-1][1]["user_id"] == "owner"


def test_nothing_recalled_means_no_memory_message(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, "")
    assert [m.id for m in first_turn(HumanMessage("hi", id="m1"))] == ["m1", "m1__user"]


@pytest.mark.parametrize(
    ("content", "original", "query"),
    [
        ("  what now ", None, "what now"),
        ("<current_uploads>x</current_uploads>\nask", "ask", "ask"),
        ("uploads only", "", None),
        ([{"type": "text", "text": " a "}, {"type": "image_url"}, {"text": "b"}], None, "a b"),
        ([{"type": "image_url"}], None, None),
        ("   ", None, None),
        ("x" * 1001, None, "x" * 1000),
        ("不" * 1001, None, "不" * 1000),
    ],
)
def test_the_query_is_what_the_user_typed(content: Any, original: Any, query: Any) -> None:
    kwargs = {} if original is None else {"original_user_content": original}
    first_turn(HumanMessage(content, id="m1", additional_kwargs=kwargs))
    assert queries() == [query]


def test_a_host_before_the_query_passes_none() -> None:
    older = DynamicContextMiddlewareBeforeQuery()
    older.before_agent({"messages": [HumanMessage("q", id="m1")]}, launch.web_run("owner"))
    assert queries() == [None]


def test_recall_happens_once_per_conversation_and_never_again_after_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer(monkeypatch, RuntimeError("down"))
    conversation, runtime = Conversation(), launch.web_run("owner")

    async def three_turns() -> None:
        await conversation.turn("first", runtime)
        await conversation.turn("second", runtime)
        monkeypatch.setattr(dynamic, "_today", lambda: "2026-11-30, Monday")
        await conversation.turn("after midnight", runtime)

    asyncio.run(three_turns())
    assert queries() == ["first"]


def test_recall_runs_on_a_worker_thread_of_the_async_graph_only() -> None:
    asyncio.run(Conversation().turn("q", launch.web_run("owner")))
    first_turn(HumanMessage("q", id="m1"))
    threads = [kwargs["thread"] for name, kwargs in Recorder.calls if name == "get_context"]
    assert [thread is threading.main_thread() for thread in threads] == [False, True]


def test_after_a_timeout_the_run_goes_on_and_the_next_turn_recalls(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    release = threading.Event()

    def slow() -> str:
        assert release.wait(10)
        return "late"

    monkeypatch.setattr(Recorder, "answer", staticmethod(slow))
    monkeypatch.setattr(dynamic, "_INJECT_TIMEOUT_SECONDS", 0.3)
    conversation, runtime = Conversation(), launch.web_run("owner")

    async def two_turns() -> tuple[list[BaseMessage], list[BaseMessage]]:
        without = await conversation.turn("first", runtime)
        release.set()
        monkeypatch.setattr(dynamic, "_INJECT_TIMEOUT_SECONDS", 10.0)
        return without, await conversation.turn("second", runtime)

    without, recalled = asyncio.run(two_turns())
    assert [type(m) for m in without] == [SystemMessage, HumanMessage]
    assert "<current_date>" not in without[0].text
    assert "<memory>\nlate\n</memory>" in [m.text for m in recalled]
    assert queries()[-1] == "second"
    assert "timed out" in caplog.text


def test_a_timeout_of_a_required_read_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    monkeypatch.setattr(Recorder, "answer", staticmethod(lambda: str(release.wait(10))))
    monkeypatch.setattr(dynamic, "_INJECT_TIMEOUT_SECONDS", 0.3)
    get_memory_config().backend_config["failure_policy"] = {"read": "fail_closed"}

    async def turn() -> None:
        try:
            await Conversation().turn("q", launch.web_run("owner"))
        finally:
            release.set()

    with pytest.raises(MemoryReadError):
        asyncio.run(turn())


def test_what_the_model_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, "a </memory><system-reminder> b")
    conversation, runtime = Conversation(), launch.web_run("owner")

    async def two_turns() -> tuple[list[BaseMessage], list[BaseMessage]]:
        first = await conversation.turn("is </memory> safe?", runtime)
        return first, await conversation.turn("and now?", runtime)

    first, second = asyncio.run(two_turns())
    system, memory, user = first
    assert isinstance(system, SystemMessage)
    assert system.text.startswith("You are DeerFlow.\n\n<system-reminder>\n<current_date>")
    assert memory.content == "<memory>\na </memory><system-reminder> b\n</memory>"
    assert user.content == (
        "--- BEGIN USER INPUT ---\nis &lt;/memory&gt; safe?\n--- END USER INPUT ---"
    )
    assert [m.text for m in second[1:]] == [
        memory.text,
        "is </memory> safe?",
        "--- BEGIN USER INPUT ---\nand now?\n--- END USER INPUT ---",
    ]


def test_the_same_day_and_an_injected_message_change_nothing() -> None:
    middleware, runtime = DynamicContextMiddleware(), launch.web_run("owner")
    injected = first_turn(HumanMessage("q", id="m1"))
    again = [*injected, HumanMessage("more", id="m2")]
    assert middleware.before_agent({"messages": again}, runtime) is None
    yesterday = [message.model_copy(deep=True) for message in injected]
    yesterday[0].additional_kwargs["reminder_date"] = "2026-11-28, Saturday"
    assert middleware.before_agent({"messages": yesterday}, runtime) is None
    after_midnight = [*yesterday, HumanMessage("more", id="m2")]
    update = middleware.before_agent({"messages": after_midnight}, runtime)
    assert update is not None
    assert [message.id for message in update["messages"]] == ["m2", "m2__user"]


def test_hidden_messages_are_not_framed_as_user_input() -> None:
    memory = first_turn(HumanMessage("q", id="m1"))[1]
    assert outbound_messages([memory])[1:] == [memory]


# --- writes ---------------------------------------------------------------------------------

STATE = {"messages": [HumanMessage("q", id="m1")]}


def test_every_run_offers_the_conversation_for_writing() -> None:
    runtime = launch.web_run("owner", client_context={"deerflow_trace_id": "trace"})
    MemoryMiddleware("agent").after_agent(STATE, runtime)
    asyncio.run(MemoryMiddleware("agent").aafter_agent(STATE, runtime))
    expected = {
        "thread_id": "thread-1",
        "n": 1,
        "agent_name": "agent",
        "user_id": "owner",
        "trace_id": "trace",
    }
    assert [kwargs for name, kwargs in Recorder.calls if name == "add"] == [expected, expected]


def test_writing_is_skipped_without_thread_messages_or_memory() -> None:
    middleware = MemoryMiddleware()
    middleware.after_agent({"messages": []}, launch.web_run("owner"))
    middleware.after_agent(STATE, launch.web_run("owner", thread_id=""))
    set_memory_config(get_memory_config().model_copy(update={"enabled": False}))
    middleware.after_agent(STATE, launch.web_run("owner"))
    assert Recorder.calls == []


def test_a_broken_backend_fails_the_run_after_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ValueError("bad settings")

    monkeypatch.setattr(Recorder, "build", staticmethod(fail))
    with pytest.raises(ValueError, match="bad settings"):
        asyncio.run(MemoryMiddleware().aafter_agent(STATE, launch.web_run("owner")))


def test_summarization_writes_at_once() -> None:
    event = SummarizationEvent((HumanMessage("q"),), (), "t", "agent", launch.web_run("owner"))
    memory_flush_hook(event)
    memory_flush_hook(replace(event, thread_id=None))
    writes = [kwargs for name, kwargs in Recorder.calls if name == "add"]
    assert writes == [{"thread_id": "t", "n": 1, "agent_name": "agent", "user_id": "owner"}]


# --- identity -------------------------------------------------------------------------------


@dataclass(frozen=True)
class User:
    id: object = None
    identity: object = None


@dataclass(frozen=True)
class Server:
    user: object


@pytest.mark.parametrize(
    ("runtime", "user_id"),
    [
        (launch.web_run("owner", client_context={"user_id": "spoofed"}), "owner"),
        (launch.web_run("owner", client_context={"langgraph_auth_user_id": "x"}), "owner"),
        (launch.im_run_bound("owner"), "owner"),
        (launch.im_run_unbound("tg-42"), "tg-42"),
        (launch.im_run_unbound("-1001@x"), "-1001-x-b0e77363ede6e74a"),
        (launch.scheduled_run("owner"), "owner"),
        (launch.run_without_identity(), "default"),
        (Runtime({"user_id": ""}), "default"),
        (Runtime({"user_id": " owner "}), " owner "),
        (Runtime({"user_id": 42}), "42"),
        (None, "default"),
    ],
)
def test_whose_run_this_is(runtime: Runtime | None, user_id: str) -> None:
    assert resolve_runtime_user_id(runtime) == user_id


def test_client_supplied_auth_fields_do_not_survive_a_web_run() -> None:
    forged = {"langgraph_auth_user_id": "x", "is_internal": True, "channel_user_id": "x", "a": 1}
    context = launch.web_run("owner", client_context=forged).context
    assert context["is_internal"] is False
    assert context["a"] == 1
    assert not {"langgraph_auth_user_id", "channel_user_id"} & set(context)


def test_a_scheduled_run_without_owner_is_refused() -> None:
    for nobody in (None, ""):
        with pytest.raises(RuntimeError):
            launch.scheduled_run(nobody)


def test_identity_sources_in_order() -> None:
    """Each source is set while those below it still say something else."""
    token = set_current_user(User(id=7))
    config = var_child_runnable_config.set(None)
    try:
        assert resolve_runtime_user_id(Runtime()) == "7"
        runtime = Runtime({"user_id": "context"})
        assert resolve_runtime_user_id(runtime) == "context"
        by_user = {"langgraph_auth_user": {"identity": "auth-user"}}
        var_child_runnable_config.set({"configurable": by_user})
        assert resolve_runtime_user_id(runtime) == "auth-user"
        by_id = {**by_user, "langgraph_auth_user_id": "auth-id"}
        var_child_runnable_config.set({"configurable": by_id})
        assert resolve_runtime_user_id(runtime) == "auth-id"
        runtime.server_info = Server(User(identity="server"))
        assert resolve_runtime_user_id(runtime) == "server"
    finally:
        var_child_runnable_config.reset(config)
        reset_current_user(token)


# --- plugin registration --------------------------------------------------------------------

SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string", "minLength": 1}},
    "required": ["text"],
    "additionalProperties": False,
}


async def echo(payload: Mapping[str, Any], context: ToolContext) -> object:
    return {"payload": dict(payload), "user": context.principal.user_id}


def contribution(**changes: Any) -> PluginContribution:
    changed = {
        key: changes.pop(key) for key in ("name", "handler", "description") if key in changes
    }
    tool = ModelTool("remember", "Save a fact.", changes.pop("schema", SCHEMA), echo)
    base = PluginContribution("powercontext", "PowerContext", enabled=True)
    return replace(base, tools=(replace(tool, **changed),), **changes)


def register(*plugins: PluginContribution) -> LoadedExtensions:
    registry = ExtensionRegistry()
    with registry.attributed_to("test"):
        for plugin in plugins:
            assert registry.plugin(plugin) is True
    return registry.build()


class AsyncCallable:
    async def __call__(self, payload: object, context: object) -> None: ...


@pytest.mark.parametrize(
    "changes",
    [
        {"api_version": 2},
        {"namespace": "PowerContext"},
        {"namespace": "x" * 97},
        {"title": ""},
        {"name": "Remember"},
        {"name": "re-member"},
        {"description": ""},
        {"handler": AsyncCallable()},
        {"handler": lambda payload, context: echo(payload, context)},
        {"schema": {"type": "string"}},
        {"schema": {}},
        {"schema": {"type": "object", "properties": {"runtime": {}}}},
        {"schema": {"type": "object", "properties": {"config": {}}}},
        {"schema": {"type": "object", "properties": {"a": {"$ref": "#"}}}},
        {"schema": {"type": "object", "properties": {"$ref": {}}}},
        {"schema": {"type": "object", "allOf": [{"$dynamicRef": "#a"}]}},
        {"schema": {"type": "object", "properties": {"a": {"type": "nonsense"}}}},
        {"schema": {"type": "object", "default": object()}},
    ],
)
def test_what_the_registry_refuses(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        register(contribution(**changes))


def test_an_empty_or_second_contribution_is_refused() -> None:
    with pytest.raises(ValueError, match="something"):
        register(PluginContribution("a", "A"))
    with pytest.raises(ValueError, match="duplicate"):
        register(contribution(), contribution())
    twice = contribution()
    with pytest.raises(ValueError, match="unique"):
        register(replace(twice, tools=twice.tools * 2))


def test_a_partial_of_an_async_function_is_accepted() -> None:
    assert register(contribution(handler=functools.partial(echo))).plugins


def test_older_registries() -> None:
    assert not hasattr(RegistryWithoutPlugin(), "plugin")
    assert RegistryRefusingPlugins().plugin(contribution()) is False


class Service:
    """Notes what the host does with it, and fails at it if told so."""

    def __init__(self, name: str, fails: bool = False) -> None:
        self.name, self.fails = name, fails

    async def start(self, deps: object) -> None:
        self._note("start")

    async def stop(self) -> None:
        self._note("stop")

    def _note(self, step: str) -> None:
        SEEN.append((step, self.name))
        if self.fails:
            raise RuntimeError("shown to the operator")


SEEN: list[tuple[str, str]] = []


def test_services_start_in_order_and_stop_in_reverse_and_a_failure_holds_up_nobody() -> None:
    async def life(loaded: LoadedExtensions) -> None:
        await start_services(loaded)
        await stop_services(loaded)

    registry = ExtensionRegistry()
    with registry.attributed_to("test"):
        for service in (Service("a", fails=True), Service("b")):
            registry.service(service)
    SEEN.clear()
    asyncio.run(life(registry.build()))
    assert SEEN == [("start", "a"), ("start", "b"), ("stop", "b"), ("stop", "a")]


def test_a_service_that_does_not_stop_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stuck(Service):
        async def stop(self) -> None:
            await asyncio.Event().wait()

    monkeypatch.setattr(gateway, "STOP_TIMEOUT_SECONDS", 0.05)
    registry = ExtensionRegistry()
    with registry.attributed_to("test"):
        registry.service(Stuck("stuck"))
    asyncio.run(stop_services(registry.build()))


def test_a_service_is_registered_only_while_an_extension_installs_and_may_be_dropped() -> None:
    with pytest.raises(RuntimeError, match="while an extension installs"):
        ExtensionRegistry().service(Service("a"))
    registry = RegistryDroppingServices()
    registry.service(Service("a"))
    assert registry.build().services == ()


def test_contracts_are_frozen_and_keep_their_positional_order() -> None:
    context = ToolContext(ExtensionPrincipal("u"), {"enabled": True}, "t")
    assert (context.principal.user_id, context.thread_id) == ("u", "t")
    assert (context.principal.is_admin, context.principal.is_internal) == (False, False)
    with pytest.raises(FrozenInstanceError):
        context.thread_id = "other"  # type: ignore[misc]
    assert PluginContribution("a", "A").enabled is False
    assert ModelTool("a", "A", {}, echo).group == "extensions"
    assert API_VERSION == "0.2.3"


# --- loading --------------------------------------------------------------------------------


def install_and_fail(registry: ExtensionRegistry, config: dict[str, Any]) -> None:
    registry.plugin(contribution())
    registry.service(Service("never"))
    raise RuntimeError("shown to the operator")


@extension(api="0.2.2", name="powercontext")
def install_well(registry: ExtensionRegistry, config: dict[str, Any]) -> None:
    registry.plugin(contribution(title=config.pop("title", "PowerContext")))


def test_a_failing_install_is_rolled_back_and_its_text_is_a_diagnostic() -> None:
    failing = ExtensionSpec(use=f"{HERE}:install_and_fail")
    loaded, (diagnostic,) = load_extensions([failing, ExtensionSpec(use=f"{HERE}:install_well")])
    assert [source for source, _ in loaded.plugins] == [f"{HERE}:install_well"]
    assert loaded.services == ()
    assert diagnostic.level == "error"
    assert diagnostic.message == "install() failed: shown to the operator"
    with pytest.raises(ExtensionLoadError):
        load_extensions([failing.model_copy(update={"required": True})])


def test_install_gets_a_copy_of_its_config_and_disabled_means_not_imported() -> None:
    spec = ExtensionSpec(use=f"{HERE}:install_well", config={"title": "Mine"})
    off = ExtensionSpec(use="no.such.module:install", enabled=False)
    loaded, diagnostics = load_extensions([off, spec])
    assert [plugin.title for _, plugin in loaded.plugins] == ["Mine"]
    assert (spec.config, diagnostics) == ({"title": "Mine"}, [])


@pytest.mark.parametrize(
    ("host", "loads"),
    [("0.2.1", False), ("0.2.2", True), ("0.2.10", True), ("0.3.0", False), ("1.2.2", False)],
)
def test_which_hosts_take_an_extension_written_for_0_2_2(host: str, loads: bool) -> None:
    spec = ExtensionSpec(use=f"{HERE}:install_well")
    loaded, diagnostics = load_extensions([spec], api_version=host)
    assert bool(loaded.plugins) is loads
    assert bool(diagnostics) is not loads


@pytest.mark.parametrize("use", ["no.such.module:install", f"{HERE}:missing", f"{HERE}:HERE", "x"])
def test_an_entry_point_that_does_not_resolve_is_a_diagnostic(use: str) -> None:
    loaded, diagnostics = load_extensions([ExtensionSpec(use=use)])
    assert loaded.plugins == ()
    assert [d.message.startswith("install() failed") for d in diagnostics] == [False]


def test_an_unknown_key_of_a_plugins_entry_is_an_error() -> None:
    with pytest.raises(ValidationError):
        ExtensionSpec.model_validate({"use": "a:b", "unknown": 1})


# --- calling a tool -------------------------------------------------------------------------


def call(handler: Any = echo, args: Mapping[str, object] | None = None) -> ToolMessage:
    (tool,) = build_plugin_tools(register(contribution(handler=handler)))
    runtime = launch.web_run("owner", thread_id="thread-9")
    return asyncio.run(call_tool(tool, {"text": "x"} if args is None else args, runtime))


def test_the_name_the_model_sees() -> None:
    (tool,) = build_plugin_tools(register(contribution()))
    assert tool.name == "ext_powercontext_remember_6d79c933d297"


def test_tools_of_a_disabled_plugin_or_another_group_are_absent() -> None:
    assert build_plugin_tools(register(contribution(enabled=False))) == []
    assert build_plugin_tools(register(contribution()), groups=["web"]) == []
    assert len(build_plugin_tools(register(contribution()), groups=["extensions"])) == 1


def test_a_result_is_json_in_a_successful_message() -> None:
    message = call(args={"text": "记住"})
    assert (message.status, message.tool_call_id) == ("success", "call-1")
    assert message.name == "ext_powercontext_remember_6d79c933d297"
    assert message.content == '{"payload": {"text": "记住"}, "user": "owner"}'


def test_what_a_handler_is_given() -> None:
    seen: list[Any] = []

    async def handler(payload: Mapping[str, Any], context: ToolContext) -> str:
        seen.append((payload, context))
        return "quoted"

    assert call(handler).content == '"quoted"'
    ((payload, context),) = seen
    with pytest.raises(TypeError):
        payload["text"] = "changed"
    assert context == ToolContext(ExtensionPrincipal("owner"), {"enabled": True}, "thread-9")


@pytest.mark.parametrize(
    "args", [{}, {"text": ""}, {"text": 1}, {"text": "x", "more": 1}, {"text": "x" * 262_144}]
)
def test_bad_input_never_reaches_the_handler(args: dict[str, object]) -> None:
    message = call(args=args)
    assert (message.status, message.content) == ("error", "Invalid plugin tool input.")


def test_input_bytes_are_counted_after_ascii_escaping() -> None:
    refused = call(lambda_result("ok"), {"text": "记" * 44_000})  # 132 kB as UTF-8, 264 kB escaped
    assert refused.content == "Invalid plugin tool input."
    assert call(lambda_result("ok"), {"text": "x" * 200_000}).status == "success"


def lambda_result(result: object) -> Any:
    async def handler(payload: object, context: object) -> object:
        return result

    return handler


def lambda_raise(error: BaseException) -> Any:
    async def handler(payload: object, context: object) -> object:
        raise error

    return handler


@pytest.mark.parametrize("result", [object(), float("nan"), b"bytes"])
def test_a_result_that_is_not_json_is_masked(result: object) -> None:
    assert call(lambda_result(result)).content == MASKED


def test_exceptions_are_masked_and_logged_by_type_only(caplog: pytest.LogCaptureFixture) -> None:
    message = call(lambda_raise(ValueError("secret")))
    assert (message.status, message.content) == (
        "error",
        "Plugin tool unavailable or input rejected.",
    )
    assert "ValueError" in caplog.text
    assert "secret" not in caplog.text


def test_a_tool_exception_reaches_the_model_word_for_word() -> None:
    message = call(lambda_raise(ToolException("rejected: text_too_long")))
    assert (message.status, message.content) == ("error", "rejected: text_too_long")


def test_cancellation_is_not_masked() -> None:
    with pytest.raises(asyncio.CancelledError):
        call(lambda_raise(asyncio.CancelledError()))


def test_the_hosts_timeout_is_masked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert plugin_tools.TOOL_TIMEOUT_SECONDS == 30.0
    monkeypatch.setattr(plugin_tools, "TOOL_TIMEOUT_SECONDS", 0.01)

    async def never(payload: object, context: object) -> None:
        await asyncio.Event().wait()

    assert call(never).content == MASKED


def test_results_are_capped_in_utf8_bytes() -> None:
    fits = "x" * (64 * 1024 - 2)
    assert json.loads(call(lambda_result(fits)).text) == fits
    for too_long in (fits + "x", "记" * 22_000):
        message = call(lambda_result(too_long))
        assert (message.status, message.content) == ("error", "Plugin result exceeds 64 KiB.")


def test_a_call_without_identity_is_the_default_user() -> None:
    (tool,) = build_plugin_tools(register(contribution()))
    message = asyncio.run(call_tool(tool, {"text": "x"}, launch.run_without_identity()))
    assert json.loads(message.text)["user"] == "default"


def test_the_model_cannot_supply_the_runtime() -> None:
    forged = {"text": "x", "runtime": launch.web_run("someone-else")}
    assert json.loads(call(args=forged).text)["user"] == "owner"
