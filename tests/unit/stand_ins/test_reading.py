# SPDX-License-Identifier: Apache-2.0
"""The stand-ins of the middlewares: when the host recalls, what the model reads, and what is offered for writing."""

from __future__ import annotations

import asyncio
import functools
import threading
from dataclasses import replace
from typing import Any

import pytest
from deerflow.agents.lead_agent.prompt import _get_memory_context
from deerflow.agents.memory.manager import (
    MemoryManagerError,
    MemoryReadError,
    context_query_kwargs,
    memory_read_failures_are_fatal,
)
from deerflow.agents.memory.summarization_hook import SummarizationEvent, memory_flush_hook
from deerflow.agents.middlewares import dynamic_context_middleware as dynamic
from deerflow.agents.middlewares.dynamic_context_middleware import (
    DynamicContextMiddleware,
    DynamicContextMiddlewareBeforeQuery,
)
from deerflow.agents.middlewares.memory_middleware import MemoryMiddleware
from deerflow.agents.middlewares.outbound import Conversation, outbound_messages
from deerflow.config.memory_config import get_memory_config, set_memory_config
from deerflow.runtime import launch
from deerflow.runtime.user_context import Runtime
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from tests.support.cases import each_case
from tests.unit.stand_ins.backend import RECORDER, TODAY, Recorder, answer, queries

# --- the read caller


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
    here = RECORDER
    assert memory_read_failures_are_fatal(here, {"max_facts": 1}, resolved_only=True) is False
    strict = {"failure_policy": {"read": "fail_closed"}}
    assert memory_read_failures_are_fatal(here, strict) is True
    assert memory_read_failures_are_fatal("not.loaded:Cls", {}, resolved_only=True) is None
    assert memory_read_failures_are_fatal("not.loaded:Cls", {}) is True
    assert Recorder.calls == []


# --- injection


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


@each_case(
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
    Recorder.calls.clear()
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


def test_regenerating_or_editing_the_first_turn_recalls_anew() -> None:
    conversation, runtime = Conversation(), launch.web_run("owner")

    async def turns() -> list[list[BaseMessage]]:
        first = await conversation.turn("hello </memory>", runtime)
        again = await conversation.regenerate(runtime)
        return [first, again, await conversation.edit("bye", runtime)]

    first, again, edited = asyncio.run(turns())
    assert queries() == ["hello </memory>", "hello </memory>", "bye"]
    assert isinstance(first[-1].content, str)
    framed = "--- BEGIN USER INPUT ---\nhello &lt;/memory&gt;\n--- END USER INPUT ---"
    assert again[-1].content == [{"type": "text", "text": framed}]
    assert again[-1].id == first[-1].id
    assert edited[-1].id != first[-1].id
    assert [message.type for message in edited] == ["system", "human", "human"]
    twin = conversation.branch()
    assert [m.id for m in twin.messages] == [m.id for m in conversation.messages]


def test_regenerating_a_later_turn_recalls_nothing() -> None:
    conversation, runtime = Conversation(), launch.web_run("owner")

    async def turns() -> list[BaseMessage]:
        await conversation.turn("first", runtime)
        await conversation.turn("second", runtime)
        return await conversation.regenerate(runtime)

    read = asyncio.run(turns())
    assert [message.text for message in read[1:3]] == ["<memory>\nfact one\n</memory>", "first"]
    assert len(read) == 4
    assert queries() == ["first"]


def test_hidden_messages_are_not_framed_as_user_input() -> None:
    memory = first_turn(HumanMessage("q", id="m1"))[1]
    assert outbound_messages([memory])[1:] == [memory]


# --- writes


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
