# SPDX-License-Identifier: Apache-2.0
"""What may stand in each setting, from the environment or from code: type first, then length, then the value itself."""

from __future__ import annotations

import errno
import math
import re
import ssl
from ipaddress import ip_address
from os.path import isfile
from typing import Final, Literal, TypeVar, get_args
from urllib.parse import SplitResult, urlsplit

from powercontext_deerflow.owner import LONGEST, is_bindable

_LONGEST = 3600  # seconds; far beyond any host's patience, and within what a socket can wait
_LONGEST_TEXT = 8192  # code points
_LONGEST_NUMBER = 1000  # digits; reading them takes time that grows with their square
_LONGEST_HOST, _LONGEST_LABEL = 253, 63  # characters of a name and of its parts

_HOST_AND_PREFIX = re.compile(
    r"https?://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(:\d+)?(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*/*\Z"
)

T = TypeVar("T", int, float)

Tool = Literal["remember", "find", "correct", "forget"]
"""What a model may be offered in DeerFlow."""
TOOLS: Final[tuple[Tool, ...]] = get_args(Tool)


class Unusable(Exception):
    """``problem`` is a stable code and what to do, never the value."""

    def __init__(self, code: str, advice: str) -> None:
        super().__init__(code)
        self.problem = (code, advice)


def text(value: object) -> str:
    if type(value) is not str:
        raise Unusable("not_a_string", "set it to a string")
    if len(value) > _LONGEST_TEXT:
        raise Unusable("too_long", f"use at most {_LONGEST_TEXT} characters")
    if not value.strip():
        raise Unusable("blank", "set it; it is empty")
    if value != value.strip():
        raise Unusable("padded", "remove the white space around it")
    if not value.isprintable():
        raise Unusable("control_characters", "remove the control characters in it")
    return value


def base_url(value: object) -> str:
    given = text(value)
    try:
        url = urlsplit(given)
        port = url.port
    except ValueError:
        raise Unusable("not_a_url", "use https://host[:port][/prefix]") from None
    if url.username is not None or url.password is not None:
        raise Unusable(
            "url_with_credentials", "remove the user part; the token has its own setting"
        )
    if "?" in given or "#" in given:
        raise Unusable("url_with_query", "remove the query or fragment; give host and prefix only")
    whole = _HOST_AND_PREFIX.match(given) and _is_host(url.hostname or "")
    if url.scheme not in ("http", "https") or port == 0 or not whole:
        raise Unusable("not_a_url", "use https://host[:port][/prefix]")
    if url.scheme == "http" and not _is_loopback(url):
        raise Unusable("insecure_transport", "use https; plain http is for localhost only")
    return given.rstrip("/")


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


def scope_id(value: object) -> str:
    given = text(value)
    if len(given) > 256:
        raise Unusable("too_long", "a Scope id has at most 256 characters")
    if given in (".", ".."):
        raise Unusable(
            "dot_segment", "a Scope id is not '.' or '..', which lead elsewhere in a path"
        )
    return given


def owner(value: object) -> str | None:
    if value is None:
        return None
    given = text(value)
    if len(given) > LONGEST:
        raise Unusable("too_long", f"a user id has at most {LONGEST} characters")
    if not is_bindable(given):
        raise Unusable("owner_is_fallback", "bind the id of a signed-in user; 'default' is nobody")
    return given


def max_bytes(value: object) -> int:
    number = _number(value, int)
    if not 512 <= number <= 32768:
        raise Unusable("out_of_range", "use 512 to 32768 bytes; 8000 is the default")
    return number


def seconds(value: object) -> float:
    # A whole number may be too large for any float.
    near = max(-1, min(value, _LONGEST + 1)) if type(value) is int else value
    number = _number(near, float)
    if not math.isfinite(number) or number <= 0:
        raise Unusable("not_positive", "use a positive number of seconds")
    if number > _LONGEST:
        raise Unusable("timeout_too_long", f"use at most {_LONGEST} seconds")
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
    raise Unusable("not_a_number", f"use {wanted}")


def ca_file(value: object) -> str | None:
    if value is None:
        return None
    path = text(value)
    # Of a pipe, reading would wait.
    if not isfile(path) or not _holds_certificates(path):
        advice = "point it to a readable PEM file with at least one certificate"
        raise Unusable("ca_file_unreadable", advice)
    return path


def _holds_certificates(path: str) -> bool:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
    except MemoryError:
        pass
    except (OSError, ValueError) as error:  # SSLError is an OSError
        return getattr(error, "errno", None) in (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
    # True also if the system cannot tell now: whoever connects looks again.
    return True


def on_or_off(value: object) -> bool:
    if type(value) is bool:
        return value
    if type(value) is not str or value not in ("on", "off"):
        raise Unusable("not_on_or_off", "use on or off; on is the default")
    return value == "on"


def tools(value: object) -> tuple[Tool, ...]:
    """Some of ``TOOLS``, in its order, from their names: separated by commas, or in a tuple."""
    given = value if type(value) is tuple else text(value).split(",")
    names = [name.strip() if type(name) is str else None for name in given]
    if not names or not all(name in TOOLS for name in names):
        raise Unusable("tool_unknown", f"use some of {', '.join(TOOLS)}, separated by commas")
    return tuple(tool for tool in TOOLS if tool in names)
