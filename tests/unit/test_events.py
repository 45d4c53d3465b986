# SPDX-License-Identifier: Apache-2.0
"""Every outcome is counted, few are logged, and no record carries more than an event's five fields."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import threading

import pytest

from powercontext_deerflow.host import telemetry
from powercontext_deerflow.host.events import LOGGER, Event, Events


class Clock:
    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("powercontext_deerflow.host.events.now", clock)
    return clock


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG, logger="powercontext_deerflow")
    return caplog


def held_back(log: pytest.LogCaptureFixture) -> list[int]:
    return [vars(record)["powercontext_held_back"] for record in log.records]


def test_one_event(clock: Clock, log: pytest.LogCaptureFixture) -> None:
    event = Event("recall", "http_503", 503, "af5121ca419727ce", 42)
    reporter = Events()
    reporter.report(event, logging.WARNING)

    assert reporter.counts == {("recall", "http_503"): 1}
    (record,) = log.records
    assert (record.name, record.levelno) == ("powercontext_deerflow", logging.WARNING)
    assert vars(record)["powercontext_event"] is event
    assert record.getMessage() == (
        "powercontext recall: http_503 "
        "(status=503 request_id=af5121ca419727ce elapsed_ms=42 held_back=0)"
    )


def test_once_a_minute_with_the_number_held_back(
    clock: Clock, log: pytest.LogCaptureFixture
) -> None:
    reporter = Events()
    event = Event("recall", "dns_timeout")
    for at in (0.0, 1.0, 30.0, 59.999):
        clock.time = 1000.0 + at
        reporter.report(event, logging.WARNING)
    assert held_back(log) == [0]

    clock.time = 1060.0
    reporter.report(event, logging.WARNING)
    assert held_back(log) == [0, 3]
    assert "held_back=3" in log.records[-1].getMessage()

    clock.time = 1119.0  # the minute counts from the last one logged, and the number starts again
    reporter.report(event, logging.WARNING)
    clock.time = 1120.0
    reporter.report(event, logging.WARNING)
    assert held_back(log) == [0, 3, 1]

    clock.time = 9999.0
    reporter.report(event, logging.WARNING)
    assert held_back(log) == [0, 3, 1, 0]
    assert reporter.counts == {("recall", "dns_timeout"): 8}


def test_the_first_event_is_logged_on_a_clock_that_starts_at_zero(
    clock: Clock, log: pytest.LogCaptureFixture
) -> None:
    clock.time = 0.0
    reporter = Events()
    for _ in range(2):
        reporter.report(Event("recall", "ready"), logging.INFO)
    assert held_back(log) == [0]


def test_each_kind_has_its_own_minute(clock: Clock, log: pytest.LogCaptureFixture) -> None:
    reporter = Events()
    kinds = [("recall", "ready"), ("recall", "empty"), ("remember", "ready"), ("host", "empty")]
    for _ in range(3):
        for name, code in kinds:
            reporter.report(Event(name, code), logging.INFO)

    assert reporter.counts == dict.fromkeys(kinds, 3)
    logged = [vars(record)["powercontext_event"] for record in log.records]
    assert [(event.name, event.code) for event in logged] == kinds


def test_what_differs_within_a_kind_opens_no_new_minute(
    clock: Clock, log: pytest.LogCaptureFixture
) -> None:
    """Request ids differ every time; they must not defeat the limit."""
    reporter = Events()
    for number in range(20):
        event = Event("recall", "http_503", 500 + number, f"{number:016x}", number)
        reporter.report(event, logging.WARNING - number)
    assert len(log.records) == 1
    assert reporter.counts == {("recall", "http_503"): 20}


def test_two_reporters_share_nothing(clock: Clock, log: pytest.LogCaptureFixture) -> None:
    one, two = Events(), Events()
    one.report(Event("recall", "ready"), logging.INFO)
    assert two.counts == {}
    two.report(Event("recall", "ready"), logging.INFO)
    assert len(log.records) == 2


def test_counts_are_a_copy(clock: Clock) -> None:
    reporter = Events()
    reporter.report(Event("recall", "ready"), logging.INFO)
    reporter.counts.clear()
    reporter.counts[("recall", "ready")] = 99
    assert reporter.counts == {("recall", "ready"): 1}


def test_a_level_that_is_off_still_counts(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, logger="powercontext_deerflow")
    reporter = Events()
    reporter.report(Event("recall", "ready"), logging.INFO)
    assert caplog.records == []
    assert reporter.counts == {("recall", "ready"): 1}


def test_two_threads_do_not_both_find_the_minute_free(
    monkeypatch: pytest.MonkeyPatch, log: pytest.LogCaptureFixture
) -> None:
    """Each thread that reads the clock waits for the other one to read it too: with a lock, it cannot."""
    both = threading.Barrier(2)

    def meet() -> float:
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(0.3)
        return 1000.0

    monkeypatch.setattr("powercontext_deerflow.host.events.now", meet)
    reporter = Events()
    event = Event("recall", "ready")
    threads = [threading.Thread(target=reporter.report, args=(event, 20)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert reporter.counts == {("recall", "ready"): 2}
    assert held_back(log) == [0]


def test_32_threads_lose_no_count(clock: Clock, log: pytest.LogCaptureFixture) -> None:
    reporter = Events()
    start = threading.Barrier(32)

    def report(own: str) -> None:
        start.wait()
        for _ in range(200):
            reporter.report(Event("recall", "shared"), logging.INFO)
            reporter.report(Event("recall", own), logging.INFO)

    threads = [threading.Thread(target=report, args=(f"own{n}",)) for n in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    expected = {("recall", f"own{n}"): 200 for n in range(32)} | {("recall", "shared"): 32 * 200}
    assert reporter.counts == expected
    logged = [vars(record)["powercontext_event"].code for record in log.records]
    assert sorted(logged) == sorted({code for _, code in expected})

    clock.time += 60.0
    reporter.report(Event("recall", "shared"), logging.INFO)
    assert held_back(log)[-1] == 32 * 200 - 1


def test_a_record_holds_the_events_fields_and_nothing_else(
    clock: Clock, log: pytest.LogCaptureFixture
) -> None:
    event = Event("remember", "saved", 200, "d679c5428b68aae2", 7)
    Events().report(event, logging.INFO)

    (record,) = log.records
    plain = logging.LogRecord("n", 0, "p", 0, "m", None, None)
    extra = vars(record).keys() - vars(plain).keys() - {"message", "asctime", "taskName"}
    assert extra == {"powercontext_event", "powercontext_held_back"}
    assert record.args == (*dataclasses.astuple(event), 0)
    assert record.exc_info is None
    assert record.stack_info is None


def test_an_event_has_five_fields_and_takes_no_more() -> None:
    event = Event("recall", "ready")
    names = [field.name for field in dataclasses.fields(event)]
    assert names == ["name", "code", "status", "request_id", "elapsed_ms"]
    with pytest.raises((AttributeError, TypeError)):
        event.text = "recalled"  # type: ignore[attr-defined]
    with pytest.raises(dataclasses.FrozenInstanceError):
        event.code = "other"  # type: ignore[misc]


def test_a_log_that_fails_is_nobody_elses_failure() -> None:
    class Full(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise OSError("no space left on device")

    full = Full()
    LOGGER.addHandler(full)
    try:
        events = Events()
        events.report(Event("recall", "ready", elapsed_ms=1), logging.WARNING)
        assert events.counts == {("recall", "ready"): 1}
    finally:
        LOGGER.removeHandler(full)


def test_a_failing_exporter_breaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing:
        def start_span(self, *_: object, **__: object) -> object:
            raise RuntimeError("the exporter is broken")

    monkeypatch.setattr(telemetry, "_TRACER", Failing())
    telemetry.observe("recall", "ready", None, 1, failed=False)
