# SPDX-License-Identifier: Apache-2.0
"""What recall and saving share in one Gateway process: one settings snapshot, one client, one reporter.

Read once under a lock; a bad configuration is remembered as such. Rotation is an environment change and a restart.
"""

from __future__ import annotations

import logging
import threading
from typing import assert_never

from powercontext_deerflow.api.wire import Kind
from powercontext_deerflow.client import PowerContext
from powercontext_deerflow.deadline import Deadline, now
from powercontext_deerflow.errors import ConfigurationError, InputError, TransportError
from powercontext_deerflow.fork import tell_after_fork
from powercontext_deerflow.host.breaker import Breaker
from powercontext_deerflow.host.events import LOGGER, Event, Events
from powercontext_deerflow.host.given import Given
from powercontext_deerflow.limits import closes_fence, recall_query
from powercontext_deerflow.operations.recall import recall
from powercontext_deerflow.outcomes import (
    AlreadySaved,
    NothingRecalled,
    Recall,
    Recalled,
    RecallFailed,
    Saved,
    SaveNotSent,
    SaveOutcome,
    SaveRejected,
    SaveUnknown,
)
from powercontext_deerflow.owner import is_owner
from powercontext_deerflow.settings import Settings
from powercontext_deerflow.transport import IO, UNREACHABLE, run

QUERY_COMES_WITHIN = 10.0
"""Seconds after a first call without a query; if none came by then, the next such call says so."""
_LAST_WORDS = 1.0
"""Seconds for what was cut off to be reported."""


