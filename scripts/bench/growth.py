# SPDX-License-Identifier: Apache-2.0
"""How cost grows, for `make bench`: memories in the Scope and a save on a real server, conversations in one process."""

from __future__ import annotations

import itertools
import json
import os
import secrets
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx

from powercontext_deerflow import PowerContext, Recalled, Saved, Secret, Settings
from powercontext_deerflow.api import wire
from scripts.bench.callers import OWNER, headers
from scripts.bench.contender_ours import gateway
from scripts.bench.page import Table
from scripts.bench.run import Run
from scripts.bench.stub import module_process
from scripts.bench.timing import Spread, digits, expect, spread
from tests.real.recall_quality import dataset
from tests.support.servers.real import PowerContextServer

_CONVERSATIONS = (1, 10, 100, 1000, 10_000)
_MEMORIES = (10, 100, 1000, 10_000)
_RECALLS = 30
_WHOLE_RUN = 355.0  # seconds; `make bench` promises six minutes


@dataclass(frozen=True)
class Divided:
    """One recall on a real server with ``memories`` in the Scope, in milliseconds."""

    memories: int
    server: float
    ours: float


def save_ratio(server: PowerContextServer, pairs: int, tick: Callable[[], object]) -> Spread:
    """A duplicate-checked save, of the same two requests posted bare. Every text is new, and of one length."""
    scope_id = server.create_scope("benchmark of saves")
    settings = Settings(base_url=server.base_url, scope_id=scope_id, token=Secret(server.token))
    with (
        PowerContext(settings) as client,
        httpx.Client(trust_env=False, headers=headers(server.token)) as bare,
    ):

        def ours(text: str) -> None:
            expect(isinstance(client.remember(text), Saved))

        def two_posts(text: str) -> None:
            search = wire.encode(wire.SearchRequest(scope_id, text, 20))
            save = wire.encode(wire.RememberRequest(scope_id, "fact", text))
            for path, body in (("search", search), ("remember", save)):
                url = f"{server.base_url}/v1/memory/{path}"
                bare.post(url, content=body).raise_for_status()

        ratios = []
        for number in range(-2, pairs):
            taken = {}
            for save in (ours, two_posts) if number % 2 else (two_posts, ours):
                text = _new_text()
                started = time.perf_counter()
                save(text)
                taken[save] = time.perf_counter() - started
            if number >= 0:
                ratios.append(taken[ours] / taken[two_posts])
            tick()
    return spread(ratios)


def _new_text() -> str:
    words = " ".join(secrets.token_hex(4) for _ in range(6))
    return f"Benchmark of saves: {words} are the names of the queues."


def memories_in_the_scope(
    servers: Sequence[PowerContextServer], budget: float, tick: Callable[[int], object]
) -> list[Divided]:
    """Fill one Scope through all ``servers`` of its database, and recall from the first at 10, 100, ... memories; what
    ``budget`` seconds of saving allow is the last one.
    """
    server = servers[0]
    scope_id = server.create_scope("benchmark of growth")
    server.warm_han(scope_id)
    known = dataset.filler(2000, seed=5)
    texts = [f"{known[number % 2000]} ({number})" for number in range(_MEMORIES[-1])]
    until = time.monotonic() + budget
    saved, found = 0, []

    def save(by: PowerContextServer, text: str) -> bool:
        if time.monotonic() > until:
            return False
        by.remember(scope_id, text)
        return True

    with ThreadPoolExecutor(len(servers)) as threads:
        for wanted in _MEMORIES:
            batch = texts[saved:wanted]
            done = 0
            for one in threads.map(save, itertools.cycle(servers), batch):
                done += one
                tick(saved + done)
            saved += done
            found.append(_divided(server, scope_id, texts[:saved], saved))
            if done < len(batch):
                break
    return found


def _divided(server: PowerContextServer, scope_id: str, texts: list[str], memories: int) -> Divided:
    """Ours is what this thread computed; all the rest of the time it waited for the server."""
    settings = Settings(
        base_url=server.base_url,
        scope_id=scope_id,
        token=Secret(server.token),
        recall_timeout_seconds=30.0,
        recall_focus=False,
    )
    waited, computed = [], []
    with PowerContext(settings) as client:
        for number in range(-3, _RECALLS):
            query = texts[number * 7 % len(texts)]
            started, cpu = time.perf_counter(), time.thread_time()
            outcome = client.recall(query)
            cpu = time.thread_time() - cpu
            expect(isinstance(outcome, Recalled))
            if number >= 0:
                waited.append(time.perf_counter() - started - cpu)
                computed.append(cpu)
    return Divided(memories, statistics.median(waited) * 1000, statistics.median(computed) * 1000)


def conversations(base_url: str) -> list[tuple[int, float, int]]:
    """Conversations so far, resident MiB and open descriptors of one fresh process."""
    with module_process("scripts.bench.growth", base_url) as rows:
        return [tuple(row) for row in rows]


def saves(run: Run) -> None:
    with run.phase("starting a real server", 1):
        server = PowerContextServer()
        server.start()
    pairs = 24 if run.quick else 60
    try:
        with run.phase("saves on a real server", pairs + 2) as tick:
            run.measured["save_of_two_posts"] = save_ratio(server, pairs, tick)
    finally:
        server.close()


def growing_scope(run: Run) -> None:
    task = run.progress.add_task("a growing Scope", total=_MEMORIES[-1])
    with (
        PowerContextServer(access="disabled") as one,
        PowerContextServer(access="disabled", database=one.database) as beside,
    ):
        began = run.seconds
        found = memories_in_the_scope(
            (one, beside),
            _WHOLE_RUN - began,
            lambda saved: run.progress.update(task, completed=saved),
        )
    run.progress.update(task, total=found[-1].memories)
    first, last = found[0], found[-1]
    rows = [
        [
            f"{one.memories:,}",
            digits(one.server / first.server),
            digits(one.ours / first.ours),
            f"{one.ours / (one.ours + one.server):.1%}",
        ]
        for one in found
    ]
    note = "One recall on a real server; our time is what the calling thread computes. At the server's pace,"
    note += f" {last.memories:,} memories took {(run.seconds - began) / 60:.1f} minutes"
    if last.memories < _MEMORIES[-1]:
        note += "; 10,000 would have taken longer than the whole run may"
    heads = ("memories", "server's time, of the first row", "ours, of the first row", "our share")
    run.tables.append(Table("Growth: memories in the Scope", note + ".", heads, rows))


def growing_conversations(run: Run) -> None:
    with run.phase("10,000 conversations", 1):
        found = conversations(run.stub.base_url(8))
    first = found[0][1]
    rows = [[f"{number:,}", f"{mib / first:.2f}", str(fds)] for number, mib, fds in found]
    heads = ("conversations so far", "memory, of the first row", "descriptors")
    note = "`get_context` in one fresh host process."
    run.tables.append(Table("Growth: conversations", note, heads, rows))


def main() -> None:
    rows = []
    with gateway(sys.argv[1]) as host:
        for number in range(1, _CONVERSATIONS[-1] + 1):
            query = f"Conversation {number}: how does the order service keep amounts?"
            expect(host.manager.get_context(OWNER, thread_id=f"thread-{number}", query=query))
            if number in _CONVERSATIONS:
                pages = int(Path("/proc/self/statm").read_text().split()[1])
                fds = len(list(Path("/proc/self/fd").iterdir()))
                rows.append((number, pages * os.sysconf("SC_PAGE_SIZE") / 2**20, fds))
    print(json.dumps(rows), flush=True)


if __name__ == "__main__":
    main()
