# SPDX-License-Identifier: Apache-2.0
"""`make bench` in bad times: overshoot in each hostile case, what is left, missed deadlines, a busy thread.

The hostile servers are a process of their own (`python -m scripts.bench.faults`), so that their threads do not hold up
the callers; only names and the black hole are faked in this one.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpcore

from powercontext_deerflow import PowerContext, Recalled, RecallFailed
from scripts.bench.callers import QUERY, settings
from scripts.bench.contender_ours import httpcore_pool
from scripts.bench.page import Table
from scripts.bench.run import Run
from scripts.bench.stub import module_process
from scripts.bench.timing import Call, expect, p99, spread
from tests.support.servers import hostile, network
from tests.support.servers.hostile import HostileServer
from tests.support.servers.loopback import Bare, Behaviour

CALLERS = 32
DEADLINE = 0.1  # seconds
_ROUNDS = 10  # 320 calls, so that p99 is not one of the two worst
_HTTP: dict[str, Behaviour | Bare] = {
    "silent": hostile.silent(),
    "slow reader": hostile.slow_reader(),
    "header drip": hostile.header_drip(),
    "body drip": hostile.body_drip(),
    "503 body drip": hostile.error_body_drip(503),
    "1xx flood": hostile.flood_1xx(),
    "chunk size drip": hostile.chunk_size_drip(),
    "trailer drip": hostile.trailer_drip(),
}
_TLS: dict[str, Behaviour | Bare] = {
    "TLS stall": network.tls_stall(),
    "TLS drip": network.tls_drip(),
}
CASES = (*_HTTP, *_TLS, "black-holed connect", "DNS stall")
_STALLS = ("silent", "body drip", "TLS stall", "TLS drip")

Opened = Callable[..., AbstractContextManager[Call]]


@dataclass(frozen=True)
class Overshoot:
    """Milliseconds that calls ended after their deadline."""

    p50: float
    p99: float
    worst: float

    def __str__(self) -> str:
        return f"{self.p50:.1f} / {self.p99:.1f} / {self.worst:.1f}"


@contextmanager
def hostile_urls() -> Iterator[dict[str, str]]:
    """The base URL of each case."""
    with ExitStack() as stack:
        urls: dict[str, str] = stack.enter_context(module_process("scripts.bench.faults"))
        host, port = stack.enter_context(network.black_hole())
        urls["black-holed connect"] = f"http://{host}:{port}"
        urls["DNS stall"] = "http://localhost:9"
        yield urls


def overshoots(
    urls: dict[str, str], opened: Opened, rounds: int, tick: Callable[[], object]
) -> dict[str, Overshoot]:
    """By case, of ``rounds`` times 32 calls at once."""
    found = {}
    for case in CASES:
        late: list[float] = []
        with ExitStack() as stack:
            if case == "DNS stall":
                stack.enter_context(network.hanging_dns("localhost"))
            call = stack.enter_context(opened(urls[case], recall_timeout_seconds=DEADLINE))
            for _ in range(rounds):
                late += [max(0.0, taken - DEADLINE) * 1000 for taken in _at_once(call)]
        found[case] = Overshoot(statistics.median(late), p99(late), max(late))
        tick()
    return found


def _at_once(call: Call) -> list[float]:
    ready = threading.Barrier(CALLERS)

    def one(_: int) -> float:
        ready.wait()
        started = time.perf_counter()
        call()
        return time.perf_counter() - started

    with ThreadPoolExecutor(CALLERS) as threads:
        return list(threads.map(one, range(CALLERS)))


@contextmanager
def ours_failing(base_url: str, **given: Any) -> Iterator[Call]:
    with PowerContext(settings(base_url, **given)) as client:

        def call() -> None:
            expect(isinstance(client.recall(QUERY), RecallFailed))

        yield call


@contextmanager
def httpcore_failing(base_url: str, **given: Any) -> Iterator[Call]:
    with httpcore_pool(base_url, **given) as recall:

        def call() -> None:
            with suppress(httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError):
                recall()

        yield call


def left_after_stalls(urls: dict[str, str], opened: Opened) -> int:
    """Sockets and threads more than before, after 128 calls that stalled; the client is not closed, gc is off."""
    gc.collect()
    gc.disable()
    try:
        with ExitStack() as stack:
            before = _sockets() + threading.active_count()
            for case in _STALLS:
                call = stack.enter_context(opened(urls[case], recall_timeout_seconds=DEADLINE))
                _at_once(call)
            return _sockets() + threading.active_count() - before
    finally:
        gc.enable()


def _sockets() -> int:
    found = 0
    for fd in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found += os.readlink(fd).startswith("socket:")
    return found


def missed_deadlines(base_url: str) -> int:
    """Of 2,048 recalls by 64 threads with two seconds each, on a healthy server."""

    def is_missed(_: int) -> bool:
        started = time.perf_counter()
        recalled = isinstance(client.recall(QUERY), Recalled)
        return not recalled or time.perf_counter() - started > 2.0

    with PowerContext(settings(base_url)) as client, ThreadPoolExecutor(64) as threads:
        return sum(threads.map(is_missed, range(2048)))


@contextmanager
def cpu_hog() -> Iterator[None]:
    """One thread that computes and never waits, as a host's own work does."""
    done = False

    def compute() -> None:
        while not done:
            sum(range(1000))

    thread = threading.Thread(target=compute)
    thread.start()
    try:
        yield
    finally:
        done = True
        thread.join()


def faults(run: Run) -> None:
    engines: dict[str, Opened] = {"ours": ours_failing}
    if not run.quick:
        engines["httpcore pool (not kept)"] = httpcore_failing
    with (
        run.phase("hostile servers", len(engines) * len(CASES) + 1) as tick,
        hostile_urls() as urls,
    ):
        # A collection of all that the other contenders have loaded takes 130 ms, and would end up in some call of ours.
        gc.collect()
        gc.freeze()
        found = {name: overshoots(urls, opened, _ROUNDS, tick) for name, opened in engines.items()}
        gc.unfreeze()
        left = left_after_stalls(urls, ours_failing)
    run.measured |= {
        "overshoot_p99_ms": spread([max(case.p99 for case in found["ours"].values())]),
        "overshoot_max_ms": spread([max(case.worst for case in found["ours"].values())]),
        "left_after_stalls": spread([left]),
    }
    rows = [[case, *(str(found[name][case]) for name in engines)] for case in CASES]
    note = (
        f"Milliseconds after a deadline of {DEADLINE} s, 32 callers at once: p50 / p99 / the worst."
    )
    run.tables.append(Table("Overshoot", note, ["hostile case", *engines], rows))


def main() -> None:
    with ExitStack() as stack:
        urls = {}
        for schema, cases in (("http", _HTTP), ("https", _TLS)):
            for name, behaviour in cases.items():
                server = stack.enter_context(HostileServer(behaviour))
                urls[name] = f"{schema}://{server.host}:{server.port}"
        print(json.dumps(urls), flush=True)
        sys.stdin.read()  # until the benchmark closes it


if __name__ == "__main__":
    main()
