# SPDX-License-Identifier: Apache-2.0
"""The engine as an httpx transport, so that the generated client runs over the very same bounds."""

from __future__ import annotations

import httpx

from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.transport.engine import Engine
from powercontext_deerflow.workers import Workers

# The only request headers that operations of the slice define.
_CONDITIONS = ("if-match", "if-none-match")


class BoundedTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """``httpx.Client(transport=BoundedTransport(engine, workers, base_url))``, or ``httpx.AsyncClient``.

    httpx's read timeout is taken as the total deadline in seconds. Requests to another origin than the bound one are
    refused, cookies are neither kept nor sent, and the credential is the engine's own. Raises httpx.TransportError.
    """

    def __init__(self, engine: Engine, workers: Workers, base_url: str) -> None:
        self._engine = engine
        self._workers = workers
        self._base = httpx.URL(base_url)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        return self._answer(request, _deadline(request))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        deadline = _deadline(request)
        try:
            return await self._workers.run(lambda: self._answer(request, deadline))
        except TransportError as error:
            code = error.code
        raise httpx.ConnectError(code)

    def _answer(self, request: httpx.Request, deadline: Deadline) -> httpx.Response:
        prefix = self._base.raw_path.rstrip(b"/")
        same_origin = (request.url.scheme, request.url.netloc) == (
            self._base.scheme,
            self._base.netloc,
        )
        if not same_origin or not request.url.raw_path.startswith(prefix + b"/"):
            raise httpx.UnsupportedProtocol("this client is bound to one PowerContext server")
        path = request.url.raw_path[len(prefix) :].decode("ascii")
        conditions = [item for item in request.headers.items() if item[0] in _CONDITIONS]
        try:
            answer = self._engine.exchange(
                request.method, path, request.content, deadline, conditions
            )
        except TransportError as error:
            failed = httpx.ReadError if error.sent else httpx.ConnectError
            code = error.code
        else:
            headers = [header for header in answer.headers if header[0] != b"set-cookie"]
            return httpx.Response(answer.status, headers=headers, content=answer.body)
        raise failed(code)


def _deadline(request: httpx.Request) -> Deadline:
    seconds = request.extensions.get("timeout", {}).get("read")
    if seconds is None:
        raise httpx.UnsupportedProtocol(
            "this client needs a timeout in seconds: there is no endless request"
        )
    return Deadline.after(seconds)


def httpx_clients(
    engine: Engine, workers: Workers, base_url: str, timeout: float
) -> tuple[httpx.Client, httpx.AsyncClient]:
    """Clients over ``engine`` whose every request has ``timeout`` seconds in all."""
    transport = BoundedTransport(engine, workers, base_url)
    return (
        httpx.Client(base_url=base_url, transport=transport, timeout=timeout, trust_env=False),
        httpx.AsyncClient(base_url=base_url, transport=transport, timeout=timeout, trust_env=False),
    )
