# SPDX-License-Identifier: Apache-2.0
"""What the unit tests themselves are held to."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.support.cases import each_case


@each_case(
    "begin",
    [
        socket.socket,
        lambda: socket.create_connection(("127.0.0.1", 9)),
        lambda: socket.getaddrinfo("localhost", 9),
        lambda: subprocess.run([sys.executable, "--version"], check=False),
        lambda: os.posix_spawn(sys.executable, [sys.executable, "--version"], {}),
        lambda: os.system("true"),
        lambda: os.fork(),
    ],
)
def test_a_unit_test_opens_no_socket_and_starts_no_process(begin: Callable[[], object]) -> None:
    with pytest.raises(pytest.fail.Exception, match="a unit test must not"):
        begin()


def test_event_loops_and_threads_are_allowed() -> None:
    async def in_a_thread() -> int:
        return await asyncio.to_thread(lambda: 7)

    assert asyncio.run(in_a_thread()) == 7
