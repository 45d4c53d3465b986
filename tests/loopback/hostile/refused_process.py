# SPDX-License-Identifier: Apache-2.0
"""Every operation of a new client while the system refuses something, and again when it does not.

Arguments: what is refused, the base URL (of a name, so that it must be looked up), the CA file or nothing. Prints, for
each operation, its outcome while refused and the word ``works`` if the next call got an answer of the server.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from powercontext_openapi.api.memory import search_memory
from powercontext_openapi.models import SearchMemoryRequest

from powercontext_deerflow import (
    ArtifactCitation,
    PowerContext,
    RecallFailed,
    SaveNotSent,
    Secret,
    Settings,
    TransportError,
)

REFUSED, BASE_URL, CA_FILE = sys.argv[1:]
CITATION = ArtifactCitation("atomic-memory", "art_1", 1)
Operation = Callable[[PowerContext], Any]


async def _listed(client: PowerContext) -> list[object]:
    return [memory async for memory in client.alist_memories()]


def _searched(client: PowerContext) -> object:
    body = SearchMemoryRequest(scope_id="scp", query="x", limit=1)
    return search_memory.sync_detailed(client=client.generated, body=body)


def _asearched(client: PowerContext) -> object:
    body = SearchMemoryRequest(scope_id="scp", query="x", limit=1)
    return search_memory.asyncio_detailed(client=client.generated, body=body)


OPERATIONS: dict[str, Operation] = {
    "recall": lambda client: client.recall("x"),
    "arecall": lambda client: client.arecall("x"),
    "remember": lambda client: client.remember("x"),
    "aremember": lambda client: client.aremember("x"),
    "search": lambda client: client.search("x"),
    "asearch": lambda client: client.asearch("x"),
    "list_memories": lambda client: list(client.list_memories()),
    "alist_memories": _listed,
    "get": lambda client: client.get(CITATION),
    "aget": lambda client: client.aget(CITATION),
    "head": lambda client: client.head(CITATION),
    "ahead": lambda client: client.ahead(CITATION),
    "history": lambda client: client.history(CITATION),
    "ahistory": lambda client: client.ahistory(CITATION),
    "revise": lambda client: client.revise(CITATION, "x"),
    "arevise": lambda client: client.arevise(CITATION, "x"),
    "forget": lambda client: client.forget(CITATION),
    "aforget": lambda client: client.aforget(CITATION),
    "restore": lambda client: client.restore(CITATION),
    "arestore": lambda client: client.arestore(CITATION),
    "capture_source": lambda client: client.capture_source("s", "x"),
    "acapture_source": lambda client: client.acapture_source("s", "x"),
    "server_info": lambda client: client.server_info(),
    "aserver_info": lambda client: client.aserver_info(),
    "check_scope": lambda client: client.check_scope(),
    "acheck_scope": lambda client: client.acheck_scope(),
    "generated": _searched,
    "agenerated": _asearched,
}
LOOP = asyncio.new_event_loop()


@contextmanager
def refused() -> Iterator[None]:
    if REFUSED == "thread":
        # A thread's stack does not fit into what is left of the address space; small things do.
        which = resource.RLIMIT_AS
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        limit = used + 4 * 1024 * 1024
    else:
        which = resource.RLIMIT_NOFILE
        with open(os.devnull) as lowest_free:
            limit = lowest_free.fileno()
    before = resource.getrlimit(which)
    resource.setrlimit(which, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(which, before)


SETTINGS = Settings(base_url=BASE_URL, scope_id="scp", token=Secret("t"), ca_file=CA_FILE or None)


def outcome(operation: Operation, client: PowerContext) -> object:
    """The code and whether a byte left; else, that the server answered."""
    try:
        came_to = operation(client)
        if asyncio.iscoroutine(came_to):
            came_to = LOOP.run_until_complete(came_to)
    except TransportError as error:
        return [error.code, error.sent]
    except httpx.ConnectError as error:
        return [str(error), False]
    except httpx.ReadError as error:
        return [str(error), True]
    except Exception as error:
        if type(error).__module__ != "powercontext_deerflow.errors":
            raise
        return "works"
    if isinstance(came_to, SaveNotSent):
        return [came_to.code, False]
    return [came_to.code, False] if isinstance(came_to, RecallFailed) else "works"


def _wait_for_threads() -> None:
    deadline, tick = time.monotonic() + 20, threading.Event()
    while len(os.listdir("/proc/self/task")) > 1:
        assert time.monotonic() < deadline, "a thread stays"
        tick.wait(0.005)


def main() -> None:
    told = {}
    _ = PowerContext(SETTINGS).generated  # what is imported late is here now
    LOOP.run_until_complete(asyncio.sleep(0))
    for number, (name, operation) in enumerate(OPERATIONS.items(), start=8):
        threading.stack_size(number * 1024 * 1024)  # no stack that was kept is large enough
        client = PowerContext(SETTINGS) if REFUSED != "descriptor-at-birth" else None
        with refused():
            client = client or PowerContext(SETTINGS)
            _ = client.generated
            first = outcome(operation, client)
        told[name] = [first, outcome(operation, client)]
        client.close(0.5)
        _wait_for_threads()  # whose stacks would make room for others
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
