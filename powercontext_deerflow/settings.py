# SPDX-License-Identifier: Apache-2.0
"""The one frozen binding: endpoint, credential, owner, Scope, budget, deadlines (RFC 5).

The only reader of os.environ. Each value is looked at by type first, then by length, then itself.
"""

from __future__ import annotations

import hmac
import math
import os
import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final, NoReturn, Self, TypeVar, final
from urllib.parse import SplitResult, urlsplit

from powercontext_deerflow.errors import ConfigurationError, Problem
from powercontext_deerflow.identity import LONGEST, is_bindable

PREFIX: Final = "POWERCONTEXT_DEERFLOW_"
_HOST_RECALL_CAP = 5.0  # seconds; facts: deerflow-host 2.1
_HOST_TOOL_CAP = 30.0  # seconds; facts: deerflow-host 4.5
_LONGEST = 3600  # seconds; far beyond any host's patience, and within what a socket can wait
_LONGEST_TEXT = 8192  # code points
_LONGEST_NUMBER = 1000  # digits; reading them takes time that grows with their square
_LONGEST_HOST, _LONGEST_LABEL = 253, 63  # characters of a name and of its parts (RFC 1035)
_USEFUL_BYTES = 700  # a smaller budget holds no item; facts: powercontext-api 0.6

_HOST_AND_PREFIX = re.compile(
    r"https?://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(:\d+)?(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*/*\Z"
)

# A hash that is shown somewhere tells nothing.
_SALT = os.urandom(16)

T = TypeVar("T", int, float)


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


class _Unusable(Exception):
    def __init__(self, code: str, advice: str) -> None:
        super().__init__(code)
        self.problem = (code, advice)


