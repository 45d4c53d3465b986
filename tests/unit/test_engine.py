# SPDX-License-Identifier: Apache-2.0
"""An engine that could not read its roots when it was made, and not later either."""

from __future__ import annotations

import pytest

from powercontext_deerflow import (
    ConfigurationError,
    PowerContext,
    Problem,
    RecallFailed,
    SaveNotSent,
    Secret,
    Settings,
    TransportError,
)
from powercontext_deerflow.transport import engine


def test_roots_that_are_gone_when_they_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    problems: list[Exception] = [TransportError("no_descriptor", sent=False)]

    def context(ca_file: str | None) -> None:
        raise (
            problems.pop()
            if problems
            else ConfigurationError(Problem("CA_FILE", "ca_file_unreadable", "advice"))
        )

    monkeypatch.setattr(engine, "context", context)
    bound = Settings(base_url="https://127.0.0.1:9", scope_id="scp_1", token=Secret("t"))
    with PowerContext(bound) as client:
        assert client.recall("q") == RecallFailed("ca_file_unreadable")
        assert client.remember("text") == SaveNotSent("ca_file_unreadable")
        with pytest.raises(TransportError, match="ca_file_unreadable") as refused:
            client.search("q")
        assert not refused.value.sent
