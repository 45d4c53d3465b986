# SPDX-License-Identifier: Apache-2.0
"""Stand-in: where the host keeps its state (`DEER_FLOW_HOME`, else `.deer-flow` in the cwd)."""

from __future__ import annotations

import os
from pathlib import Path


def runtime_home() -> Path:
    if home := os.environ.get("DEER_FLOW_HOME"):
        return Path(home).resolve()
    return Path.cwd().resolve() / ".deer-flow"
