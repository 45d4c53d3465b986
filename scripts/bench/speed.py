# SPDX-License-Identifier: Apache-2.0
"""The phases of `make bench` about speed: one at a time, many at once, on event loops, cold, beside a busy thread."""

from __future__ import annotations

from scripts.bench import faults, fresh
from scripts.bench.group import (
    AGET_CONTEXT,
    ASYNC_POST,
    AT_ONCE,
    OFFICIAL,
    OFFICIAL_THREAD,
    ON_LOOPS,
    ONE_BY_ONE,
    OURS,
    POST,
    RECALL,
    callers,
)
from scripts.bench.page import Panel, Table
from scripts.bench.run import Run
from scripts.bench.timing import (
    Rounds,
    Storm,
    digits,
    p50_ratio,
    p95_ratio,
    p99_ms,
    sequential,
    spread,
    storms,
    throughput_ratio,
)

_CALLS = 12  # of everyone in a round
_OPENINGS = 4  # of everyone anew: which core its threads wake on is decided anew
_QUICK = {8: (POST, ASYNC_POST, OFFICIAL, RECALL, AGET_CONTEXT), 32: (POST, RECALL)}
_QUICK_AT_ONCE = (POST, OFFICIAL, RECALL)
_OF_POST = "of `httpx.Client.post`"


def one_by_one(run: Run) -> None:
    rounds = 15 if run.quick else 25
    taken: dict[int, Rounds] = {}
    for size, few in _QUICK.items():
        names = few if run.quick else ONE_BY_ONE
        taken[size] = {name: [] for name in names}
        with run.phase(f"one at a time, {size} KB", _OPENINGS * (rounds + 1)) as tick:
            for _ in range(_OPENINGS):
                with callers(run.stub.base_url(size), names) as group:
                    for name, seconds in sequential(group, rounds, _CALLS, tick).items():
                        taken[size][name] += seconds
    run.measured |= {
        "p50_8kb_of_httpx_post": p50_ratio(taken[8], RECALL, POST),
        "p50_32kb_of_httpx_post": p50_ratio(taken[32], RECALL, POST),
        "p50_8kb_of_official": p50_ratio(taken[8], RECALL, OFFICIAL),
        "aget_context_p50_of_async_client": p50_ratio(taken[8], AGET_CONTEXT, ASYNC_POST),
    }
    if not run.quick:
        rows = [
            [name, *_p50_p95(taken[8], name), *_p50_p95(taken[32], name)] for name in ONE_BY_ONE
        ]
        heads = (_OF_POST, "8 KB p50", "8 KB p95", "32 KB p50", "32 KB p95")
        run.tables.append(Table("One at a time", "Lower is better.", heads, rows))
        bars = [(name, p50_ratio(taken[8], name, POST).median) for name in AT_ONCE]
        title = "One recall of 8 KB, time of httpx.Client.post (shorter is better)"
        run.panels.append(Panel(title, bars, OURS))


