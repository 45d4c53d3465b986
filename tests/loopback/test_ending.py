# SPDX-License-Identifier: Apache-2.0
"""The service that ends the saves, and what is reported of a save whose tool call the host has cancelled."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from deerflow.extensions.gateway import start_services, stop_services
from deerflow.extensions.registry import (
    ExtensionRegistry,
    LoadedExtensions,
    RegistryDroppingServices,
)

from powercontext_deerflow import Saved, SaveNotSent, SaveOutcome, SaveUnknown
from powercontext_deerflow.host import events, runtime
from powercontext_deerflow.host.runtime import Runtime
from powercontext_deerflow.host.tools import Ending, install
from powercontext_deerflow.memory import PowerContextMemoryManager
from powercontext_deerflow.transport import threads
from tests.loopback.hostile.world import TurningServer, healthy, held, only
from tests.support.answers import REMEMBER, TEXT
from tests.support.bound import OWNER, bind
from tests.support.servers.hostile import answer, silent
from tests.support.servers.loopback import Behaviour


@pytest.fixture
def release() -> threading.Event:
    return threading.Event()


@pytest.fixture
def server(no_leaks: None, release: threading.Event) -> Iterator[TurningServer]:
    """Healthy, but a save is answered only once `release` is set."""
    with TurningServer(only(REMEMBER, held(healthy, release))) as server:
        yield server


@pytest.fixture
def bound(server: TurningServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runtime]:
    """The runtime of this process, as the Gateway's environment has it; ended as if nobody else did."""
    bind(monkeypatch, server.base_url, remember_timeout_seconds="20")
    runtime.forget()
    yield runtime.current()
    runtime.current().close(0)
    runtime.forget()


def installed(registry: ExtensionRegistry) -> LoadedExtensions:
    with registry.attributed_to("powercontext_deerflow:install"):
        install(registry, {})
    return registry.build()


def manager() -> PowerContextMemoryManager:
    return PowerContextMemoryManager.from_config({})


def saves(bound: Runtime) -> dict[str, int]:
    """How often each outcome of a save was reported."""
    return {code: n for (name, code), n in bound.events.counts.items() if name == "remember"}


async def under_way(bound: Runtime, server: TurningServer) -> asyncio.Task[SaveOutcome]:
    """A tool's call whose save has arrived at the server."""
    call = asyncio.create_task(bound.remember(OWNER, TEXT, "fact"))
    await asyncio.to_thread(server.wait_for_request, REMEMBER)
    return call


# --- what is reported of a cancelled call


def _cancelled(bound: Runtime, server: TurningServer) -> None:
    async def scenario() -> None:
        call = await under_way(bound, server)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert saves(bound) == {}

    asyncio.run(scenario())


def _timed_out(bound: Runtime, server: TurningServer) -> None:
    """As the host does it after thirty seconds, or when a user stops the run."""

    async def scenario() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await bound.remember(OWNER, TEXT, "fact")
        await asyncio.to_thread(server.wait_for_request, REMEMBER)

    asyncio.run(scenario())


def _left_by_its_loop(bound: Runtime, server: TurningServer) -> None:
    """A loop of a tool's own thread, which ends with the call still open."""

    async def scenario() -> None:
        await under_way(bound, server)

    thread = threading.Thread(target=lambda: asyncio.run(scenario()))
    thread.start()
    thread.join()


WAYS: dict[str, Callable[[Runtime, TurningServer], None]] = {
    "cancelled": _cancelled,
    "timed_out": _timed_out,
    "left_by_its_loop": _left_by_its_loop,
}
ENDS: dict[str, Behaviour] = {
    "saved": healthy,
    "http_503": answer(503, "<html>"),
    "malformed": answer(200, "not JSON"),
}


