# SPDX-License-Identifier: Apache-2.0
"""Spans and the metric, through OpenTelemetry's own in-memory exporters; and that neither can break a call."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys

import pytest
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from powercontext_deerflow.host.events import Event, Events
from powercontext_deerflow.host.runtime import Runtime
from tests.support.answers import PREPARE, prepared, refusal
from tests.support.bound import OWNER, TOKEN, settings
from tests.support.servers.hostile import HostileServer, answer, by_path

READER = InMemoryMetricReader()
EXPORTER = InMemorySpanExporter()


@pytest.fixture(scope="module", autouse=True)
def providers() -> None:
    """OpenTelemetry takes its providers once a process."""
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(EXPORTER))
    trace.set_tracer_provider(provider)
    metrics.set_meter_provider(MeterProvider([READER]))


@pytest.fixture(autouse=True)
def nothing_exported_yet() -> None:
    EXPORTER.clear()


def ended() -> list[ReadableSpan]:
    return list(EXPORTER.get_finished_spans())


def test_a_recall_and_a_save_are_spans_without_content() -> None:
    routes = {PREPARE: answer(200, prepared("recalled words"))}
    refused = answer(403, refusal("forbidden", "server words"))
    with HostileServer(by_path(routes, refused)) as server:
        bound = Runtime(settings(server.base_url, owner_user_id=OWNER))
        assert bound.recall(OWNER, "asked words") == "recalled words"
        asyncio.run(bound.remember(OWNER, "saved words", "fact"))
        bound.client.close()
    recall, save = ended()
    assert (recall.name, recall.kind, recall.status.status_code) == (
        "powercontext recall",
        SpanKind.CLIENT,
        StatusCode.UNSET,
    )
    assert dict(recall.attributes or {}) == {
        "powercontext.operation": "recall",
        "powercontext.outcome": "ready",
    }
    assert save.status.status_code is StatusCode.ERROR
    assert dict(save.attributes or {}) == {
        "powercontext.operation": "remember",
        "powercontext.outcome": "forbidden",
        "error.type": "forbidden",
        "http.response.status_code": 403,
    }
    assert (recall.end_time or 0) >= (recall.start_time or 0)
    shown = recall.to_json() + save.to_json() + str(READER.get_metrics_data())
    for word in (
        "asked words",
        "saved words",
        "recalled words",
        "server words",
        TOKEN,
        OWNER,
    ):
        assert word not in shown
    assert "powercontext.operation.duration" in shown


def test_each_operation_is_observed_though_its_log_line_is_held_back() -> None:
    events = Events()
    for _ in range(3):
        events.report(Event("recall", "connect_failed", elapsed_ms=1), logging.WARNING)
    assert len(ended()) == 3


def test_without_opentelemetry_nothing_is_observed() -> None:
    script = (
        "import sys; sys.modules['opentelemetry.metrics'] = None;"
        "from powercontext_deerflow.host import telemetry;"
        "assert not telemetry.AVAILABLE; telemetry.observe('recall', 'ready', None, 1, failed=False)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
