# SPDX-License-Identifier: Apache-2.0
"""Stand-in for how the host decides whose run this is.

Recall and tools ask the same function. Nobody known is the user "default", never an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from langchain_core.runnables.config import var_child_runnable_config

from deerflow.config.paths import make_safe_user_id

DEFAULT_USER_ID: Final = "default"


class CurrentUser(Protocol):
    @property
    def id(self) -> object: ...


@dataclass
class Runtime:
    """The part of LangGraph's runtime that the host reads."""

    context: dict[str, Any] = field(default_factory=dict)
    server_info: object | None = None


_current_user: Final[ContextVar[CurrentUser | None]] = ContextVar("current_user", default=None)


def set_current_user(user: CurrentUser) -> Token[CurrentUser | None]:
    return _current_user.set(user)


def reset_current_user(token: Token[CurrentUser | None]) -> None:
    _current_user.reset(token)


def get_effective_user_id() -> str:
    user = _current_user.get()
    return DEFAULT_USER_ID if user is None else str(user.id)


def get_config() -> Mapping[str, Any]:
    """LangGraph's `get_config`, which reads the same variable and raises outside a run."""
    config = var_child_runnable_config.get()
    if config is None:
        raise RuntimeError("there is no runnable config here")
    return dict(config)


def resolve_runtime_user_id(runtime: object | None) -> str:
    """Server identity, LangGraph auth, run context, request variable, "default": in this order."""
    server_user = getattr(getattr(runtime, "server_info", None), "user", None)
    if authenticated := _safe_identity(server_user) or _langgraph_identity():
        return authenticated
    context = getattr(runtime, "context", None)
    if isinstance(context, Mapping) and context.get("user_id"):
        return str(context["user_id"])
    return get_effective_user_id()


def _langgraph_identity() -> str | None:
    try:
        configurable = get_config().get("configurable", {})
    except RuntimeError:
        return None
    named = {"identity": configurable.get("langgraph_auth_user_id")}
    return _safe_identity(named) or _safe_identity(configurable.get("langgraph_auth_user"))


def _safe_identity(user: object) -> str | None:
    found = user.get("identity") if isinstance(user, Mapping) else getattr(user, "identity", None)
    return make_safe_user_id(found) if isinstance(found, str) and found else None