@pytest.mark.parametrize("code", ENDS)
@pytest.mark.parametrize("way", WAYS)
def test_a_save_whose_call_was_cancelled_is_reported_once(
    way: str, code: str, bound: Runtime, server: TurningServer, release: threading.Event
) -> None:
    server.turn(only(REMEMBER, held(ENDS[code], release)))
    WAYS[way](bound, server)
    release.set()
    assert bound.client.flush(10)
    assert saves(bound) == {code: 1}
    assert server.count(REMEMBER) == 1


def test_each_of_two_equal_calls_is_reported_though_one_is_cancelled(
    bound: Runtime, server: TurningServer, release: threading.Event
) -> None:
    async def scenario() -> None:
        first = await under_way(bound, server)
        second = asyncio.create_task(bound.remember(OWNER, TEXT, "fact"))
        await asyncio.sleep(0)  # it joins the first one before it waits for anything
        first.cancel()
        release.set()
        await second

    asyncio.run(scenario())
    assert bound.client.flush(10)
    assert saves(bound) == {"saved": 2}
    assert server.count(REMEMBER) == 1


def test_a_call_that_is_not_cancelled_is_reported_once_before_it_returns(
    bound: Runtime, release: threading.Event
) -> None:
    release.set()
    asyncio.run(bound.remember(OWNER, TEXT, "fact"))
    assert saves(bound) == {"saved": 1}


# --- the service


def test_the_service_is_registered_with_the_tool(bound: Runtime) -> None:
    loaded = installed(ExtensionRegistry())
    ((source, service),) = loaded.services
    assert (source, type(service)) == ("powercontext_deerflow:install", Ending)


def test_stop_waits_for_a_save_and_then_refuses(
    bound: Runtime, server: TurningServer, release: threading.Event
) -> None:
    """The loop goes on meanwhile: it is what lets the answer come."""

    async def scenario() -> SaveOutcome:
        loaded = installed(ExtensionRegistry())
        await start_services(loaded)
        call = await under_way(bound, server)
        call.cancel()
        stopping = asyncio.create_task(stop_services(loaded))
        await asyncio.sleep(0.05)
        assert not stopping.done()
        release.set()
        await stopping
        assert saves(bound) == {"saved": 1}
        await stop_services(loaded)  # a second time is no harm
        return await bound.remember(OWNER, "another", "fact")

    assert asyncio.run(scenario()) == SaveNotSent("closed")
    assert server.count(REMEMBER) == 1


def _full(loop: asyncio.AbstractEventLoop) -> Callable[[], None]:
    """Every thread of the loop's executor is taken, and more wait."""
    end = threading.Event()
    executor = ThreadPoolExecutor(2)
    loop.set_default_executor(executor)
    for _ in range(8):
        loop.run_in_executor(None, end.wait)
    return end.set


def _shut(loop: asyncio.AbstractEventLoop) -> Callable[[], None]:
    executor = ThreadPoolExecutor(1)
    loop.set_default_executor(executor)
    executor.shutdown()
    return lambda: None


@pytest.mark.parametrize("executor", [_full, _shut], ids=["full", "shut_down"])
def test_stop_needs_no_thread_of_the_loops_executor(
    executor: Callable[[asyncio.AbstractEventLoop], Callable[[], None]],
    bound: Runtime,
    server: TurningServer,
    release: threading.Event,
) -> None:
    async def scenario() -> float:
        loaded = installed(ExtensionRegistry())
        await start_services(loaded)
        (await under_way(bound, server)).cancel()
        undo = executor(asyncio.get_running_loop())
        release.set()
        started = time.monotonic()
        try:
            await stop_services(loaded)
            return time.monotonic() - started
        finally:
            undo()

    assert asyncio.run(scenario()) < 5, "the save had ended, and nothing else was to be waited for"
    assert saves(bound) == {"saved": 1}


