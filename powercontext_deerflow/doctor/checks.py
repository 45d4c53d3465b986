# SPDX-License-Identifier: Apache-2.0
"""``powercontext-deerflow doctor``: runs what production runs, in order, and says why it does not work.

Another predicate than production's own is how health checks come to lie. A check that fails ends the examination,
because the later ones could say nothing. All of it ends within 15 seconds; the write probe has as many of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from powercontext_deerflow.api import calls, wire
from powercontext_deerflow.api.wire import KNOWN_CODES
from powercontext_deerflow.client import PowerContext
from powercontext_deerflow.deadline import Deadline, now
from powercontext_deerflow.doctor import probe
from powercontext_deerflow.doctor.findings import CODES, Finding, finding, found_by
from powercontext_deerflow.doctor.host import process
from powercontext_deerflow.doctor.visit import Visit
from powercontext_deerflow.errors import (
    AnswerError,
    ConfigurationError,
    NotSupportedByServer,
    PowerContextError,
    ServerError,
    TransportError,
)
from powercontext_deerflow.limits import closes_fence
from powercontext_deerflow.outcomes import NothingRecalled, Recalled, RecallFailed
from powercontext_deerflow.settings import Settings
from powercontext_deerflow.transport import Blocking, Engine, run
from powercontext_deerflow.transport.network import Resolver, connect
from powercontext_deerflow.transport.tls import context as tls_context

SECONDS: Final = 15.0
"""All checks together, whatever the network does; and the write probe as long again."""
QUESTION: Final = "powercontext doctor"
"""Two words: a longer question that found nothing would get a second look."""
NONSENSE: Final = "qzxv plomfratt wugglindo"
"""Words that nobody writes: a server that answers them with memories answers anything."""
_VERSION = re.compile(r"[0-9A-Za-z.+-]{1,32}\Z")
_TESTED_MAJOR = 1


def examine(*, probe_writing: bool = False) -> list[Finding]:
    """Every finding, in order. Writes nothing unless asked to; never raises."""
    overall = Deadline.after(SECONDS)
    bound: list[Settings] = []
    findings = process() + found_by("settings", lambda: _settings(bound))
    if bound:
        findings += found_by("client", lambda: _in_turn(bound[0], overall, probe_writing))
    return findings


def _settings(bound: list[Settings]) -> Iterator[Finding]:
    """Puts usable ones into ``bound``."""
    try:
        settings = Settings.from_environment()
    except ConfigurationError as error:
        yield from _unusable(error)
        return
    shown = (f"{field.name.upper()}={getattr(settings, field.name)}" for field in fields(settings))
    yield finding("settings", "settings_ok", " ".join(shown))
    for warning in settings.warnings:
        yield finding("settings", warning.code, warning.setting)
    bound.append(settings)


def _unusable(error: ConfigurationError) -> Iterator[Finding]:
    for problem in error.problems:
        code = problem.code if problem.code in CODES else "unexpected_failure"
        yield finding("settings", code, problem.setting)


def _in_turn(settings: Settings, overall: Deadline, probe_writing: bool) -> Iterator[Finding]:
    try:
        client = PowerContext(settings)
        engine = Engine(settings)
    except ConfigurationError as error:  # what was usable a moment ago
        yield from _unusable(error)
        return
    visit = Visit(settings, client, engine, overall)
    checks = _CHECKS + ((("probe", probe.probe),) if probe_writing else ())
    try:
        for name, check in checks:
            if name == "probe":
                visit.overall = Deadline.after(SECONDS)
            made = found_by(name, partial(_carried_out, name, check, visit))
            yield from made
            if any(one.level == "fault" for one in made):
                return
    finally:
        client.close(0)
        engine.close(0)


def _carried_out(
    name: str, check: Callable[[Visit], Iterator[Finding]], visit: Visit
) -> Iterator[Finding]:
    if visit.overall.expired:
        yield finding(name, "out_of_time")
        return
    try:
        yield from check(visit)
    except ServerError as error:
        yield _failure(name, error.code, error.status, structured=error.structured)
    except ConfigurationError as error:
        yield from _unusable(error)
    except PowerContextError as error:
        yield _failure(name, error.code)


def _failure(
    check: str, code: str, status: int | None = None, *, structured: bool = True
) -> Finding:
    """The fault for an error's code; a server's code without a row of its own falls under its status."""
    named = code
    if code == "http_404" and not structured:
        named = "not_powercontext"
    elif code not in CODES:
        by_status = f"http_{(status or 0) // 100}xx"
        named = by_status if by_status in CODES else "unexpected_failure"
    check = "auth" if named in ("unauthorized", "http_401") else check
    return finding(check, named, "" if named == code else code)


def _network(visit: Visit) -> Iterator[Finding]:
    """A want of threads, descriptors or memory may stop any stage: it belongs to the one that was under way."""
    url = urlsplit(visit.settings.base_url)
    secure = url.scheme == "https"
    host, port = url.hostname or "", url.port or (443 if secure else 80)
    by, resolver = visit.recall_deadline, Resolver()
    stage = "dns"
    try:
        resolver.addresses(host, port, by)
        yield finding("dns", "dns_ok")
        stage = "tcp"
        tls = tls_context(visit.settings.ca_file) if secure else None
        connect(resolver, host, port, tls, by).close()
    except TransportError as error:
        if error.code.startswith("tls_"):
            yield finding("tcp", "tcp_ok")
            stage = "tls"
        yield _failure(stage, error.code)
        return
    yield finding("tcp", "tcp_ok")
    yield finding("tls", "tls_ok" if secure else "tls_not_used")


def _server(visit: Visit) -> Iterator[Finding]:
    try:
        info = visit.client.server_info(deadline=visit.recall_deadline)
    except AnswerError:
        yield finding("server", "not_powercontext")
        return
    except NotSupportedByServer:
        # Too old to have it, or no PowerContext at this path: the Scope decides.
        visit.before_130 = True
        return
    except ServerError as error:
        if error.code != "forbidden":
            raise
        yield finding("server", "server_info_forbidden")  # no fault: nobody needs to ask
        return
    if info.product != "powercontext":
        yield finding("server", "not_powercontext")
        return
    version = info.package_version if _VERSION.match(info.package_version) else "unreadable version"
    contract = info.api_contract_version
    yield finding("server", "server_ok", f"{version}, API {contract.major}.{contract.minor}")
    if contract.major > _TESTED_MAJOR:
        yield finding("server", "server_untested")


def _scope(visit: Visit) -> Iterator[Finding]:
    old = finding("server", "server_before_130")
    try:
        same = visit.client.check_scope(deadline=visit.recall_deadline)
    except AnswerError as error:
        yield (
            finding("server", "not_powercontext")
            if visit.before_130
            else _failure("scope", error.code)
        )
        return
    except ServerError as error:
        if visit.before_130 and error.code in KNOWN_CODES and error.request_id:
            yield old
        raise
    if visit.before_130:
        yield old
    yield finding("auth", "auth_ok")
    yield finding("scope", "scope_ok" if same else "scope_id_differs")


def _search_modes(visit: Visit) -> Iterator[Finding]:
    try:
        known = run(lambda: calls.capabilities(Blocking(visit.engine), visit.recall_deadline))
        modes = set(known.search_modes)
    except (ServerError, AnswerError):
        yield finding("search", "search_modes_unknown")
        return
    by_meaning = modes & {"vector", "hybrid"}
    yield finding("search", "search_semantic" if by_meaning else "search_lexical_only")


def _recall(visit: Visit) -> Iterator[Finding]:
    started = now()
    outcome = visit.client.recall(QUESTION, deadline=visit.recall_deadline)
    took = now() - started
    match outcome:
        case RecallFailed():
            yield _failure("recall", outcome.code, outcome.status)
            return
        case Recalled() if closes_fence(outcome.content):
            yield finding("recall", "content_closes_fence")
        case Recalled():
            budget = f"{outcome.content_bytes} of {visit.settings.max_bytes} bytes"
            yield finding("recall", "recall_ok", budget)
        case NothingRecalled():
            yield finding("recall", "recall_empty")
    deadline = visit.settings.recall_timeout_seconds
    share = f"{took * 1000:.0f} ms of {deadline * 1000:.0f} ms"
    yield finding("latency", "latency_high" if took > deadline / 2 else "latency", share)


def _selectivity(visit: Visit) -> Iterator[Finding]:
    """The server's own answer, without the choice that production makes of it."""
    request = wire.PrepareRequest(visit.settings.scope_id, NONSENSE, visit.settings.max_bytes)
    prepared = run(lambda: calls.prepare(Blocking(visit.engine), request, visit.recall_deadline))
    if prepared.text is not None:
        yield finding("search", "search_answers_anything")


_CHECKS: tuple[tuple[str, Callable[[Visit], Iterator[Finding]]], ...] = (
    ("network", _network),
    ("server", _server),
    ("scope", _scope),
    ("search", _search_modes),
    ("recall", _recall),
    ("search", _selectivity),
    # The breaker's state has its place here; it lives in the Gateway's process, and this is another one.
)
