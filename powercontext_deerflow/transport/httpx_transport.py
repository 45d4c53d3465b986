# SPDX-License-Identifier: Apache-2.0
"""The engine as an httpx transport, so that the generated client runs over the very same bounds."""

from __future__ import annotations

from http import HTTPStatus

import httpx

from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.edge import edge
from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.transport.answers import Answer
from powercontext_deerflow.transport.connection import Sealed
from powercontext_deerflow.transport.engine import Engine

# The only request headers that operations of the slice define.
_CONDITIONS = ("if-match", "if-none-match")
_STATUSES = frozenset(HTTPStatus)
"""The generated functions raise a ValueError of their own for others."""


Exchange = tuple[str, str, Sealed, Deadline, list[tuple[str, str]]]
"""What the engine's ``exchange`` takes."""


class BoundedTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """``httpx.Client(transport=BoundedTransport(engine, base_url))``, or ``httpx.AsyncClient``.

    httpx's read timeout is taken as the total deadline in seconds. Requests to another origin than the bound one are
    refused, cookies are neither kept nor sent, and the credential is the engine's own. Raises httpx.TransportError.
    """

    def __init__(self, engine: Engine, base_url: str) -> None:
        self._engine = engine
        self._base = httpx.URL(base_url)

    @edge
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        try:
            return _response(self._engine.exchange(*self._exchange(request)))
        except TransportError as error:
            failed = error
        raise _in_terms_of_httpx(failed)

    @edge
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        try:
            return _response(await self._engine.aexchange(*self._exchange(request)))
        except TransportError as error:
            failed = error
        raise _in_terms_of_httpx(failed)

    def _exchange(self, request: httpx.Request) -> Exchange:
        prefix = self._base.raw_path.rstrip(b"/")
        same_origin = (request.url.scheme, request.url.netloc) == (
            self._base.scheme,
            self._base.netloc,
        )
        if not same_origin or not request.url.raw_path.startswith(prefix + b"/"):
            raise httpx.UnsupportedProtocol("this client is bound to one PowerContext server")
        path = request.url.raw_path[len(prefix) :].decode("ascii")
        conditions = [item for item in request.headers.items() if item[0] in _CONDITIONS]
        return request.method, path, Sealed(request.content), _deadline(request), conditions


def _deadline(request: httpx.Request) -> Deadline:
    seconds = request.extensions.get("timeout", {}).get("read")
    if seconds is None:
        raise httpx.UnsupportedProtocol(
            "this client needs a timeout in seconds: there is no endless request"
        )
    return Deadline.after(seconds)


def _response(answer: Answer) -> httpx.Response:
    if answer.status not in _STATUSES:
        raise httpx.RemoteProtocolError("unexpected_status")
    headers = [header for header in answer.headers if header[0] != b"set-cookie"]
    return httpx.Response(answer.status, headers=headers, content=answer.body)


def _in_terms_of_httpx(error: TransportError) -> httpx.TransportError:
    return (httpx.ReadError if error.sent else httpx.ConnectError)(error.code)


def httpx_clients(
    engine: Engine, base_url: str, timeout: float
) -> tuple[httpx.Client, httpx.AsyncClient]:
    """Clients over ``engine`` whose every request has ``timeout`` seconds in all."""
    transport = BoundedTransport(engine, base_url)
    return (
        httpx.Client(base_url=base_url, transport=transport, timeout=timeout, trust_env=False),
        httpx.AsyncClient(base_url=base_url, transport=transport, timeout=timeout, trust_env=False),
    )
