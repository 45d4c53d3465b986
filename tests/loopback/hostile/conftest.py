# SPDX-License-Identifier: Apache-2.0
"""A hostile server, a client of it with short deadlines, and the certainty that neither leaves anything behind."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import pytest

from powercontext_deerflow import PowerContext
from tests.loopback.hostile.world import (
    CALLS,
    RECALLS,
    SAVES,
    Call,
    TurningServer,
    healthy,
    settings,
)
from tests.support.servers.loopback import Bare, Behaviour
from tests.support.servers.network import issue_tls


class Serve(Protocol):
    def __call__(
        self, behaviour: Behaviour | Bare = healthy, tls: ssl.SSLContext | None = None
    ) -> TurningServer: ...


Connect = Callable[..., PowerContext]


@pytest.fixture(params=CALLS, ids=lambda call: call.id)
def call(request: pytest.FixtureRequest) -> Call:
    chosen: Call = request.param
    return chosen


@pytest.fixture(params=RECALLS, ids=lambda call: call.id)
def recall(request: pytest.FixtureRequest) -> Call:
    chosen: Call = request.param
    return chosen


@pytest.fixture(params=SAVES, ids=lambda call: call.id)
def save(request: pytest.FixtureRequest) -> Call:
    chosen: Call = request.param
    return chosen


@pytest.fixture
def closing(no_leaks: None) -> Iterator[ExitStack]:
    """Whatever is entered here is closed at the end, the last one first; then nothing may be left."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def serve(closing: ExitStack) -> Serve:
    def begin(
        behaviour: Behaviour | Bare = healthy, tls: ssl.SSLContext | None = None
    ) -> TurningServer:
        return closing.enter_context(TurningServer(behaviour, tls))

    return begin


@pytest.fixture
def connect(closing: ExitStack) -> Connect:
    """``connect(base_url, **settings)``: a client with short deadlines, closed at the end."""

    def begin(base_url: str, **given: Any) -> PowerContext:  # as loose as Settings' keywords
        return closing.enter_context(PowerContext(settings(base_url, **given)))

    return begin


@pytest.fixture(scope="session")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, str]:
    """A server context for 127.0.0.1 and localhost, and the file of the CA that vouches for it."""
    context, ca_file = issue_tls(tmp_path_factory.mktemp("tls"))
    return context, str(ca_file)


@pytest.fixture(scope="session")
def another_ca(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a CA that vouches for none of our servers."""
    ca_file: Path = issue_tls(tmp_path_factory.mktemp("another"))[1]
    return str(ca_file)
