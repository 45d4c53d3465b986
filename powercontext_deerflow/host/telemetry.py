# SPDX-License-Identifier: Apache-2.0
"""Spans and a metric for each recall and save, where OpenTelemetry is installed (extra ``otel``). No content.

Written after the operation has ended, so that nothing here can delay or break it. Names after OpenTelemetry's
conventions: a client span, ``error.type``, ``http.response.status_code``, a duration in seconds.
"""

from __future__ import annotations

from powercontext_deerflow.deadline import wall_clock_ns
from powercontext_deerflow.version import VERSION

try:
    from opentelemetry.metrics import get_meter
    from opentelemetry.trace import SpanKind, StatusCode, get_tracer
except ImportError:
    AVAILABLE = False
else:
    AVAILABLE = True
    _TRACER = get_tracer("powercontext_deerflow", VERSION)
    _DURATION = get_meter("powercontext_deerflow", VERSION).create_histogram(
        "powercontext.operation.duration", unit="s", description="Duration of a recall or a save"
    )


def observe(name: str, code: str, status: int | None, elapsed_ms: int, *, failed: bool) -> None:
    """One ended operation: its name, reason code, HTTP status if any, and duration. Never raises."""
    if not AVAILABLE:
        return
    attributes: dict[str, str | int] = {
        "powercontext.operation": name,
        "powercontext.outcome": code,
    }
    if failed:
        attributes["error.type"] = code
    if status is not None:
        attributes["http.response.status_code"] = status
    try:
        ended = wall_clock_ns()
        span = _TRACER.start_span(
            f"powercontext {name}",
            kind=SpanKind.CLIENT,
            attributes=attributes,
            start_time=ended - elapsed_ms * 1_000_000,
        )
        if failed:
            span.set_status(StatusCode.ERROR)
        span.end(ended)
        _DURATION.record(elapsed_ms / 1000, attributes)
    except Exception:  # noqa: BLE001, S110 - whoever exports is not ours, and memory works without it
        pass
