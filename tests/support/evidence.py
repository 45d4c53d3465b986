# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that measures what the acceptance and hostile suites do, for `make evidence`. Changes no test.

It watches from outside: the servers' own request counters, the clock around each SDK call, what each save came to and
how often it was sent, what the real servers hold when they are closed.
"""

from __future__ import annotations

import ast
import json
import re
import threading
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from powercontext_deerflow import Recalled, Saved
from powercontext_deerflow.api import calls as exchanges
from powercontext_deerflow.api.wire import ArtifactCitation, RememberRequest
from powercontext_deerflow.host.events import Event, Events
from powercontext_deerflow.host.runtime import Runtime
from powercontext_deerflow.operations import save as saving
from powercontext_deerflow.outcomes import SaveOutcome
from powercontext_deerflow.transport import IO
from tests.loopback.hostile.world import Call
from tests.support.servers.loopback import LoopbackServer
from tests.support.servers.plain_client import PlainClient
from tests.support.servers.real import PowerContextServer

_SERVERS_ID = re.compile(r"art_[0-9a-f]{32}\Z")
OTHER = "other"
"""The column of tests that are not about one of the four calls."""
Key = tuple[str, str, str]  # Scope, kind, text


class Evidence:
    def __init__(self, into: Path) -> None:
        self.into = into
        self.figures: Counter[str] = Counter()
        self.overshoot_ms = 0.0
        self.requests: Counter[str] = Counter()
        self.outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """Of the calls that were timed: operation, then outcome."""
        self.sent: defaultdict[str, Counter[int]] = defaultdict(Counter)
        """Of all saves: outcome, then how often it was sent."""
        self.saved: list[tuple[RememberRequest, ArtifactCitation]] = []
        self.confirmed: Counter[Key] = Counter()
        """How often a real server's own citation was given for this text: by a save or by a look before one."""
        self.seeded: Counter[Key] = Counter()
        self.tests: Counter[str] = Counter()
        self.situations: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """Of the tests that passed: what their module is about, then the call that was made."""
        self.abouts: dict[Path, str] = {}

    # --- measured while the tests run

    def called(self, call: Call, client: Any, texts: list[str], timed: list[Any]) -> None:
        for text, one in zip(texts, timed, strict=True):
            self.outcomes[call.id][label(one.outcome)] += 1
            self.overshoot_ms = max(self.overshoot_ms, (one.seconds - call.deadline(client)) * 1000)
            if isinstance(one.outcome, Recalled) and "|" in one.outcome.content:
                self.figures["answers_compared"] += 1
                scope_id, _, query = one.outcome.content.partition("|")
                self.figures["foreign_answers"] += (scope_id, query) != (
                    client.settings.scope_id,
                    text,
                )

    def has_saved(self, request: RememberRequest, outcome: Any, sent: int) -> None:
        self.sent[label(outcome)][sent] += 1
        citation = getattr(outcome, "citation", None)
        # A test may forge an answer; only the server's own ids say that it was the server who confirmed.
        if isinstance(citation, ArtifactCitation) and _SERVERS_ID.match(citation.artifact_id):
            self.confirmed[request.scope_id, request.kind, request.text] += 1
            if isinstance(outcome, Saved):
                self.saved.append((request, citation))

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
        for scope_id in {scope_id for scope_id, _, _ in self.confirmed}:
            try:
                memories = server.memories(scope_id)
            except RuntimeError:
                continue
            self._count_duplicates(
                Counter((scope_id, one["kind"], one["text"]) for one in memories)
            )

    def _count_duplicates(self, held: Counter[Key]) -> None:
        for key in self.confirmed.keys() & held.keys():
            if self.confirmed[key] > 1:
                self.figures[f"repeated {texture(key[2])}"] += 1
                self.figures["repetitions"] += self.confirmed[key] - 1
            self.figures["duplicates_made"] += max(0, held[key] - max(1, self.seeded[key]))

    # --- pytest

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Any:
        report = yield
        # A test that loops over its cases records how many they were.
        cases = int(str(dict(item.user_properties).get("cases", 1)))
        if report.when == "call" or report.failed:
            folder = report.nodeid.split("/")[2]
            self.tests[f"{folder} {report.outcome}"] += cases
        if report.when == "call" and report.passed:
            made = getattr(item, "callspec", None)
            calls = [one for one in (made.params.values() if made else ()) if isinstance(one, Call)]
            self.situations[self._about(item.path)][calls[0].id if calls else OTHER] += cases
        return report

    def _about(self, path: Path) -> str:
        """The first sentence of a test's module, and which it is."""
        if path not in self.abouts:
            said = (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n\n")[0]
            said = re.sub(r"\s+", " ", said)
            self.abouts[path] = f"{path.parent.name}/{path.stem}: {said}"
        return self.abouts[path]

    def pytest_sessionfinish(self) -> None:
        found = {
            name: getattr(self, name)
            for name in (
                *("figures", "overshoot_ms", "requests", "outcomes", "sent", "tests", "situations"),
            )
        }
        self.into.write_text(json.dumps(found))


def label(outcome: object) -> str:
    """The class of an outcome, with its code or with what confirmed it."""
    more = getattr(outcome, "code", None) or getattr(outcome, "confirmed_by", None)
    return type(outcome).__name__ + (f" ({more})" if more else "")


def operation(path: str) -> str:
    named = re.fullmatch(r".*/v1/(context/prepare|memory/(?:search|remember))", path)
    return named[1] if named else OTHER


def texture(text: str) -> str:
    """What a search by words can make of a text, roughly."""
    letters = [character for character in text if character.isalnum()]
    if not letters:
        return "without a letter or digit"
    if len(letters) == 1:
        return "of one letter or digit"
    ascii_only = all(character.isascii() for character in letters)
    return "in ASCII letters" if ascii_only else "in other letters"


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
    save, send, remember = saving.in_turn, exchanges.remember, PlainClient.remember
    begin, report = Runtime.remember, Events.report
    this_save = threading.local()

    def watched_calls(call: Call, client: Any, texts: list[str]) -> list[Any]:
        timed = all_at_once(call, client, texts)
        evidence.called(call, client, texts, timed)
        return timed

    def watched_exit(server: LoopbackServer, *error: Any) -> None:
        evidence.requests.update(operation(request.path) for request in server.requests)
        server_exit(server, *error)

    def watched_close(server: PowerContextServer) -> None:
        if server.is_running:
            evidence.audited(server)
        close(server)

    async def watched_save(io: IO, request: RememberRequest, *rest: Any) -> SaveOutcome:
        this_save.sent = 0
        outcome = await save(io, request, *rest)
        evidence.has_saved(request, outcome, this_save.sent)
        return outcome

    def watched_send(*given: Any, **more: Any) -> Any:
        this_save.sent = getattr(this_save, "sent", 0) + 1
        return send(*given, **more)

    def watched_remember(client: PlainClient, scope_id: str, text: str, kind: str = "fact") -> Any:
        evidence.seeded[scope_id, kind, text] += 1
        return remember(client, scope_id, text, kind)

    async def watched_tool(runtime: Runtime, *given: Any) -> Any:
        evidence.figures["tool_saves"] += 1
        return await begin(runtime, *given)

    def watched_report(events: Events, event: Event, level: int) -> None:
        ends = event.name == "remember" and event.code != "unfamiliar_keys"
        evidence.figures["tool_reports"] += ends
        report(events, event, level)

    watched: tuple[tuple[object, str, object], ...] = (
        (Call, "all_at_once", watched_calls),
        (LoopbackServer, "__exit__", watched_exit),
        (PowerContextServer, "close", watched_close),
        (saving, "in_turn", watched_save),
        (exchanges, "remember", watched_send),
        (PlainClient, "remember", watched_remember),
        (Runtime, "remember", watched_tool),
        (Events, "report", watched_report),
    )
    for owner, name, replacement in watched:
        setattr(owner, name, replacement)