@dataclass(init=False, frozen=True, slots=True, kw_only=True)
class Settings:
    """One immutable, validated binding, from explicit values or from the environment.

    Construction raises ConfigurationError listing every unusable setting. ``max_bytes`` is in UTF-8 bytes, the two
    timeouts are total deadlines in seconds. Plain ``http`` is for loopback only. ``recall_focus`` allows a second look
    for a long query that found nothing; off is the RFC to the letter.
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

    # Written out: the frame of a generated one would hold a token where nobody can clear it.
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
        }
        checked, problems = _check(given)
        if problems:
            raise ConfigurationError(*problems)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """The settings of this process, from ``POWERCONTEXT_DEERFLOW_*`` (RFC 5). The owner is required here.

        Raises ConfigurationError; also if the Gateway runs with authentication disabled.
        """
        environ = os.environ if environ is None else environ
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


def _check(values: Mapping[str, object]) -> tuple[dict[str, Any], list[Problem]]:
    """The usable ones of ``values`` (their types differ by name, hence Any), and what is wrong with the others."""
    checked, problems = {}, []
    for name, value in values.items():
        try:
            checked[name] = _CHECKS[name](value)
        except _Unusable as unusable:
            problems.append(Problem(PREFIX + name.upper(), *unusable.problem))
    return checked, problems


def _authentication_disabled(environ: Mapping[str, str]) -> bool:
    """As the host decides it (facts: deerflow-host 3); it ignores the switch in production."""
    production = {
        environ.get(name, "").strip().lower() for name in ("DEER_FLOW_ENV", "ENVIRONMENT")
    }
    return environ.get("DEER_FLOW_AUTH_DISABLED") == "1" and not production & {"prod", "production"}


def _text(value: object) -> str:
    if type(value) is not str:
        raise _Unusable("not_a_string", "set it to a string")
    if len(value) > _LONGEST_TEXT:
        raise _Unusable("too_long", f"use at most {_LONGEST_TEXT} characters")
    if not value.strip():
        raise _Unusable("blank", "set it; it is empty")
    if value != value.strip():
        raise _Unusable("padded", "remove the white space around it")
    if not value.isprintable():
        raise _Unusable("control_characters", "remove the control characters in it")
    return value


def _base_url(value: object) -> str:
    text = _text(value)
    try:
        url = urlsplit(text)
        port = url.port
    except ValueError:
        raise _Unusable("not_a_url", "use https://host[:port][/prefix]") from None
    if url.username is not None or url.password is not None:
        raise _Unusable(
            "url_with_credentials", "remove the user part; the token has its own setting"
        )
    if "?" in text or "#" in text:
        raise _Unusable("url_with_query", "remove the query or fragment; give host and prefix only")
    whole = _HOST_AND_PREFIX.match(text) and _is_host(url.hostname or "")
    if url.scheme not in ("http", "https") or port == 0 or not whole:
        raise _Unusable("not_a_url", "use https://host[:port][/prefix]")
    if url.scheme == "http" and not _is_loopback(url):
        raise _Unusable("insecure_transport", "use https; plain http is for localhost only")
    return text.rstrip("/")


def _is_host(name: str) -> bool:
    """Whether ``name`` can be looked up; the dot that ends a full name is no part of its labels."""
    bare = name.removesuffix(".")
    labels = bare.split(".")
    return len(bare) <= _LONGEST_HOST and all(1 <= len(one) <= _LONGEST_LABEL for one in labels)


def _is_loopback(url: SplitResult) -> bool:
    host = url.hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _scope_id(value: object) -> str:
    text = _text(value)
    if len(text) > 256:
        raise _Unusable("too_long", "a Scope id has at most 256 characters")
    if text in (".", ".."):
        raise _Unusable(
            "dot_segment", "a Scope id is not '.' or '..', which lead elsewhere in a path"
        )
    return text


def _token(value: object) -> Secret:
    text = _text(value.reveal() if isinstance(value, Secret) else value)
    if text.lower().startswith("bearer"):
        raise _Unusable("token_with_scheme", "give the bare token, without 'Bearer'")
    if not text.isascii() or " " in text:
        raise _Unusable("token_not_plain", "a token has printable ASCII characters and no spaces")
    return Secret(text)


def _owner(value: object) -> str | None:
    if value is None:
        return None
    text = _text(value)
    if len(text) > LONGEST:
        raise _Unusable("too_long", f"a user id has at most {LONGEST} characters")
    if not is_bindable(text):
        raise _Unusable("owner_is_fallback", "bind the id of a signed-in user; 'default' is nobody")
    return text


def _max_bytes(value: object) -> int:
    number = _number(value, int)
    if not 512 <= number <= 32768:
        raise _Unusable("out_of_range", "use 512 to 32768 bytes; 8000 is the default")
    return number


def _seconds(value: object) -> float:
    # A whole number may be too large for any float.
    near = max(-1, min(value, _LONGEST + 1)) if type(value) is int else value
    number = _number(near, float)
    if not math.isfinite(number) or number <= 0:
        raise _Unusable("not_positive", "use a positive number of seconds")
    if number > _LONGEST:
        raise _Unusable("timeout_too_long", f"use at most {_LONGEST} seconds")
    return number


def _number(value: object, kind: type[T]) -> T:
    wanted = "a whole number" if kind is int else "a number"
    if type(value) is str and len(value) <= _LONGEST_NUMBER and value.isascii():
        try:
            if value == value.strip() and "_" not in value:
                return kind(value)
        except ValueError:
            pass
    if type(value) is kind or (kind is float and type(value) is int):
        return kind(value)
    raise _Unusable("not_a_number", f"use {wanted}")


def _ca_file(value: object) -> str | None:
    if value is None:
        return None
    path = _text(value)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
    except (OSError, ValueError):  # SSLError is an OSError
        advice = "point it to a readable PEM file with at least one certificate"
        raise _Unusable("ca_file_unreadable", advice) from None
    return path


def _on_or_off(value: object) -> bool:
    if type(value) is bool:
        return value
    if type(value) is not str or value not in ("on", "off"):
        raise _Unusable("not_on_or_off", "use on or off; on is the default")
    return value == "on"


_CHECKS: Final[dict[str, Callable[[object], object]]] = {
    "base_url": _base_url,
    "scope_id": _scope_id,
    "token": _token,
    "owner_user_id": _owner,
    "max_bytes": _max_bytes,
    "recall_timeout_seconds": _seconds,
    "remember_timeout_seconds": _seconds,
    "ca_file": _ca_file,
    "recall_focus": _on_or_off,
}
