# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that measures what the acceptance and hostile suites do, for `make evidence`. Changes no test.

It watches from outside: the servers' own request counters, the clock around each SDK call, what the real servers hold
when they are closed.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from powercontext_deerflow import Recalled, Saved, saving
from powercontext_deerflow.transport import Engine
from powercontext_deerflow.wire import ArtifactCitation, RememberRequest
from tests.hostile.world import Call
from tests.servers.loopback import LoopbackServer
from tests.servers.plain_client import PlainClient
from tests.servers.real import PowerContextServer

_SERVERS_ID = re.compile(r"art_[0-9a-f]{32}\Z")
Key = tuple[str, str, str]  # Scope, kind, text


class Evidence:
    def __init__(self, into: Path) -> None:
        self.into = into
        self.figures: Counter[str] = Counter()
        self.overshoot_ms = 0.0
        self.saved: list[tuple[RememberRequest, ArtifactCitation]] = []
        self.seeded: Counter[Key] = Counter()
        self.tests: Counter[str] = Counter()

    # --- measured while the tests run

    def called(self, call: Call, client: Any, texts: list[str], timed: list[Any]) -> None:
        for text, one in zip(texts, timed, strict=True):
            self.figures["sdk_calls"] += 1
            self.overshoot_ms = max(self.overshoot_ms, (one.seconds - call.deadline(client)) * 1000)
            if isinstance(one.outcome, Recalled) and "|" in one.outcome.content:
                self.figures["answers_compared"] += 1
                scope_id, _, query = one.outcome.content.partition("|")
                self.figures["foreign_answers"] += (scope_id, query) != (
                    client.settings.scope_id,
                    text,
                )

    def audited(self, server: PowerContextServer) -> None:
        """What this server holds of everything that was reported as saved; other servers' Scopes are not its own."""
        version = tuple(map(int, server.version.split(".")))
        for request, citation in self.saved if version >= (1, 3) else ():
            path = f"/v1/scopes/{request.scope_id}/artifacts/atomic-memory/{citation.artifact_id}"
            try:
                server.call("GET", path)
            except RuntimeError as error:
                self.figures["memories_lost"] += "scope_not_found" not in str(error)
            else:
                self.figures["saves_read_back"] += 1
        for scope_id in {request.scope_id for request, _ in self.saved}:
            try:
                held = Counter(
                    (scope_id, one["kind"], one["text"]) for one in server.memories(scope_id)
                )
            except RuntimeError:
                continue
            ours = {(r.scope_id, r.kind, r.text) for r, _ in self.saved}
            extra = (held[key] - max(1, self.seeded[key]) for key in ours & held.keys())
            self.figures["duplicates_made"] += sum(max(0, more) for more in extra)

    # --- pytest

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.failed:
            folder = report.nodeid.split("/")[1]
            self.tests[f"{folder} {report.outcome}"] += 1

    def pytest_sessionfinish(self) -> None:
        found = {"figures": self.figures, "overshoot_ms": self.overshoot_ms, "tests": self.tests}
        self.into.write_text(json.dumps(found))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--evidence", type=Path, required=True, help="where to write what was measured"
    )


def pytest_configure(config: pytest.Config) -> None:
    evidence = Evidence(config.getoption("--evidence"))
    config.pluginmanager.register(evidence)
    all_at_once, server_exit, close = (
        Call.all_at_once,
        LoopbackServer.__exit__,
        PowerContextServer.close,
    )
    save, remember = saving.save, PlainClient.remember

    def watched_calls(call: Call, client: Any, texts: list[str]) -> list[Any]:
        timed = all_at_once(call, client, texts)
        evidence.called(call, client, texts, timed)
        return timed

    def watched_exit(server: LoopbackServer, *error: Any) -> None:
        evidence.figures["requests_counted"] += len(server.requests)
        server_exit(server, *error)

    def watched_close(server: PowerContextServer) -> None:
        if server.port and server._process is not None:
            evidence.audited(server)
        close(server)

    def watched_save(engine: Engine, request: RememberRequest, *rest: Any, **more: Any) -> Any:
        outcome = save(engine, request, *rest, **more)
        citation = outcome.citation if isinstance(outcome, Saved) else None
        # A test may forge an answer; only the server's own ids say that it was the server who confirmed.
        if isinstance(citation, ArtifactCitation) and _SERVERS_ID.match(citation.artifact_id):
            evidence.saved.append((request, citation))
        return outcome

    def watched_remember(client: PlainClient, scope_id: str, text: str, kind: str = "fact") -> Any:
        evidence.seeded[scope_id, kind, text] += 1
        return remember(client, scope_id, text, kind)

    watched: tuple[tuple[object, str, object], ...] = (
        (Call, "all_at_once", watched_calls),
        (LoopbackServer, "__exit__", watched_exit),
        (PowerContextServer, "close", watched_close),
        (saving, "save", watched_save),
        (PlainClient, "remember", watched_remember),
    )
    for owner, name, replacement in watched:
        setattr(owner, name, replacement)
