# SPDX-License-Identifier: Apache-2.0
"""Stand-in: external identities become user ids of a safe alphabet."""

from __future__ import annotations

import hashlib
import re


def make_safe_user_id(raw: str) -> str:
    """Safe ids pass unchanged; others get a digest, so two identities never share one id."""
    if not raw:
        raise ValueError("a user id must not be empty")
    safe = re.sub(r"[^A-Za-z0-9_-]", "-", raw)
    if safe == raw:
        return raw
    return f"{safe}-{hashlib.sha256(raw.encode()).hexdigest()[:16]}"
