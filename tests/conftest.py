# SPDX-License-Identifier: Apache-2.0
"""Fixtures that every test may ask for: real servers, a Scope, a clean environment, no leaks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.servers import leaks
from tests.support.servers.real import PowerContextServer

_TIMED = Path(__file__).parent / "loopback" / "hostile"
_OURS = ("POWERCONTEXT_DEERFLOW_", "DEER_FLOW_")
_PROXIES = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`make test` gives whole files to its workers, and to one of them alone what measures the time of calls."""
    for item in items:
        timed = _TIMED in item.path.parents
        item.add_marker(pytest.mark.xdist_group("timed" if timed else item.path.stem))


@pytest.fixture(autouse=True)
def clean_environ(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of ours or of the host, and no proxy, comes from the developer's shell."""
    for name in list(os.environ):
        if name.startswith(_OURS) or name.upper() in _PROXIES:
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def powercontext_141() -> Iterator[PowerContextServer]:
    """A real 1.4.1 server, its Chinese dictionary loaded. Who pauses it resumes it."""
    with PowerContextServer("1.4.1") as server:
        server.warm_han(server.create_scope("warm-up"))
        yield server


@pytest.fixture(scope="session")
def powercontext_120() -> Iterator[PowerContextServer]:
    """A real 1.2.0 server: the generation that de-duplicates and answers with an entry."""
    with PowerContextServer("1.2.0") as server:
        yield server


@pytest.fixture
def scope(powercontext_141: PowerContextServer, request: pytest.FixtureRequest) -> str:
    """A new Scope on the 1.4.1 server."""
    return powercontext_141.create_scope(request.node.name[:64])


@pytest.fixture
def no_leaks() -> Iterator[None]:
    """The test leaves no thread and no socket behind."""
    with leaks.no_leaks():
        yield
