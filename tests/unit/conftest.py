# SPDX-License-Identifier: Apache-2.0
"""A unit test opens no socket, looks up no name and starts no process: it ends before it can."""

from __future__ import annotations

import os
import socket
import subprocess
from typing import Any, NoReturn

import pytest

_STARTS = ("fork", "forkpty", "posix_spawn", "posix_spawnp", "system")


def refuse(what: str) -> NoReturn:
    # No Exception: what is tested may take an OSError for a fault of the system, and go on.
    pytest.fail(f"a unit test must not {what}: such a test belongs into tests/loopback")


@pytest.fixture(autouse=True)
def neither_sockets_nor_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    def new_socket(self: socket.socket, *given: Any, **more: Any) -> None:
        if len(given) < 4 and more.get("fileno") is None:
            refuse("open a socket")
        made(self, *given, **more)  # an end of a pair, as event loops have one

    made = socket.socket.__init__
    monkeypatch.setattr(socket.socket, "__init__", new_socket)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: refuse("look up a name"))
    monkeypatch.setattr(subprocess.Popen, "__init__", lambda *_, **__: refuse("start a process"))
    monkeypatch.setattr(subprocess.Popen, "__del__", lambda _: None)  # of one that was never made
    for name in _STARTS:
        monkeypatch.setattr(os, name, lambda *_, **__: refuse("start a process"))
