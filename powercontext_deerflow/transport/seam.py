# SPDX-License-Identifier: Apache-2.0
"""The engine as an httpx transport, so that the generated client runs over the very same bounds."""

from __future__ import annotations

import httpx

from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import TransportError
from powercontext_deerflow.transport.engine import Engine

_CONDITIONS = (
    "if-match",
    "if-none-match",
)  # the only request headers that operations of the slice define


class BoundedTransport(httpx.BaseTransport):
    """``httpx.Client(transport=BoundedTransport(engine, base_url))``.

    httpx's read timeout is taken as the total deadline in seconds. Requests to another origin than the bound one are
    refused, cookies are neither kept nor sent, and the credential is the engine's own. Raises httpx.TransportError.
    """

    def __init__(self, engine: Engine, base_url: str) -> None:
        self._engine = engine
        self._base = httpx.URL(base_url)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        prefix = self._base.raw_path.rstrip(b"/")
        same_origin = (request.url.scheme, request.url.netloc) == (
            self._base.scheme,
            self._base.netloc,
        )
        if not same_origin or not request.url.raw_path.startswith(prefix + b"/"):
            raise httpx.UnsupportedProtocol("this client is bound to one PowerContext server")
        seconds = request.extensions.get("timeout", {}).get("read")
        if seconds is None:
            raise httpx.UnsupportedProtocol(
                "this client needs a timeout in seconds: there is no endless request"
            )
        path = request.url.raw_path[len(prefix) :].decode("ascii")
        try:
            answer = self._engine.exchange(
                request.method, path, request.read(), Deadline.after(seconds)
            )
        except TransportError as error:
            failed = httpx.ReadError if error.sent else httpx.ConnectError
            code = error.code
        else:
            headers = [header for header in answer.headers if header[0] != b"set-cookie"]
            return httpx.Response(answer.status, headers=headers, content=answer.body)
        raise failed(code)


def httpx_client(engine: Engine, base_url: str, timeout: float) -> httpx.Client:
    """An httpx.Client over ``engine`` whose every request has ``timeout`` seconds in all."""
    transport = BoundedTransport(engine, base_url)
    return httpx.Client(base_url=base_url, transport=transport, timeout=timeout, trust_env=False)
