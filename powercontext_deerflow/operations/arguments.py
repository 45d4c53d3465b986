# SPDX-License-Identifier: Apache-2.0
"""What a caller hands to a public method, looked at before anything is sent: type first, then size, then itself.

Nothing is converted: what is of another type, or what a server would answer with an error for ever, is InputError,
which names the argument. Only text may be of a subclass of ``str``; its characters count then, not its methods.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NoReturn, TypeGuard, get_args

from powercontext_deerflow.api import wire
from powercontext_deerflow.api.wire.sources import SourceRequest
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.errors import InputError
from powercontext_deerflow.limits import exact, is_encodable
from powercontext_deerflow.outcomes import MemoryState
from powercontext_deerflow.settings import Settings

_HITS = 50
_KIND = 128  # code points, as the ones below
_SOURCE_ID = 256
_CONTENT = 200_000
_METADATA = 2**18
"""Values and code points together; sixteen times as much breaks the server's limit of a body."""
_DEPTH = 64  # the servers answer 100, and of 200 they can read back no more what they took
_WHOLE = 2**53 - 1
"""The servers answer 500 to a whole number beyond it, and to the next equal capture after a float beyond it."""

# What may stand in a path as it is: whatever else a server could make would name something else to a proxy that
# decodes paths, as would a dot or two.
_ID = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._~!$&'()*+,;=:@-]{1,256}\Z")
_REVISION = 2**63 - 1

KINDS: Final[tuple[str, ...]] = get_args(wire.Kind)
_STATES: Final[tuple[MemoryState, ...]] = get_args(MemoryState)


def _refuse(field: str, reason: str, advice: str) -> NoReturn:
    raise InputError(f"{field}_{reason}", field, advice)


def settings(given: object) -> Settings:
    if type(given) is not Settings:
        _refuse("settings", "not_settings", "pass Settings(...) or use from_environment()")
    return given


def deadline(given: object) -> Deadline | None:
    if given is not None and type(given) is not Deadline:
        _refuse("deadline", "not_a_deadline", "pass Deadline.after(seconds)")
    return given


def flag(field: str, given: object) -> bool:
    if type(given) is not bool:
        _refuse(field, "not_a_flag", "pass True or False")
    return given


def limit(given: object, most: int = _HITS) -> int:
    if type(given) is not int or not 1 <= given <= most:
        _refuse("limit", "out_of_range", f"pass a whole number from 1 to {most}")
    return given


def kind_to_save(given: object) -> str:
    kind = exact(given)
    if kind not in KINDS:
        raise InputError("kind_unknown", "kind", "use " + ", ".join(KINDS))
    return kind


def kind_to_list(given: object) -> str | None:
    """Another client may have saved any kind."""
    return None if given is None else _text("kind", given, _KIND)


def states(given: object) -> tuple[MemoryState, ...]:
    if type(given) is not tuple and type(given) is not list:
        _refuse("states", "not_a_tuple", "pass a tuple of " + ", ".join(_STATES))
    found = tuple(one for one in given[: len(_STATES)] if type(one) is str and one in _STATES)
    if not found or len(set(found)) != len(given):
        _refuse("states", "unknown", "use each once: " + ", ".join(_STATES))
    return found


def revision(given: object) -> int | None:
    if given is not None and not _is_revision(given):
        _refuse("revision", "out_of_range", "pass the revision of a citation, or None")
    return given


def citation(given: object) -> wire.Citation:
    """Also one that was made by hand: each part must be what a server can have made."""
    if type(given) is wire.ArtifactCitation:
        head: wire.ArtifactCitation | wire.MemoryRef = given
        family, ids = "atomic-memory", [given.artifact_id]
    elif type(given) is wire.EntryCitation and type(given.memory_ref) is wire.MemoryRef:
        head, family = given.memory_ref, "memory"
        ids = [head.artifact_id, given.entry_id, given.entry_version_id]
    else:
        _refuse("citation", "not_a_citation", "pass the citation of a memory")
    named = _is_exactly(head.family, family) and all(map(_is_id, ids))
    if not named or not _is_revision(head.revision):
        _refuse("citation", "unusable", "pass it as it came, with its own ids and revision")
    return given


def _is_exactly(given: object, text: str) -> bool:
    return type(given) is str and given == text


def _is_id(given: object) -> bool:
    return type(given) is str and _ID.match(given) is not None


def _is_revision(given: object) -> TypeGuard[int]:
    return type(given) is int and 1 <= given <= _REVISION


def source(scope_id: str, source_id: object, content: object, metadata: object) -> SourceRequest:
    """The request for a Source. ``metadata`` is copied, so that what was looked at is what is sent."""
    name = _text("source_id", source_id, _SOURCE_ID)
    if name != name.strip():
        _refuse("source_id", "padded", "remove the white space around it")
    body = _text("content", content, _CONTENT)
    return SourceRequest(scope_id, name, body, _Metadata().read(metadata))


def _text(field: str, given: object, most: int) -> str:
    text = exact(given)
    if text is None:
        _refuse(field, "not_a_string", "pass a string")
    if len(text) > most:
        _refuse(field, "too_long", f"pass at most {most} characters")
    if not is_encodable(text):
        _refuse(field, "not_unicode", "remove the lone surrogate characters")
    if not text.strip():
        _refuse(field, "blank", "pass a text that is not blank")
    return text


class _Metadata:
    """A copy of plain JSON in the making."""

    def __init__(self) -> None:
        self._left = _METADATA

    def read(self, given: object) -> Mapping[str, object] | None:
        if given is None:
            return None
        if type(given) is not dict:
            _refuse("metadata", "not_an_object", "pass a dict, or None")
        return self._object(given, _DEPTH)

    def _object(self, given: dict[object, object], depth: int) -> dict[str, object]:
        self._spend(len(given))
        return {self._string(key): self._value(one, depth) for key, one in tuple(given.items())}

    def _value(self, given: object, depth: int) -> object:
        if given is None or type(given) is bool:
            return given
        if type(given) is str:
            return self._string(given)
        if type(given) is int or type(given) is float:
            # False of a NaN, too.
            if -_WHOLE <= given <= _WHOLE:
                return given
            _refuse("metadata", "number_too_large", "pass numbers from -(2**53 - 1) to 2**53 - 1")
        if type(given) is not dict and type(given) is not list:
            self._not_json()
        if depth == 0:
            _refuse("metadata", "too_deep", f"nest at most {_DEPTH} lists and dicts")
        if type(given) is dict:
            return self._object(given, depth - 1)
        self._spend(len(given))
        return [self._value(one, depth - 1) for one in tuple(given)]

    def _string(self, given: object) -> str:
        if type(given) is not str:
            self._not_json()
        self._spend(len(given))
        if not is_encodable(given):
            _refuse("metadata", "not_unicode", "remove the lone surrogate characters")
        return given

    def _spend(self, amount: int) -> None:
        self._left -= amount
        if self._left < 0:
            _refuse("metadata", "too_large", f"pass at most {_METADATA} characters and values")

    def _not_json(self) -> NoReturn:
        advice = "use dict with str keys, list, str, int, float, bool and None, and no subclass"
        _refuse("metadata", "not_json", advice)
