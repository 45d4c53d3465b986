# SPDX-License-Identifier: Apache-2.0
"""A server as a child process that neither outlives its parent nor gets its signals."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

_STOP_SECONDS = 10.0

# The child lives as long as its parent holds the other end of its standard input, however the
# parent ends. A parent that dies while its child is paused leaves an orphaned, stopped process
# group, which the kernel wakes with SIGHUP.
END_WITH_PARENT = """
import os, sys, threading

def end_with_parent():
    os.read(0, 1)
    os._exit(1)

threading.Thread(target=end_with_parent, daemon=True).start()
"""


def started(
    python: Path, program: str, arguments: Sequence[str], directory: Path, log: Path
) -> subprocess.Popen[bytes]:
    """``program`` is Python code; what it prints goes to ``log``, its temporary files into ``directory``."""
    temporary = directory / "tmp"
    temporary.mkdir(exist_ok=True)
    with log.open("wb") as output:
        return subprocess.Popen(
            [str(python), "-I", "-c", END_WITH_PARENT + program, *arguments],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=directory,
            env={"HOME": str(directory), "TMPDIR": str(temporary), "LANG": "C.UTF-8"},
            process_group=0,  # Ctrl-C is the parent's to handle
        )


def ended(process: subprocess.Popen[bytes]) -> None:
    """Ask it to end, also if it is paused, and make it end after ten seconds."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(_STOP_SECONDS)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port