def test_stop_without_a_thread_to_be_had_still_waits_for_the_save(
    bound: Runtime,
    server: TurningServer,
    release: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    async def scenario() -> None:
        (await under_way(bound, server)).cancel()
        monkeypatch.setattr(threads, "start_new_thread", refused)
        stopping = asyncio.create_task(Ending().stop())
        await asyncio.sleep(0.05)
        release.set()
        await stopping

    asyncio.run(scenario())
    assert saves(bound) == {"saved": 1}
    assert asyncio.run(bound.remember(OWNER, "another", "fact")) == SaveNotSent("closed")


def test_what_does_not_end_is_cut_off_and_reported(
    bound: Runtime, server: TurningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two at once: the second only queued behind the first, so it is known not to be sent. Also where it is reported
    to takes its time."""
    monkeypatch.setattr(events, "observe", lambda *_, **__: threading.Event().wait(0.2))
    server.turn(only(REMEMBER, silent()))

    async def scenario() -> list[SaveOutcome]:
        first = await under_way(bound, server)
        second = asyncio.create_task(bound.remember(OWNER, "another", "fact"))
        await asyncio.sleep(0.05)
        started = time.monotonic()
        await bound.aclose(0.3)
        assert time.monotonic() - started < 5
        assert sum(saves(bound).values()) == 2, "reported by now, for the process ends now"
        return [await first, await second]

    cut, queued = asyncio.run(scenario())
    assert isinstance(cut, SaveUnknown)
    assert queued == SaveNotSent("closed")
    assert saves(bound) == {cut.code: 1, "closed": 1} if cut.code != "closed" else {"closed": 2}
    assert server.count(REMEMBER) == 1


# --- and the manager's own end


def test_the_managers_close_leaves_the_client_to_a_service_that_runs(
    bound: Runtime, release: threading.Event
) -> None:
    release.set()

    async def scenario() -> None:
        loaded = installed(ExtensionRegistry())
        await start_services(loaded)
        manager().close()
        assert isinstance(await bound.remember(OWNER, TEXT, "fact"), Saved)
        await stop_services(loaded)
        assert await bound.remember(OWNER, TEXT, "fact") == SaveNotSent("closed")
        assert manager().get_context(OWNER, query="q") == ""

    asyncio.run(scenario())


@pytest.mark.parametrize("registry", [ExtensionRegistry, RegistryDroppingServices, None])
def test_the_managers_close_closes_where_no_service_was_started(
    registry: Callable[[], ExtensionRegistry] | None, bound: Runtime, release: threading.Event
) -> None:
    """Without the plugin, with a host that drops services, or one that never came to start them."""
    release.set()
    if registry is not None:
        loaded = installed(registry())
        assert len(loaded.services) == (registry is ExtensionRegistry)
        if registry is RegistryDroppingServices:
            asyncio.run(start_services(loaded))
    manager().close()
    assert asyncio.run(bound.remember(OWNER, TEXT, "fact")) == SaveNotSent("closed")


def test_the_managers_flush_waits_for_the_report(
    bound: Runtime, server: TurningServer, release: threading.Event
) -> None:
    async def scenario() -> None:
        (await under_way(bound, server)).cancel()
        assert not await asyncio.to_thread(manager().shutdown_flush, 0.05)
        release.set()
        assert await asyncio.to_thread(manager().shutdown_flush, 10.0)
        assert saves(bound) == {"saved": 1}

    asyncio.run(scenario())


def test_many_calls_at_once_are_each_reported(bound: Runtime, release: threading.Event) -> None:
    """More than there are threads for: all are saved or known not to be, none is lost."""
    release.set()

    async def scenario() -> list[SaveOutcome]:
        calls = [bound.remember(OWNER, f"text {number}", "fact") for number in range(80)]
        return await asyncio.gather(*calls)

    outcomes = asyncio.run(scenario())
    assert len(outcomes) == sum(saves(bound).values()) == 80


def test_no_thread_is_an_outcome_that_is_reported(
    bound: Runtime, server: TurningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threads, "start_new_thread", refused)
        assert asyncio.run(bound.remember(OWNER, TEXT, "fact")) == SaveNotSent("no_thread")
    assert saves(bound) == {"no_thread": 1}
    assert server.requests == []
