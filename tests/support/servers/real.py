# SPDX-License-Identifier: Apache-2.0
"""A real PowerContext server of any release as its own process.

The same command and settings start every release from 1.0.0 to 1.4.1.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Self

import httpx

from tests.support.servers import child
from tests.support.servers.embedding import EmbeddingEndpoint
from tests.support.servers.environments import embedding_python, server_python
from tests.support.servers.plain_client import Memory, PlainClient

__all__ = ["Memory", "PowerContextServer"]

READY_SECONDS = 120.0  # measured 4-11 s on an idle machine of two cores
_POLL_SECONDS = 0.1

_PROGRAM = "from powercontext.cli.app import main; sys.exit(main())"


class PowerContextServer(PlainClient):
    """`with PowerContextServer("1.4.1") as server: ...`; ready when the block begins."""

    program = _PROGRAM
    """What the server's interpreter runs, with the command's arguments behind it."""

    def __init__(
        self,
        version: str = "1.4.1",
        on_wait: Callable[[float], None] | None = None,
        *,
        access: Literal["enforced", "disabled"] = "enforced",
        database: Path | None = None,
        embedding: EmbeddingEndpoint | None = None,
    ) -> None:
        """``database``: that of another server, to serve beside it. Without access control no token is looked at.

        With ``embedding`` the server finds by meaning, too; RuntimeError if no Python here can serve with it.
        """
        super().__init__(version, secrets.token_hex(24))
        self.data_dir = Path(tempfile.mkdtemp(prefix="powercontext-"))
        self.database = database or self.data_dir / "pc.db"
        self._access = access
        self._embedding = embedding
        self._on_wait = on_wait
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_running(self) -> bool:
        return self._process is not None

    @property
    def pid(self) -> int:
        assert self._process is not None, "the server is not running"
        return self._process.pid

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start and wait until ready; the first start looks for a free port, the others keep it."""
        attempts = 1 if self.port else 5
        for attempt in range(attempts, 0, -1):
            self.port = self.port or child.free_port()
            try:
                self._launch()
                self._wait_until_ready()
            except PortTakenError:
                if attempt == 1:
                    raise
                self.port = 0
            else:
                return

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        child.ended(process)

    def restart(self) -> None:
        """The same port and the same data in a new process."""
        self.stop()
        self.start()

    def pause(self) -> None:
        """The kernel still accepts connections; nobody answers."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.data_dir, ignore_errors=True)

    def _launch(self) -> None:
        settings = {
            "HTTP_HOST": "127.0.0.1",
            "HTTP_PORT": str(self.port),
            "ACCESS_MODE": self._access,
            "DATABASE_KIND": "sqlite",
            "DATABASE_URL": f"sqlite+aiosqlite:///{self.database}",
            "MCP_ENABLED": "false",
        }
        if self._access == "enforced":
            settings["AUTH_TOKEN"] = self.token
        python = server_python
        if self._embedding is not None:
            settings |= self._embedding.server_settings
            python = embedding_python
        env_file = self.data_dir / "server.env"
        env_file.write_text("".join(f"POWERCONTEXT_SERVER_{k}={v}\n" for k, v in settings.items()))
        arguments = ["server", "run", "--env-file", str(env_file)]
        self._process = child.started(
            python(self.version), self.program, arguments, self.data_dir, self._log
        )

    def _wait_until_ready(self) -> None:
        process, started = self._process, time.monotonic()
        assert process is not None
        while (waited := time.monotonic() - started) < READY_SECONDS:
            if self._on_wait:
                self._on_wait(waited)
            try:
                status = process.wait(_POLL_SECONDS)
            except subprocess.TimeoutExpired:
                if self._is_ready():
                    return
            else:
                self._fail(f"ended with status {status} before it was ready")
        self._fail(f"was not ready within {READY_SECONDS:.0f} s")

    def _is_ready(self) -> bool:
        try:
            self.call("GET", "/health/ready", timeout=2.0)
            if self._access == "enforced":  # our token: not somebody else's server
                self.call("GET", "/v1/access/me", timeout=2.0)
        except (httpx.TransportError, RuntimeError):
            return False
        return True

    @property
    def _log(self) -> Path:
        return self.data_dir / "server.log"

    def _fail(self, what: str) -> None:
        self.stop()
        log = self._log.read_text(errors="replace")
        kind = PortTakenError if "address already in use" in log else RuntimeError
        raise kind(f"PowerContext {self.version} {what}; its log ends with:\n{log[-3000:]}")


class PortTakenError(RuntimeError):
    """Somebody took the port between our choosing it and the server's binding it."""