class Runtime:
    """The bound client behind the two host surfaces. Identity first, then everything else."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.client = PowerContext(settings)
        self.events = Events()
        self.breaker = Breaker()
        self.outlives_manager = False
        """Whether the host ends this later than its memory manager, when no tool runs any more."""
        self.given = Given()
        self._query_seen = False
        self._waiting_since: float | None = None
        for warning in settings.warnings:
            self.events.report(Event("settings", warning.code), logging.WARNING)
            LOGGER.warning("powercontext settings: %s", warning)

    def admits(self, user_id: object) -> bool:
        """Whether ``user_id`` is exactly the configured owner."""
        owner = self.settings.owner_user_id
        return owner is not None and is_owner(user_id, owner)

    def recall(self, user_id: object, query: object, thread_id: object = None) -> str:
        """The text to put in front of the model, or "". Never raises; a stranger causes no request.

        With a ``thread_id``, "" also if that conversation was given all of it on an earlier turn.
        """
        return run(lambda: self._recall(self.client._blocking, user_id, query, thread_id))

    async def arecall(self, user_id: object, query: object, thread_id: object = None) -> str:
        """As ``recall``, without blocking the event loop."""
        return await self._recall(self.client._on_loop, user_id, query, thread_id)

    async def _recall(self, io: IO, user_id: object, query: object, thread_id: object) -> str:
        started = now()
        try:
            outcome = self._answer_without_asking(user_id, query)
            if outcome is None:
                by = Deadline.after(self.settings.recall_timeout_seconds)
                outcome = self._learned_from(await recall(io, self.settings, query, by))
        except InputError as error:
            self.report("recall", error.code, logging.WARNING, started)
            return ""
        except Exception:  # noqa: BLE001 - the host would log the text of whatever escapes
            outcome = RecallFailed("internal_error")
        return self._told(outcome, started, query, thread_id)

    def _answer_without_asking(self, user_id: object, query: object) -> Recall | None:
        if not self.admits(user_id):
            return RecallFailed("not_owner")
        if recall_query(query) is None:
            return NothingRecalled("host_passes_no_query" if self._never_asked() else "no_query")
        self._query_seen = True
        return None if self.breaker.admits() else RecallFailed("breaker_open")

    def _never_asked(self) -> bool:
        """Hosts before 2026-09 pass no query, ever, and memory would be silently empty.

        Later ones may ask without one first, and with one moments later.
        """
        if self._waiting_since is None:
            self._waiting_since = now()
        return not self._query_seen and now() - self._waiting_since >= QUERY_COMES_WITHIN

    def _learned_from(self, outcome: Recall) -> Recall:
        if isinstance(outcome, RecallFailed) and outcome.code in UNREACHABLE:
            self.breaker.failed()
        else:
            self.breaker.reached()
        return outcome

    def _told(self, outcome: Recall, started: float, query: object, thread_id: object) -> str:
        """Report ``outcome`` and give what the host may have of it."""
        content, level = "", logging.INFO
        match outcome:
            case Recalled() if closes_fence(outcome.content):
                code, level = "content_closes_fence", logging.WARNING
            case Recalled() if not self.given.is_new(thread_id, query, outcome):
                code = "nothing_new"
            case Recalled():
                content, code = outcome.content, "ready_focused" if outcome.focused else "ready"
            case NothingRecalled():
                code = outcome.code
                level = logging.WARNING if code == "host_passes_no_query" else logging.INFO
            case RecallFailed():
                code, level = outcome.code, logging.WARNING
            case _:
                assert_never(outcome)
        status = outcome.status if isinstance(outcome, RecallFailed) else None
        self.report("recall", code, level, started, status, outcome.request_id)
        return content

    def report(
        self,
        name: str,
        code: str,
        level: int,
        started: float,
        status: int | None = None,
        request_id: str | None = None,
    ) -> None:
        elapsed = int((now() - started) * 1000)
        self.events.report(Event(name, code, status, request_id, elapsed), level)

    async def remember(self, user_id: object, text: str, kind: Kind) -> SaveOutcome:
        """Save for the owner; a stranger causes no request. Raises InputError for a refused text or kind.

        The thread that makes the save also reports its outcome: a save goes on when the host cancels its tool.
        """
        started = now()
        if not self.admits(user_id):
            return self._reported(SaveRejected("not_owner"), started)
        try:
            save = self.client._begin_save(text, kind)
            save.listen(lambda outcome: self._reported(outcome, started))
            return await save.aoutcome()
        except InputError as error:
            self.events.report(Event("remember", error.code), logging.INFO)
            raise
        except TransportError as error:
            if error.sent:  # it has begun, and is reported when it ends
                return SaveUnknown(error.code)
            return self._reported(SaveNotSent(error.code), started)
        except Exception:  # noqa: BLE001 - nothing is claimed of a save that broke off
            return self._reported(SaveUnknown("internal_error"), started)

    def close(self, budget: float) -> None:
        """Refuse new calls, give those under way ``budget`` seconds, cut them off, and report what was cut off."""
        self.client.close(budget)
        self.client.flush(_LAST_WORDS)

    async def aclose(self, budget: float) -> None:
        """As ``close``, without blocking the event loop and without its executor, which may be full or shut down."""
        await self.client.aclose(budget)
        await self.client.aflush(_LAST_WORDS)

    def _reported(self, outcome: SaveOutcome, started: float) -> SaveOutcome:
        match outcome:
            case Saved():
                code, level = "saved", logging.INFO
                if outcome.unfamiliar_keys:
                    self.events.report(Event("remember", "unfamiliar_keys"), logging.WARNING)
            case AlreadySaved():
                code, level = "already_saved", logging.INFO
            case SaveUnknown() | SaveRejected() | SaveNotSent():
                code, level = outcome.code, logging.WARNING
            case _:
                assert_never(outcome)
        status = outcome.status if isinstance(outcome, SaveUnknown | SaveRejected) else None
        request_id = None if isinstance(outcome, SaveNotSent) else outcome.request_id
        self.report("remember", code, level, started, status, request_id)
        return outcome


class _Process:
    """The one runtime of this process, or the reason why there is none."""

    def __init__(self) -> None:
        self.after_fork()
        tell_after_fork(self)

    def after_fork(self) -> None:
        self._lock = threading.RLock()  # reentrant: a signal handler may recall, too
        self._held: Runtime | ConfigurationError | None = None

    def runtime(self) -> Runtime:
        held = self._held
        if held is None:
            with self._lock:
                held = self._held = self._held or _load()
        if isinstance(held, ConfigurationError):
            raise ConfigurationError(*held.problems)
        return held


def _load() -> Runtime | ConfigurationError:
    try:
        return Runtime(Settings.from_environment())
    except ConfigurationError as error:
        LOGGER.error("powercontext is not usable in this process: %s", error)
        return error


_PROCESS = _Process()


def current() -> Runtime:
    """The runtime of this process, from the environment as it was at the first call. Raises ConfigurationError."""
    return _PROCESS.runtime()


def forget() -> None:
    """Drop the snapshot without closing it, as a fork does; the next ``current`` reads the environment anew."""
    _PROCESS.after_fork()
