# SPDX-License-Identifier: Apache-2.0
"""The names of those that `make bench` compares, and how each of them is made ready to be called."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext

from scripts.bench import callers as others
from scripts.bench import contender_ours as our
from scripts.bench.callers import OWNER, QUERY
from scripts.bench.timing import Blocking, Call, Caller, OnLoop

RAW = "raw socket"
HTTP_CLIENT = "http.client"
POST = "httpx.Client.post"
ASYNC_POST = "httpx.AsyncClient.post"
GENERATED = "generated client, sync"
OFFICIAL = "official client, own loop"
OFFICIAL_THREAD = "official client, loop thread"
OFFICIAL_RUN = "official client, asyncio.run"
HTTPCORE = "httpcore pool (not kept)"
RECALL = "PowerContext.recall"
GET_CONTEXT = "get_context"
AGET_CONTEXT = "aget_context"
TWO_POSTS = "two httpx.Client.post"
REMEMBER = "PowerContext.remember"

AT_ONCE = (
    *(RAW, HTTP_CLIENT, POST, ASYNC_POST, GENERATED, OFFICIAL, OFFICIAL_THREAD, HTTPCORE),
    *(RECALL, GET_CONTEXT, AGET_CONTEXT),
)
ONE_BY_ONE = (*AT_ONCE, OFFICIAL_RUN, TWO_POSTS, REMEMBER)
ON_LOOPS = (ASYNC_POST, OFFICIAL, AGET_CONTEXT)
OURS = frozenset({RECALL, GET_CONTEXT, AGET_CONTEXT, REMEMBER})

# One client for all threads.
_SHARED: dict[str, Callable[[str], AbstractContextManager[Call]]] = {
    POST: others.httpx_post,
    GENERATED: others.generated,
    OFFICIAL_THREAD: others.official_on_a_thread,
    HTTPCORE: our.httpcore_pool,
    RECALL: our.ours,
    TWO_POSTS: others.two_posts,
    REMEMBER: our.ours_saving,
}


@contextmanager
def callers(base_url: str, names: Collection[str]) -> Iterator[list[Caller]]:
    """Those of ``names``, ready. Raw sockets and http.client have a connection for each thread, the others a pool."""
    with ExitStack() as stack:
        host = stack.enter_context(our.gateway(base_url))

        def get_context() -> str:
            return host.manager.get_context(OWNER, query=QUERY)

        def official_run() -> object:
            return others.official_run(base_url)

        def made(name: str) -> Caller:
            if name in _SHARED:
                call = stack.enter_context(_SHARED[name](base_url))
                return Blocking(name, lambda: nullcontext(call))
            return makers[name]()

        makers: dict[str, Callable[[], Caller]] = {
            RAW: lambda: Blocking(RAW, lambda: others.raw_socket(base_url)),
            HTTP_CLIENT: lambda: Blocking(HTTP_CLIENT, lambda: others.http_client(base_url)),
            OFFICIAL: lambda: OnLoop(OFFICIAL, lambda: others.official(base_url)),
            OFFICIAL_RUN: lambda: Blocking(
                OFFICIAL_RUN, lambda: nullcontext(official_run), costly=True
            ),
            ASYNC_POST: lambda: OnLoop(ASYNC_POST, lambda: others.async_post(base_url)),
            AGET_CONTEXT: lambda: OnLoop(AGET_CONTEXT, lambda: our.ours_in_the_host(host)),
            GET_CONTEXT: lambda: Blocking(GET_CONTEXT, lambda: nullcontext(get_context)),
        }
        ready = []
        for name in names:
            ready.append(made(name))
            stack.callback(ready[-1].close)
        yield ready
