# SPDX-License-Identifier: Apache-2.0
"""What two processes with the same settings do not have in common."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_hash_of_a_secret_tells_nothing() -> None:
    """Without a salt, whoever sees a hash can try tokens against it."""
    script = "from powercontext_deerflow import Secret; print(hash(Secret('t')))"
    told = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": "0"},
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout
        for _ in range(2)
    }
    assert len(told) == 2
