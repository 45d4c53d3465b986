# SPDX-License-Identifier: Apache-2.0
"""Everything this package raises.

    PowerContextError
    ├── ConfigurationError   a setting is missing or unusable; names every one of them
    ├── InputError           an argument that is refused before anything is sent
    ├── TransportError       no whole answer came back; says whether the request may have left
    ├── ServerError          the server answered with an error status
    │   └── NotSupportedByServer   this server has no such operation: it is older, or newer
    ├── AnswerError          the server answered 2xx in a shape that we do not accept
    └── HostError            DeerFlow is absent, too old, or refused the contribution

No message, argument or attribute holds a token, a text, a query, or anything that a server sent beyond its
status, an allow-listed code and a request id of 16 hex digits.
"""

from __future__ import annotations

from dataclasses import dataclass

from powercontext_deerflow.codes import AnswerCode, ServerCode, TransportCode


class PowerContextError(Exception):
    """Root of the tree: ``code`` is a stable, content-free reason code.

    ``status`` is the answer's HTTP status, ``request_id`` the server's name for the exchange (16 hex digits), and
    ``retry_after`` how many seconds the server asks to wait (0 to 86400), each None if there is none.
    """

    status: int | None = None
    request_id: str | None = None
    retry_after: float | None = None

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[object, ...]:
        # The keyword-rich constructors below do not survive the default protocol.
        return (_rebuilt, (type(self), self.args, self.__dict__))


def _rebuilt(
    kind: type[PowerContextError], args: tuple[object, ...], state: dict[str, object]
) -> PowerContextError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


@dataclass(frozen=True, slots=True)
class Problem:
    """One unusable (or doubtful) setting: its name, a stable code, and what to do. Never its value."""

    setting: str
    code: str
    advice: str

    def __str__(self) -> str:
        return f"{self.setting}: {self.advice}"


class ConfigurationError(PowerContextError):
    """Raised when settings are read: all problems at once, each naming its setting and the fix."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(problems[0].code, "; ".join(str(problem) for problem in problems))
        self.problems = problems


class InputError(PowerContextError):
    """Raised when an argument is refused, by type, size or content. Nothing was sent. ``field`` names the argument."""

    def __init__(self, code: str, field: str, advice: str) -> None:
        super().__init__(code, f"{field}: {advice}")
        self.field = field


class TransportError(PowerContextError):
    """Raised when no whole answer came back.

    ``sent`` is False only if not one byte of the request can have left this process; then it is safe to send again.
    """

    code: TransportCode

    def __init__(self, code: TransportCode, *, sent: bool) -> None:
        super().__init__(code, f"no answer from PowerContext ({code})")
        self.sent = sent


class ServerError(PowerContextError):
    """Raised for an answer with an error status.

    ``code`` is the server's own code if it is a known one, else ``http_<status>`` (``http_5xx`` and the like for a
    status that HTTP does not know). ``structured`` tells whether the
    body was PowerContext's (or its framework's) error shape: only then is it PowerContext itself that refused.
    """

    code: ServerCode

    def __init__(
        self, code: ServerCode, status: int, request_id: str | None, *, structured: bool
    ) -> None:
        super().__init__(code, f"PowerContext answered {status} ({code})")
        self.status: int = status
        self.request_id = request_id
        self.structured = structured


class NotSupportedByServer(ServerError):
    """Raised when this server has no such operation, or has it no more for citations of an earlier generation."""


class AnswerError(PowerContextError):
    """Raised for a success whose body is not the shape, size, budget or memory that was asked for."""

    code: AnswerCode

    def __init__(
        self, code: AnswerCode, request_id: str | None = None, status: int | None = None
    ) -> None:
        super().__init__(code, f"PowerContext's answer was discarded ({code})")
        self.request_id = request_id
        self.status = status


class HostError(PowerContextError):
    """Raised when DeerFlow is absent, too old, or refuses the ``remember`` tool."""
