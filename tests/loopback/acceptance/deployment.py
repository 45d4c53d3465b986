# SPDX-License-Identifier: Apache-2.0
"""One deployment of the acceptance matrix: a real server, a proxy that counts, the Gateway's environment."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import Any

import pytest
from langchain_core.messages import BaseMessage, ToolMessage

from powercontext_deerflow.host import runtime
from tests.support.answers import PREPARE
from tests.support.servers.plain_client import Memory
from tests.support.servers.proxy import Exchange, Fault, RecordingProxy
from tests.support.servers.real import PowerContextServer

OWNER = "6f9e2c1a-7d41-4f0b-9a53-c2e8b1d07f64"
CONVENTION = "Order service: money amounts are integer cents; use pytest for backend tests."
QUESTION = "Add a refund calculation to the order service, following its conventions."
MAX_BYTES = 8000  # the default budget
LOOK = "POST /v1/scopes/{scope_id}/artifacts/atomic-memory/search"


@dataclass
class Deployment:
    """The servers' fixtures make it; `bind` changes the environment of the next Gateway process."""

    server: PowerContextServer
    proxy: RecordingProxy
    scope_id: str
    environ: pytest.MonkeyPatch
    prepared: list[dict[str, Any]] = field(default_factory=list)
    """What the server answered to recalls, as it was on the wire."""
    seeded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.work_faithfully()
        # Wide deadlines: what a row says about time has its own tests.
        self.bind(
            base_url=self.proxy.base_url,
            owner_user_id=OWNER,
            scope_id=self.scope_id,
            token=self.server.token,
            recall_timeout_seconds=4.5,
            remember_timeout_seconds=20,
        )

    def bind(self, **settings: object) -> None:
        for name, value in settings.items():
            self.environ.setenv(f"POWERCONTEXT_DEERFLOW_{name.upper()}", str(value))

    def unbind(self, name: str) -> None:
        self.environ.delenv(f"POWERCONTEXT_DEERFLOW_{name.upper()}")

    @property
    def atomic(self) -> bool:
        """Whether this is the generation from 1.3.0 on, which does not de-duplicate."""
        return self.server.version == "1.4.1"

    @property
    def seen(self) -> list[str]:
        """Every request that arrived, in order; the second look's as ``LOOK``."""
        lines = [f"{request.method} {request.path}" for request in self.proxy.requests]
        return [line.replace(f"/{self.scope_id}/", "/{scope_id}/") for line in lines]

    @property
    def recalled(self) -> list[str]:
        """What a recall of the convention by the question sends: it answers half of it, so newer servers are asked for
        the rest.
        """
        return [PREPARE, LOOK] if self.atomic else [PREPARE]

    def bodies(self, method_and_path: str) -> list[dict[str, Any]]:
        return [r.json for r in self.proxy.requests if r.is_for(method_and_path)]

    def memories(self) -> list[Memory]:
        return self.server.memories(self.scope_id)

    def seed(self, text: str, kind: str = "fact") -> None:
        """Another client saves; none of it passes the proxy."""
        self.seeded.append(text)
        self.server.remember(self.scope_id, text, kind)

    def work_faithfully(self) -> None:
        self.proxy.fault = lambda request: self._keep if request.is_for(PREPARE) else None

    def fail(self, method_and_path: str, fault: Fault) -> None:
        self.proxy.fault = lambda request: fault if request.is_for(method_and_path) else None

    def fail_all(self, fault: Fault) -> None:
        self.proxy.fault = lambda _: fault

    def _keep(self, exchange: Exchange) -> None:
        got = exchange.forward()
        if got.startswith(b"HTTP/1.1 200 "):
            self.prepared.append(json.loads(got.partition(b"\r\n\r\n")[2]))
        exchange.connection.send(got)

    def assert_nothing_private_in(self, records: list[logging.LogRecord]) -> None:
        """Neither credential nor text nor query in any log line, tracebacks included."""
        logged = "\n".join(map(logging.Formatter().format, records))
        private = {self.server.token, *self.seeded}
        for request in self.proxy.requests:
            sent = request.json if request.body else {}
            private |= {sent[name] for name in ("query", "text") if name in sent}
        # The second look also asks for single words, and those may be any log line's own.
        private = {text for text in private if not (text.isascii() and text.isalpha())}
        assert [text for text in private if text in logged] == []


def diagnostics(name: str) -> dict[str, int]:
    """How often each code was reported for `recall` or `remember` since this Gateway started."""
    counts = runtime.current().events.counts
    return {code: count for (event, code), count in counts.items() if event == name}


def names_in(citation: dict[str, Any]) -> list[str]:
    """The ids by which a citation of either generation can be found in recalled text."""
    if "entry_id" in citation:
        return [citation["entry_id"], citation["entry_version_id"]]
    return [citation["artifact_id"]]


def failure(message: ToolMessage) -> str:
    """The text of a tool call that the host shows as failed."""
    assert message.status == "error", message.content
    return str(message.content)


def types(outbound: list[BaseMessage]) -> list[str]:
    """`system, human` is a first turn without memory; with memory there is one more `human`."""
    return [message.type for message in outbound]
