# SPDX-License-Identifier: Apache-2.0
"""Settings, and clients that are bound to a server of the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from powercontext_deerflow import PowerContext, Secret, Settings
from powercontext_deerflow.settings import PREFIX
from tests.support.servers.hostile import HostileServer
from tests.support.servers.loopback import Behaviour, LoopbackServer

OWNER = "owner-1"
SCOPE_ID = "scp_1"
TOKEN = "pct_zQ7secretzQ7"
NOWHERE = "http://127.0.0.1:1"
"""Nothing listens there."""


def settings(base_url: str, **given: Any) -> Settings:  # as loose as the keywords of Settings
    values = {"base_url": base_url, "scope_id": SCOPE_ID, "token": Secret(TOKEN), **given}
    return Settings(**values)


@contextmanager
def connected(behaviour: Behaviour, **given: Any) -> Iterator[tuple[PowerContext, HostileServer]]:
    """A client of a server that behaves so."""
    with (
        HostileServer(behaviour) as server,
        PowerContext(settings(server.base_url, **given)) as client,
    ):
        yield client, server


def asked(server: LoopbackServer) -> list[str]:
    return [f"{request.method} {request.path}" for request in server.requests]


def environment(base_url: str | None = NOWHERE, **changed: str | None) -> dict[str, str]:
    """The variables of a Gateway; None takes one away."""
    values = {
        "BASE_URL": base_url,
        "SCOPE_ID": SCOPE_ID,
        "OWNER_USER_ID": OWNER,
        "TOKEN": TOKEN,
        **{name.upper(): value for name, value in changed.items()},
    }
    return {PREFIX + name: value for name, value in values.items() if value is not None}


def bind(
    monkeypatch: pytest.MonkeyPatch, base_url: str | None = NOWHERE, **changed: str | None
) -> None:
    """The same in the environment of this process."""
    for name, value in environment(base_url, **changed).items():
        monkeypatch.setenv(name, value)
