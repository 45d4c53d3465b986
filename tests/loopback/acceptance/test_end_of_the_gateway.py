# SPDX-License-Identifier: Apache-2.0
"""A save under way when the Gateway ends is stored, waited for and reported once, with memory on or off."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.loopback.acceptance.deployment import CONVENTION, OWNER, Deployment
from tests.support.answers import REMEMBER
from tests.support.gateway import Gateway, owner, result
from tests.support.servers.proxy import hold_until

SCRIPT = Path(__file__).parent / "ending_gateway.py"
WITHIN = 25.0
"""Seconds for a Gateway to start, or to end; its own budget is less than ten."""


class Process:
    """The Gateway, with what it says and logs."""

    def __init__(self, popen: subprocess.Popen[str]) -> None:
        self._popen = popen
        self.said: list[str] = []

    def terminate(self) -> None:
        self._popen.send_signal(signal.SIGTERM)

    def says(self, what: str) -> None:
        """Return once it has said this; what it said before is kept."""
        assert self._popen.stdout is not None
        for line in self._popen.stdout:
            self.said.append(line.strip())
            if self.said[-1] == what:
                return
        raise AssertionError(f"it ended without {what!r}: {self.said}, {self.logged()}")

    def lives_on(self, seconds: float) -> bool:
        try:
            self._popen.wait(seconds)
        except subprocess.TimeoutExpired:
            return True
        return False

    def logged(self) -> list[str]:
        """The events of its saves, once it has ended."""
        log = self._popen.communicate(timeout=WITHIN)[1]
        return [line for line in log.splitlines() if line.startswith("powercontext remember:")]

    @property
    def status(self) -> int | None:
        return self._popen.returncode


@contextmanager
def gateway(memory: str) -> Iterator[Process]:
    command = [sys.executable, str(SCRIPT), memory, CONVENTION]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, env=dict(os.environ)
    ) as popen:
        watchdog = threading.Timer(WITHIN * 2, popen.kill)
        watchdog.start()
        try:
            yield Process(popen)
        finally:
            watchdog.cancel()
            popen.kill()


@pytest.mark.parametrize("memory", ["off", "on"])
def test_save_under_way_at_sigterm_is_stored_and_reported_once(
    deployment: Deployment, memory: str
) -> None:
    """With memory off only the service is left to wait for it, after the run of the tool was cancelled."""
    let_go = threading.Event()
    deployment.fail(REMEMBER, hold_until(let_go))
    with gateway(memory) as process:
        deployment.proxy.wait_for_request(REMEMBER, within=WITHIN)
        process.terminate()
        process.says("cancelled" if memory == "off" else "ending")
        assert process.lives_on(1.0), "it waits for the save"
        let_go.set()
        process.says("ended")
        (event,) = process.logged()
    assert event.startswith("powercontext remember: saved ")
    assert process.status == 0
    assert ("answered" in process.said) is (memory == "on"), "the manager's flush let it end"
    assert deployment.proxy.count(REMEMBER) == 1
    assert [memory["text"] for memory in deployment.memories()] == [CONVENTION]


def test_save_that_never_ends_is_cut_off_and_reported_once(deployment_141: Deployment) -> None:
    """Its own deadline is far away; the process ends within the ten seconds that containers are given."""
    deployment_141.fail(REMEMBER, hold_until(threading.Event()))
    deployment_141.bind(remember_timeout_seconds=29)
    with gateway("off") as process:
        deployment_141.proxy.wait_for_request(REMEMBER, within=WITHIN)
        process.terminate()
        process.says("cancelled")
        cancelled = time.monotonic()
        process.says("ended")
        assert time.monotonic() - cancelled < 10
        (event,) = process.logged()
    assert event.split()[2] in ("closed", "connection_lost"), "stored, but who knows"
    assert process.status == 0
    assert deployment_141.proxy.count(REMEMBER) == 1


@pytest.mark.anyio
async def test_tools_that_still_run_save_after_the_manager_was_closed(
    deployment_141: Deployment,
) -> None:
    async with Gateway() as host:
        host.manager.close()
        assert result(await host.remember(CONVENTION, owner(OWNER)))["status"] == "saved"
