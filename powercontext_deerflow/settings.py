# SPDX-License-Identifier: Apache-2.0
"""The one frozen binding: endpoint, credential, owner, Scope, budget, deadlines.

The only reader of os.environ.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn, Self, final

from powercontext_deerflow import setting_values as values
from powercontext_deerflow.edge import edge
from powercontext_deerflow.errors import ConfigurationError, InputError, Problem
from powercontext_deerflow.setting_values import TOOLS, Tool, Unusable

PREFIX: Final = "POWERCONTEXT_DEERFLOW_"
_HOST_RECALL_CAP = 5.0  # seconds
_HOST_TOOL_CAP = 30.0  # seconds
_USEFUL_BYTES = 700  # a smaller budget holds no item

# A hash that is shown somewhere tells nothing.
_SALT = os.urandom(16)


@final
class Secret:
    """A credential that no repr, log line or pickle shows. Equal ones are equal; a copy is itself."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return "Secret(...)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._bytes(), other._bytes())

    def __hash__(self) -> int:
        return hash((_SALT, self._bytes()))

    def _bytes(self) -> bytes:
        return str(self._value).encode("utf-8", "surrogatepass")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a credential is not pickled: read the settings again where they are needed"
        )


@final
@dataclass(init=False, frozen=True, slots=True, kw_only=True)
class Settings:
    """One immutable, validated binding, from explicit values or from the environment.

    Construction raises ConfigurationError listing every unusable setting. ``max_bytes`` is in UTF-8 bytes, the two
    timeouts are total deadlines in seconds. Plain ``http`` is for loopback only. ``recall_focus`` allows a second look
    for a long query that found nothing; without it, a recall is one literal request. ``tools`` are those that DeerFlow
    offers its models; the SDK does not look at it.
    """

    base_url: str
    scope_id: str
    token: Secret
    owner_user_id: str | None = None
    max_bytes: int = 8000
    recall_timeout_seconds: float = 2.0
    remember_timeout_seconds: float = 5.0
    ca_file: str | None = None
    recall_focus: bool = True
    tools: tuple[Tool, ...] = TOOLS

    # Written out, because the frame of a generated one would keep the token that it was given.
    @edge
    def __init__(
        self,
        *,
        base_url: str,
        scope_id: str,
        token: Secret,
        owner_user_id: str | None = None,
        max_bytes: int = 8000,
        recall_timeout_seconds: float = 2.0,
        remember_timeout_seconds: float = 5.0,
        ca_file: str | None = None,
        recall_focus: bool = True,
        tools: tuple[Tool, ...] = TOOLS,
    ) -> None:
        given = {
            "base_url": base_url,
            "scope_id": scope_id,
            "token": token,
            "owner_user_id": owner_user_id,
            "max_bytes": max_bytes,
            "recall_timeout_seconds": recall_timeout_seconds,
            "remember_timeout_seconds": remember_timeout_seconds,
            "ca_file": ca_file,
            "recall_focus": recall_focus,
            "tools": tools,
        }
        checked, problems = _check(given)
        if problems:
            raise ConfigurationError(*problems)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @classmethod
    @edge
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """The settings of this process, from ``POWERCONTEXT_DEERFLOW_*``. The owner is required here.

        Raises ConfigurationError; also if the Gateway runs with authentication disabled.
        """
        environ = os.environ if environ is None else environ
        if not isinstance(environ, Mapping):
            raise InputError("environ_not_a_mapping", "environ", "pass a mapping, or nothing")
        given = {
            name: environ[PREFIX + name.upper()]
            for name in _CHECKS
            if PREFIX + name.upper() in environ
        }
        checked, problems = _check(given)
        for name in ("base_url", "scope_id", "token", "owner_user_id"):
            if name not in given:
                problems.append(
                    Problem(PREFIX + name.upper(), "missing", "set it for the Gateway process")
                )
        if _authentication_disabled(environ):
            advice = "unsupported: remove it, so that the Gateway authenticates its users"
            problems.append(Problem("DEER_FLOW_AUTH_DISABLED", "auth_disabled", advice))
        if problems:
            raise ConfigurationError(*problems)
        return cls(**checked)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """Settings that are valid and will disappoint."""
        found = []
        if self.max_bytes < _USEFUL_BYTES:
            advice = f"budgets under {_USEFUL_BYTES} bytes hold no memory; 8000 is the default"
            found.append(Problem(PREFIX + "MAX_BYTES", "budget_too_small_to_be_useful", advice))
        if self.recall_timeout_seconds >= _HOST_RECALL_CAP:
            advice = "DeerFlow gives up on recall after 5 seconds; stay below"
            found.append(Problem(PREFIX + "RECALL_TIMEOUT_SECONDS", "recall_over_host_cap", advice))
        if self.remember_timeout_seconds >= _HOST_TOOL_CAP:
            advice = "DeerFlow gives up on a tool after 30 seconds; stay below"
            found.append(
                Problem(PREFIX + "REMEMBER_TIMEOUT_SECONDS", "remember_over_host_cap", advice)
            )
        return tuple(found)


def _check(given: Mapping[str, object]) -> tuple[dict[str, Any], list[Problem]]:
    """The usable ones of ``given`` (their types differ by name, hence Any), and what is wrong with the others."""
    checked, problems = {}, []
    for name, value in given.items():
        try:
            checked[name] = _CHECKS[name](value)
        except Unusable as unusable:
            problems.append(Problem(PREFIX + name.upper(), *unusable.problem))
    return checked, problems


def _authentication_disabled(environ: Mapping[str, str]) -> bool:
    """As the host decides it; it ignores the switch in production."""
    production = {
        str(environ.get(name, "")).strip().lower() for name in ("DEER_FLOW_ENV", "ENVIRONMENT")
    }
    return environ.get("DEER_FLOW_AUTH_DISABLED") == "1" and not production & {"prod", "production"}


def _token(value: object) -> Secret:
    text = values.text(value.reveal() if isinstance(value, Secret) else value)
    if text.lower().startswith("bearer"):
        raise Unusable("token_with_scheme", "give the bare token, without 'Bearer'")
    if not text.isascii() or " " in text:
        raise Unusable("token_not_plain", "a token has printable ASCII characters and no spaces")
    return Secret(text)


_CHECKS: Final[dict[str, Callable[[object], object]]] = {
    "base_url": values.base_url,
    "scope_id": values.scope_id,
    "token": _token,
    "owner_user_id": values.owner,
    "max_bytes": values.max_bytes,
    "recall_timeout_seconds": values.seconds,
    "remember_timeout_seconds": values.seconds,
    "ca_file": values.ca_file,
    "recall_focus": values.on_or_off,
    "tools": values.tools,
}
