# SPDX-License-Identifier: Apache-2.0
"""What an exception tells whoever logs it."""

from __future__ import annotations

import traceback


def everything_said(error: BaseException) -> str:
    """All that a log line or a debugger of exceptions can show of ``error`` and of what it came from."""
    said, pending, seen = [], [error], set()
    while pending:
        one = pending.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        said += [repr(one), str(one), repr(one.args), repr(getattr(one, "__dict__", ""))]
        pending += [other for other in (one.__cause__, one.__context__) if other is not None]
    said += traceback.format_exception(error)
    return "\n".join(said)
