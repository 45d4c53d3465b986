# SPDX-License-Identifier: Apache-2.0
"""What `make bench` measures outside requests: import and memory in fresh processes, cold connects, the codec."""

from __future__ import annotations

import json
import ssl
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import httpx
from powercontext_openapi import Client
from powercontext_openapi.api.context import prepare_context
from powercontext_openapi.models import PreparedContext

from powercontext_deerflow.api import wire
from scripts.bench import callers as others
from scripts.bench import contender_ours as our
from scripts.bench import group as named
from scripts.bench.run import Run
from scripts.bench.stub import Stub, prepared_body
from scripts.bench.timing import Call, Rounds, Spread, expect, ratio, spread

ROOT = Path(__file__).resolve().parent.parent.parent
OURS, READY, OFFICIAL, NOTHING = "ours", "ready", "official", "nothing"
_PROBE = """
import time
started = time.perf_counter()
{}
seconds = time.perf_counter() - started
with open("/proc/self/statm") as statm:
    pages = int(statm.read().split()[1])
import json
print(json.dumps([seconds, pages]))
"""
_READY = """
from powercontext_deerflow import PowerContext, Recalled, Secret, Settings
client = PowerContext(Settings(base_url={!r}, scope_id="s", token=Secret("t"), max_bytes=32768))
assert isinstance(client.recall("order service"), Recalled)
"""


@dataclass(frozen=True)
class Startup:
    """Of `import powercontext.client`; memory is what the process grew by."""

    imported: Spread
    ready: Spread
    rss: Spread


def startup(base_url: str, rounds: int, tick: Callable[[], object]) -> Startup:
    """A fresh interpreter for each figure. *Ready* includes a first recall, over http."""
    sources = {
        NOTHING: "pass",
        OURS: "import powercontext_deerflow",
        READY: _READY.format(base_url),
        OFFICIAL: "import powercontext.client",
    }
    taken: dict[str, list[tuple[float, int]]] = {name: [] for name in sources}
    for number in range(-1, rounds):  # the first one writes the bytecode
        for name, source in sources.items():
            command = [sys.executable, "-c", _PROBE.format(source)]
            said = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
            if number >= 0:
                taken[name].append(tuple(json.loads(said.stdout)))
        tick()
    seconds = {name: [one[0] for one in taken[name]] for name in sources}
    bare = statistics.median(one[1] for one in taken[NOTHING])
    grown = {name: [one[1] - bare for one in taken[name]] for name in sources}
    return Startup(
        ratio(seconds[OURS], seconds[OFFICIAL]),
        ratio(seconds[READY], seconds[OFFICIAL]),
        ratio(grown[READY], grown[OFFICIAL]),
    )


def cold(stub: Stub, tls: bool, rounds: int, tick: Callable[[], object]) -> Rounds:
    """Seconds from nothing to a first answer: client, TLS context, connection, exchange."""
    url = stub.tls_url(8) if tls else stub.base_url(8)
    ca_file = stub.ca_file if tls else None

    def context() -> ssl.SSLContext | None:
        return ssl.create_default_context(cafile=ca_file) if tls else None

    makers: dict[str, Callable[[], AbstractContextManager[Call]]] = {
        named.RAW: lambda: others.raw_socket(url, context()),
        named.HTTP_CLIENT: lambda: others.http_client(url, context()),
        named.POST: lambda: others.httpx_post(url, context() or True),
        named.HTTPCORE: lambda: our.httpcore_pool(url, ca_file=ca_file),
        named.RECALL: lambda: our.ours(url, ca_file=ca_file),
    }
    taken: Rounds = {name: [] for name in makers}
    for number in range(-1, rounds):
        for name, opened in makers.items():
            started = time.perf_counter()
            with opened() as call:
                call()
                seconds = time.perf_counter() - started
            if number >= 0:
                taken[name].append([seconds])
        tick()
    return taken


def codec(rounds: int) -> Spread:
    """Encode, decode and byte check of an 8 KB answer, of what the generated function does around its request."""
    body = prepared_body(8)
    client, answer = Client(base_url="http://127.0.0.1"), httpx.Response(200, content=body)

    def ours() -> None:
        request = wire.PrepareRequest(others.SCOPE, others.QUERY, others.BUDGET)
        expect(wire.encode(request))
        expect(wire.decode_prepared(body, request.max_bytes))

    def generated() -> None:
        asked = prepare_context._get_kwargs(body=others.generated_request())["json"]
        written = json.dumps(  # as httpx does it
            asked, ensure_ascii=False, separators=(",", ":"), allow_nan=False
        )
        expect(written.encode())
        prepared = prepare_context._build_response(client=client, response=answer).parsed
        if not isinstance(prepared, PreparedContext) or prepared.content is None:
            raise TypeError("not a prepared context")
        expect(len(prepared.content.encode()) == prepared.content_bytes)

    return spread(_seconds(ours) / _seconds(generated) for _ in range(rounds))


def _seconds(call: Call, times: int = 50) -> float:
    started = time.perf_counter()
    for _ in range(times):
        call()
    return time.perf_counter() - started


def fresh(run: Run) -> None:
    rounds = 5 if run.quick else 9
    with run.phase("import, in fresh processes", rounds + 1) as tick:
        found = startup(run.stub.base_url(8), rounds, tick)
    run.measured |= {
        "import_of_official": found.imported,
        "ready_of_official": found.ready,
        "rss_of_official": found.rss,
        "codec_of_generated": codec(200),
    }
