# SPDX-License-Identifier: Apache-2.0
"""``powercontext-deerflow doctor``: runs what production runs, in order, and says why it does not work.

Another predicate than production's own is how health checks come to lie (facts: failure-classes B20). A check that
fails ends the examination, because the later ones could say nothing. All of it ends within 15 seconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Final
from urllib.parse import urlsplit

from powercontext_deerflow import exchanges, write_probe
from powercontext_deerflow.client import PowerContext
from powercontext_deerflow.deadline import Deadline, now
from powercontext_deerflow.errors import (
    AnswerError,
    ConfigurationError,
    PowerContextError,
    ServerError,
    TransportError,
)
from powercontext_deerflow.findings import CODES, Finding, finding
from powercontext_deerflow.host_check import process
from powercontext_deerflow.outcomes import NothingRecalled, Recalled, RecallFailed
from powercontext_deerflow.settings import Settings
from powercontext_deerflow.text import closes_fence
from powercontext_deerflow.transport import Engine
from powercontext_deerflow.transport.network import Resolver, connect
from powercontext_deerflow.transport.tls import context as tls_context
from powercontext_deerflow.visit import Visit

SECONDS: Final = 15.0
"""All checks together, whatever the network does."""
QUESTION: Final = "powercontext doctor"
"""Two words: a longer question that found nothing would get a second look."""
_VERSION = re.compile(r"[0-9A-Za-z.+-]{1,32}\Z")
_TESTED_MAJOR = 1
_STAGES = (("dns", "dns_"), ("tcp", "connect_"), ("tls", "tls_"))


def examine(*, probe_writing: bool = False) -> list[Finding]:
    """Every finding, in order. Writes nothing unless asked to; never raises for a fault."""
    overall = Deadline.after(SECONDS)
    findings = list(process())
    try:
        settings = Settings.from_environment()
    except ConfigurationError as error:
        return findings + [finding("settings", p.code, p.setting) for p in error.problems]
    shown = (f"{field.name.upper()}={getattr(settings, field.name)}" for field in fields(settings))
    findings.append(finding("settings", "settings_ok", " ".join(shown)))
    findings += [
        finding("settings", warning.code, warning.setting) for warning in settings.warnings
    ]
    visit = Visit(settings, PowerContext(settings), Engine(settings), overall)
    try:
        for name, check in _CHECKS + ((("probe", write_probe.probe),) if probe_writing else ()):
            made = _carried_out(name, check, visit)
            findings += made
            if any(one.level == "fault" for one in made):
                break
    finally:
        visit.client.close(0)
        visit.engine.close(0)
    return findings


def _carried_out(
    name: str, check: Callable[[Visit], Iterator[Finding]], visit: Visit
) -> list[Finding]:
    if visit.overall.expired:
        return [finding(name, "out_of_time")]
    try:
        return list(check(visit))
    except ServerError as error:
        return [_failure(name, error.code, error.status, structured=error.structured)]
    except PowerContextError as error:
        return [_failure(name, error.code)]


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
    url = urlsplit(visit.settings.base_url)
    secure = url.scheme == "https"
    tls = tls_context(visit.settings.ca_file) if secure else None
    port = url.port or (443 if secure else 80)
    failed = ""
    try:
        connect(Resolver(), url.hostname or "", port, tls, visit.recall_deadline).close()
    except TransportError as error:
        failed = error.code
    for stage, prefix in _STAGES:
        if failed.startswith(prefix):
            yield finding(stage, failed)
            return
        yield finding(stage, f"{stage}_ok" if secure or stage != "tls" else "tls_not_used")


def _server(visit: Visit) -> Iterator[Finding]:
    try:
        info = visit.client.server_info(deadline=visit.recall_deadline)
    except AnswerError:
        yield finding("server", "not_powercontext")
        return
    except ServerError as error:
        if not error.structured or error.status not in (403, 404):
            raise
        # Neither is a fault: the one may not ask, the other is too old to answer (facts: powercontext-api 0).
        visit.before_130 = error.status == 404
        code = "server_before_130" if visit.before_130 else "server_info_forbidden"
        yield finding("server", code)
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
    same = visit.client.check_scope(deadline=visit.recall_deadline)
    yield finding("auth", "auth_ok")
    yield finding("scope", "scope_ok" if same else "scope_id_differs")


def _search_modes(visit: Visit) -> Iterator[Finding]:
    try:
        modes = set(exchanges.capabilities(visit.engine, visit.recall_deadline).search_modes)
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


_CHECKS: tuple[tuple[str, Callable[[Visit], Iterator[Finding]]], ...] = (
    ("network", _network),
    ("server", _server),
    ("scope", _scope),
    ("search", _search_modes),
    ("recall", _recall),
    # The breaker's state has its place here; it lives in the Gateway's process, and this is another one.
)