def at_once(run: Run) -> None:
    rounds = 5 if run.quick else 4
    taken = {}
    with callers(run.stub.base_url(8), _QUICK_AT_ONCE if run.quick else AT_ONCE) as group:
        for level in (32,) if run.quick else (8, 32, 64):
            with run.phase(f"{level} at once", rounds) as tick:
                taken[level] = storms(group, level, 512 // level, rounds, tick)
    with run.phase("2,048 recalls with a deadline", 1):
        lost = faults.missed_deadlines(run.stub.base_url(8))
    run.measured |= {
        "throughput_32_of_httpx_post": throughput_ratio(taken[32], RECALL, POST),
        "throughput_32_of_official": throughput_ratio(taken[32], RECALL, OFFICIAL),
        "missed_deadlines": spread([lost]),
    }
    if not run.quick:
        run.tables.append(_many_at_once(taken))
        bars = [(name, throughput_ratio(taken[32], name, POST).median) for name in AT_ONCE]
        title = "32 at once, throughput of httpx.Client.post (longer is better)"
        run.panels.append(Panel(title, bars, OURS))


def _many_at_once(taken: dict[int, dict[str, list[Storm]]]) -> Table:
    heads = [_OF_POST, *(f"{what}, {level}" for what in ("throughput", "p99") for level in taken)]
    base = {level: p99_ms(storm[POST]) for level, storm in taken.items()}
    rows = []
    for name in AT_ONCE:
        throughput = [str(throughput_ratio(storm, name, POST)) for storm in taken.values()]
        p99 = [digits(p99_ms(storm[name]) / base[level]) for level, storm in taken.items()]
        rows.append([name, *throughput, *p99])
    note = (
        "Threads, or tasks of one event loop. Throughput: higher is better; p99: lower is better."
    )
    return Table("Many at once", note, heads, rows)


def on_loops(run: Run) -> None:
    rounds = 30
    with (
        run.phase("gather(32)", rounds) as tick,
        callers(run.stub.base_url(8), ON_LOOPS) as group,
    ):
        taken = storms(group, 32, 1, rounds, tick)
    rows = [[name, str(throughput_ratio(taken, name, ASYNC_POST))] for name in ON_LOOPS]
    heads = ("of native `httpx.AsyncClient.post`", "throughput")
    note = "One `gather` of 32 recalls on one event loop. Higher is better."
    run.tables.append(Table("gather(32)", note, heads, rows))


def cold(run: Run) -> None:
    rounds = 20
    with run.phase("cold connects", 2 * (rounds + 1)) as tick:
        taken = [fresh.cold(run.stub, tls, rounds, tick) for tls in (False, True)]
    rows = [[name, *(str(p50_ratio(one, name, POST)) for one in taken)] for name in taken[0]]
    heads = ("of a cold `httpx.Client.post`", "http", "https")
    note = "Client, TLS context, connection and a first answer. Lower is better."
    run.tables.append(Table("Cold", note, heads, rows))


def beside_a_busy_thread(run: Run) -> None:
    names, rounds = [name for name in AT_ONCE if name != OFFICIAL_THREAD], 8
    with (
        run.phase("beside a thread that computes", rounds + 1) as tick,
        callers(run.stub.base_url(8), names) as group,
        faults.cpu_hog(),
    ):
        taken = sequential(group, rounds, 3, tick)
    rows = [[name, *_p50_p95(taken, name)] for name in names]
    note = (
        "Whenever a call lets the interpreter go, the other thread keeps it for five milliseconds."
    )
    title = "Beside one thread that computes"
    run.tables.append(Table(title, note, (_OF_POST, "p50", "p95"), rows))


def growing_answers(run: Run, sizes: tuple[int, ...]) -> None:
    rows, rounds = [], 20
    with run.phase("growing answers", len(sizes) * (rounds + 1)) as tick:
        for size in sizes:
            with callers(run.stub.base_url(size), (POST, RECALL)) as group:
                taken = sequential(group, rounds, _CALLS, tick)
            rows.append([f"{size} KB", str(p50_ratio(taken, RECALL, POST))])
    note = "p50 of one recall, of `httpx.Client.post` with the same answer. Lower is better."
    run.tables.append(Table("Growth: answers", note, ("answer", "p50"), rows))


def growing_callers(run: Run) -> None:
    rows, rounds, levels = [], 3, (1, 2, 4, 8, 16, 32, 64)
    alone = 0.0
    with (
        run.phase("growing numbers of callers", len(levels) * rounds) as tick,
        callers(run.stub.base_url(8), (POST, RECALL)) as group,
    ):
        for level in levels:
            taken = storms(group, level, max(8, 256 // level), rounds, tick)
            ours = spread(storm.per_second for storm in taken[RECALL]).median
            alone = alone or ours
            of_post = throughput_ratio(taken, RECALL, POST)
            rows.append([str(level), str(of_post), digits(ours / alone)])
    heads = ("callers", f"throughput, {_OF_POST}", "of ours with one caller")
    note = "Threads that recall all the time. Higher is better."
    run.tables.append(Table("Growth: callers", note, heads, rows))


def _p50_p95(taken: Rounds, name: str) -> list[str]:
    return [str(p50_ratio(taken, name, POST)), digits(p95_ratio(taken, name, POST))]
