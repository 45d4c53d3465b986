# SPDX-License-Identifier: Apache-2.0
"""A real server that knows more than one caller.

A stock server knows its static token only, the administrator of every Scope. Here ``<token>.<name>`` is the user of
that name, too: only who is asking is decided by the test, what they may do by the server.
"""

from __future__ import annotations

from tests.support.servers.plain_client import PlainClient
from tests.support.servers.real import PowerContextServer

_NAMED = """
from powercontext.server import factory
from powercontext.server.authentication import AuthenticationResult
from powercontext.server.authz import PrincipalRef

class Named(factory.StaticBearerAuthenticationProvider):
    async def authenticate(self, request):
        credential = request.headers.get("authorization", "").removeprefix("Bearer ")
        token, _, name = credential.partition(".")
        if name and token.encode() == self._token:
            return AuthenticationResult(subject=PrincipalRef(type="user", id=name, description=name))
        return await super().authenticate(request)

factory.StaticBearerAuthenticationProvider = Named
"""


class ServerOfSeveral(PowerContextServer):
    """1.4.1; a user may do nothing before ``admit``."""

    program = _NAMED + PowerContextServer.program

    def admit(self, name: str, scope_id: str) -> PlainClient:
        """Let the user of that name read and contribute in the Scope; a client of theirs."""
        body = {
            "subject": {"type": "user", "id": name, "description": name},
            "resource": {"type": "scope", "scope_id": scope_id},
            "role": "scope.contributor",
            "idempotency_key": f"{name} in {scope_id}",
        }
        self.call("POST", "/v1/access/bindings/create", body)
        return PlainClient(self.version, f"{self.token}.{name}", self.port)
