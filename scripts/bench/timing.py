# SPDX-License-Identifier: Apache-2.0
"""How `make bench` takes time: interleaved rounds, ratios of one round only, medians with their spread.

Absolute times drift from run to run, so a figure is always a ratio of two callers that took turns.
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    ExitStack,
)
from dataclasses import dataclass
from typing import Protocol

Call = Callable[[], object]
AsyncCall = Callable[[], Awaitable[object]]
Rounds = dict[str, list[list[float]]]
"""Seconds of every call, by caller and round."""


@dataclass(frozen=True)
class Spread:
    """A median, and the quartiles around it."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        if self.low == self.median == self.high:
            return digits(self.median)
        return f"{digits(self.median)} ({digits(self.low)}–{digits(self.high)})"


def expect(holds: object) -> None:
    """A caller that fails is not fast."""
    if not holds:
        raise RuntimeError("somebody in the benchmark did not do their work")


def digits(value: float) -> str:
    """Two figures that mean something."""
    return (
        f"{value:.3f}"
        if abs(value) < 0.1
        else f"{value:.2f}"
        if abs(value) < 10
        else f"{value:.0f}"
    )


def spread(values: Iterable[float]) -> Spread:
    ordered = sorted(values)
    if len(ordered) == 1:
        return Spread(ordered[0], ordered[0], ordered[0])
    low, median, high = statistics.quantiles(ordered, n=4, method="inclusive")
    return Spread(median, low, high)


def p95(values: Iterable[float]) -> float:
    return statistics.quantiles(values, n=20, method="inclusive")[-1]


def p99(values: Iterable[float]) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[-1]


def ratio(values: Sequence[float], bases: Sequence[float]) -> Spread:
    """Of what was measured in the same round."""
    return spread(value / base for value, base in zip(values, bases, strict=True))


def p50_ratio(rounds: Rounds, name: str, base: str) -> Spread:
    medians = {each: [statistics.median(one) for one in rounds[each]] for each in (name, base)}
    return ratio(medians[name], medians[base])


def p95_ratio(rounds: Rounds, name: str, base: str) -> float:
    return p95(itertools.chain(*rounds[name])) / p95(itertools.chain(*rounds[base]))


@dataclass(frozen=True)
class Storm:
    """Many callers at once."""

    seconds: float
    latencies: list[float]

    @property
    def per_second(self) -> float:
        return len(self.latencies) / self.seconds


class Caller(Protocol):
    """One of those compared, ready to be called."""

    name: str
    costly: bool
    """So slow that a twelfth of the calls will do."""

    def sample(self, calls: int) -> list[float]: ...

    def storm(self, callers: int, each: int) -> Storm: ...

    def close(self) -> None: ...


class Blocking:
    """Called from threads. ``opened`` gives what one thread calls: shared by all, or a connection of its own."""

    def __init__(
        self, name: str, opened: Callable[[], AbstractContextManager[Call]], costly: bool = False
    ) -> None:
        self.name, self.costly = name, costly
        self._opened = opened
        self._stack = ExitStack()
        self._call = self._stack.enter_context(opened())

    def sample(self, calls: int) -> list[float]:
        return [_timed(self._call) for _ in range(calls)]

    def storm(self, callers: int, each: int) -> Storm:
        """Every thread has made one call before the clock starts."""
        ready = threading.Barrier(callers + 1)

        def one(_: int) -> list[float]:
            with self._opened() as call:
                call()
                ready.wait()
                return [_timed(call) for _ in range(each)]

        with ThreadPoolExecutor(callers) as threads:
            running = [threads.submit(one, number) for number in range(callers)]
            ready.wait()
            started = time.perf_counter()
            latencies = [second for future in running for second in future.result()]
            return Storm(time.perf_counter() - started, latencies)

    def close(self) -> None:
        self._stack.close()


class OnLoop:
    """Awaited on an event loop of its own."""

    def __init__(
        self, name: str, opened: Callable[[], AbstractAsyncContextManager[AsyncCall]]
    ) -> None:
        self.name, self.costly = name, False
        self._loop = asyncio.new_event_loop()
        self._stack = AsyncExitStack()
        self._call = self._loop.run_until_complete(self._stack.enter_async_context(opened()))

    def sample(self, calls: int) -> list[float]:
        return self._loop.run_until_complete(self._several(calls))

    async def _several(self, calls: int) -> list[float]:
        return [await self._timed() for _ in range(calls)]

    async def _timed(self) -> float:
        started = time.perf_counter()
        await self._call()
        return time.perf_counter() - started

    def storm(self, callers: int, each: int) -> Storm:
        return self._loop.run_until_complete(self._storm(callers, each))

    async def _storm(self, callers: int, each: int) -> Storm:
        await asyncio.gather(*(self._several(1) for _ in range(callers)))
        started = time.perf_counter()
        rounds = await asyncio.gather(*(self._several(each) for _ in range(callers)))
        return Storm(time.perf_counter() - started, list(itertools.chain(*rounds)))

    def close(self) -> None:
        self._loop.run_until_complete(self._stack.aclose())
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()


def _timed(call: Call) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def sequential(
    callers: Sequence[Caller], rounds: int, calls: int, tick: Callable[[], object]
) -> Rounds:
    """Everyone makes ``calls`` calls in each round, and another one begins each time. A first round is not counted."""
    taken: Rounds = {caller.name: [] for caller in callers}
    for number in range(-1, rounds):
        for caller in _turned(callers, number):
            seconds = caller.sample(max(1, calls // 12) if caller.costly else calls)
            if number >= 0:
                taken[caller.name].append(seconds)
        tick()
    return taken


def storms(
    callers: Sequence[Caller], at_once: int, each: int, rounds: int, tick: Callable[[], object]
) -> dict[str, list[Storm]]:
    """As ``sequential``, with ``at_once`` threads or tasks that make ``each`` calls."""
    taken: dict[str, list[Storm]] = {caller.name: [] for caller in callers}
    for number in range(rounds):
        for caller in _turned(callers, number):
            taken[caller.name].append(caller.storm(at_once, each))
        tick()
    return taken


def throughput_ratio(taken: dict[str, list[Storm]], name: str, base: str) -> Spread:
    return ratio(*([storm.per_second for storm in taken[each]] for each in (name, base)))


def p99_ms(taken: Sequence[Storm]) -> float:
    return p99(itertools.chain(*(storm.latencies for storm in taken))) * 1000


def _turned(callers: Sequence[Caller], number: int) -> list[Caller]:
    start = number % len(callers)
    return [*callers[start:], *callers[:start]]
