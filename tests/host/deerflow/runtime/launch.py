# SPDX-License-Identifier: Apache-2.0
"""Stand-in for the ways the host starts a run, a function for each.

In the host this is spread over the gateway, the IM channels and the scheduler. What matters to
an integration is only which user id ends in the run's context.
"""

from __future__ import annotations

from collections.abc import Mapping

from deerflow.config.paths import make_safe_user_id
from deerflow.runtime.user_context import Runtime

_SERVER_OWNED = frozenset(
    {"authz_attributes", "channel_user_id", "langgraph_auth_user", "langgraph_auth_user_id"}
)


def web_run(
    user_id: str,
    *,
    thread_id: str = "thread-1",
    client_context: Mapping[str, object] | None = None,
) -> Runtime:
    """A signed-in browser or API call. What the client says about identity never survives."""
    sent = {k: v for k, v in (client_context or {}).items() if k not in _SERVER_OWNED}
    owned = {"thread_id": thread_id, "user_id": user_id, "user_role": "user", "is_internal": False}
    return Runtime({**sent, **owned})


def im_run_bound(owner_user_id: str, *, thread_id: str = "thread-1") -> Runtime:
    """A chat message whose sender is bound to a DeerFlow account."""
    return _internal(thread_id, user_id=owner_user_id, user_role="user")


def im_run_unbound(platform_user_id: str, *, thread_id: str = "thread-1") -> Runtime:
    """A chat message of an unknown sender: the sanitised platform id (`tg-42`), not "default"."""
    return _internal(thread_id, user_id=make_safe_user_id(platform_user_id))


def scheduled_run(owner_user_id: str | None, *, thread_id: str = "thread-1") -> Runtime:
    """A scheduled task runs as its owner; without one it is refused before memory or a tool."""
    if not owner_user_id:
        raise RuntimeError("a scheduled run needs an owner")
    return _internal(thread_id, user_id=owner_user_id, user_role="user", non_interactive=True)


def run_without_identity(*, thread_id: str = "thread-1") -> Runtime:
    """No owner and no user id anywhere: the run resolves to "default"."""
    return _internal(thread_id)


def _internal(thread_id: str, **context: object) -> Runtime:
    return Runtime({"thread_id": thread_id, "is_internal": True, **context})
