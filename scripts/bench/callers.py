# SPDX-License-Identifier: Apache-2.0
"""Those that `make bench` compares, each doing one recall against the same server.

The bare ones post bytes made beforehand and decode nothing, which favours them; the typed ones and ours encode, post,
read, decode and validate.
"""

from __future__ import annotations

import asyncio
import http.client
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
from powercontext.client import PowerContextClient
from powercontext.http import ContextAssembly as OfficialAssembly
from powercontext.http import PrepareContextRequest as OfficialRequest
from powercontext_openapi import AuthenticatedClient
from powercontext_openapi.api.context import prepare_context
from powercontext_openapi.models import (
    ContextAssembly,
    ContextAssemblySection,
    PrepareContextRequest,
    PreparedContext,
)

from powercontext_deerflow import Secret, Settings
from powercontext_deerflow.api import wire
from scripts.bench.stub import SAVED
from scripts.bench.timing import AsyncCall, Call, expect

SCOPE, TOKEN, OWNER = "scp_benchmark", "benchmark-token", "benchmark-owner"
QUERY = "How does the order service keep money amounts? 订单金额如何存储？"
BUDGET = 32768
PATH = "/v1/context/prepare"
BODY = wire.encode(wire.PrepareRequest(SCOPE, QUERY, BUDGET))
SEARCH_BODY = wire.encode(wire.SearchRequest(SCOPE, SAVED, 20))
SAVE_BODY = wire.encode(wire.RememberRequest(SCOPE, "fact", SAVED))

# With httpx's default of 20 idle connections, 32 threads lose calls now and then: the pool closes an idle connection
# that it has just given to another thread (Bad file descriptor). Kept open, it is also faster.
LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=100)


def headers(token: str = TOKEN) -> dict[str, str]:
    return {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
    }


def settings(base_url: str, **given: Any) -> Settings:  # as loose as the keywords of Settings
    bound = {"base_url": base_url, "scope_id": SCOPE, "token": Secret(TOKEN), "max_bytes": BUDGET}
    return Settings(**{**bound, **given})


def generated_request() -> PrepareContextRequest:
    assembly = ContextAssembly("markdown", [ContextAssemblySection("memory", 6)])
    return PrepareContextRequest(QUERY, SCOPE, assembly=assembly, max_bytes=BUDGET)


def official_request() -> OfficialRequest:
    sections = [{"family": "memory", "limit": 6}]
    assembly = OfficialAssembly.model_validate({"format": "markdown", "sections": sections})
    return OfficialRequest(scope_id=SCOPE, query=QUERY, max_bytes=BUDGET, assembly=assembly)


@contextmanager
def raw_socket(base_url: str, tls: ssl.SSLContext | None = None) -> Iterator[Call]:
    """The limit: what the kernel and the server take."""
    url = urlsplit(base_url)
    lines = [f"POST {url.path}{PATH} HTTP/1.1", f"Host: {url.netloc}"]
    lines += [f"{name}: {value}" for name, value in headers().items()]
    request = "\r\n".join([*lines, f"Content-Length: {len(BODY)}\r\n\r\n"]).encode() + BODY
    connected = socket.create_connection((url.hostname or "", url.port or 0))
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with tls.wrap_socket(connected, server_hostname=url.hostname) if tls else connected as sock:

        def call() -> bytes:
            sock.sendall(request)
            data = sock.recv(65536)
            head, _, body = data.partition(b"\r\n\r\n")
            length = int(head.partition(b"content-length: ")[2].split(b"\r\n")[0])
            while len(body) < length:
                body += sock.recv(65536)
            return body

        yield call


@contextmanager
def http_client(base_url: str, tls: ssl.SSLContext | None = None) -> Iterator[Call]:
    url = urlsplit(base_url)
    connection = (
        http.client.HTTPSConnection(url.hostname or "", url.port, context=tls)
        if tls
        else http.client.HTTPConnection(url.hostname or "", url.port)
    )

    def call() -> bytes:
        connection.request("POST", url.path + PATH, BODY, headers())
        return connection.getresponse().read()

    try:
        yield call
    finally:
        connection.close()


@contextmanager
def httpx_post(base_url: str, verify: ssl.SSLContext | bool = True) -> Iterator[Call]:
    with httpx.Client(trust_env=False, verify=verify, headers=headers(), limits=LIMITS) as client:
        yield lambda: client.post(base_url + PATH, content=BODY).content


@contextmanager
def two_posts(base_url: str) -> Iterator[Call]:
    with httpx.Client(trust_env=False, headers=headers()) as client:

        def call() -> None:
            expect(client.post(base_url + "/v1/memory/search", content=SEARCH_BODY).content)
            expect(client.post(base_url + "/v1/memory/remember", content=SAVE_BODY).content)

        yield call


@contextmanager
def generated(base_url: str) -> Iterator[Call]:
    request = generated_request()
    with AuthenticatedClient(
        base_url=base_url, token=TOKEN, httpx_args={"limits": LIMITS}
    ) as client:
        yield lambda: expect(
            isinstance(prepare_context.sync(client=client, body=request), PreparedContext)
        )


@contextmanager
def official_on_a_thread(base_url: str) -> Iterator[Call]:
    """As a synchronous caller has to: one loop on a thread, one client on it."""
    loop, request = asyncio.new_event_loop(), official_request()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    client = PowerContextClient(base_url, token=TOKEN)

    def call() -> object:
        return asyncio.run_coroutine_threadsafe(client.prepare_context(request), loop).result()

    try:
        yield call
    finally:
        asyncio.run_coroutine_threadsafe(client.aclose(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def official_run(base_url: str) -> object:
    """The other way for a synchronous caller: a loop, and so a client, for each call."""

    async def recall() -> object:
        async with PowerContextClient(base_url, token=TOKEN) as client:
            return await client.prepare_context(official_request())

    return asyncio.run(recall())


@asynccontextmanager
async def async_post(base_url: str) -> AsyncIterator[AsyncCall]:
    async with httpx.AsyncClient(trust_env=False, headers=headers(), limits=LIMITS) as client:
        yield lambda: client.post(base_url + PATH, content=BODY)


@asynccontextmanager
async def official(base_url: str) -> AsyncIterator[AsyncCall]:
    request = official_request()
    async with PowerContextClient(base_url, token=TOKEN) as client:
        yield lambda: client.prepare_context(request)
