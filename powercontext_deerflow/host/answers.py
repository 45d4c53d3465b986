# SPDX-License-Identifier: Apache-2.0
"""What the model is told of each outcome: data where something happened or may have, else why nothing did."""

from __future__ import annotations

from typing import assert_never

import msgspec

from powercontext_deerflow.api.wire import ArtifactCitation, Citation
from powercontext_deerflow.host.found import framed
from powercontext_deerflow.host.hand import Change, Refused
from powercontext_deerflow.host.refs import ref
from powercontext_deerflow.host.sentences import sentence
from powercontext_deerflow.outcomes import (
    AlreadySaved,
    ChangeRejected,
    ChangeUnknown,
    Conflict,
    Forgotten,
    Found,
    Memory,
    Restored,
    Revised,
    Saved,
    SaveNotSent,
    SaveOutcome,
    SaveRejected,
    SaveUnknown,
)

Answer = dict[str, object] | str
"""A result; or, as text, a failure that the host shows as one."""
NOT_SAVED, NOT_CHANGED, NOT_FOUND_OUT = (
    "Nothing was saved.",
    "Nothing was changed.",
    "Nothing was found out.",
)


def failed(word: str, code: str, nothing: str, advice: str = "") -> str:
    """``advice`` instead of the code's sentence, where the model itself can do better."""
    return f"{word}: {code}. {nothing}{advice or ' ' + sentence(code)}"


def saved(outcome: SaveOutcome) -> Answer:
    match outcome:
        case Saved():
            return _saved("saved", "PowerContext confirmed that this is saved.", outcome)
        case AlreadySaved():
            message = "PowerContext already has exactly this; nothing new was added."
            return _saved("already_saved", message, outcome)
        case SaveUnknown():
            message = (
                "The save may or may not have happened: no answer confirms it. Do not save it again;"
                " tell the user that it is unconfirmed."
            )
            return {**_result("unknown", message, None), "citation": None}
        case SaveRejected():
            later = _later(outcome.retry_after)
            return failed("rejected", outcome.code, NOT_SAVED) + later
        case SaveNotSent():
            return failed("not_sent", outcome.code, NOT_SAVED)
        case _:
            assert_never(outcome)


def _saved(status: str, message: str, outcome: Saved | AlreadySaved) -> Answer:
    if not outcome.searchable:
        message += (
            " But no word finds it, so it will not be recalled: tell the user, and suggest saving a sentence that names"
            " its subject."
        )
    if outcome.similar:
        message += (
            " Memories like it are in `similar`: ask the user whether it replaces one of them, and only then forget"
            " that one by its ref."
        )
    answer = _result(status, message, outcome.citation)
    answer["citation"] = None if outcome.citation is None else msgspec.to_builtins(outcome.citation)
    if outcome.similar:
        answer["similar"] = framed(outcome.similar)[0]
    return answer


def found(outcome: Found | Refused) -> Answer:
    if isinstance(outcome, Refused):
        return _refused(outcome, NOT_FOUND_OUT)
    frame, shown = framed(outcome.memories)
    more = outcome.more or shown < len(outcome.memories)
    message = (
        f"{shown} shown." if shown else "No memory matches; that does not mean that none exists."
    )
    if outcome.total is not None:
        message = (
            f"{shown} of {outcome.total} shown." if outcome.total else "Nothing is remembered."
        )
    if more:
        message += " There are more: ask with other words, or a higher limit."
    return {
        "status": "found",
        "message": message,
        "total": outcome.total,
        "more": more,
        "found": frame,
    }


def corrected(outcome: Revised | Change, before: object) -> Answer:
    if not isinstance(outcome, Revised):
        return _unchanged(outcome)
    message = "It says the new text now; chats that have begun may still show the old one."
    if outcome.memory.state != "active":
        message = "It says the new text now, but it was forgotten before and stays so."
    return _changed("corrected", message, outcome.memory, str(before))


def forgotten(outcome: Forgotten | Change) -> Answer:
    if not isinstance(outcome, Forgotten):
        return _unchanged(outcome)
    message = "It is not recalled any more; chats that have begun may still show it."
    citation = outcome.memory.citation
    return _changed("forgotten", message, outcome.memory, ref(citation))


def restored(outcome: Restored | Change) -> Answer:
    if not isinstance(outcome, Restored):
        return _unchanged(outcome)
    message = "It is recalled again, with the text of the ref that was given."
    return _result("restored", message, outcome.memory.citation)


def _changed(status: str, message: str, memory: Memory, before: str) -> Answer:
    """Servers up to 1.2.0 can take nothing back."""
    if isinstance(memory.citation, ArtifactCitation):
        how = f" To undo it, call forget with ref {before} and undo true."
    else:
        how = " This server cannot undo it; the former text can be saved anew."
    return _result(status, message + how, memory.citation)


def _result(status: str, message: str, citation: Citation | None) -> dict[str, object]:
    cited = None if citation is None else ref(citation)
    return {"status": status, "retry": False, "message": message, "ref": cited}


def _unchanged(outcome: Change) -> Answer:
    match outcome:
        case ChangeUnknown():
            message = (
                "It may or may not have happened: no answer confirms it. Tell the user so; calling this again, with the"
                " same arguments, is safe."
            )
            return {**_result("unknown", message, None), "retry": True}
        case Conflict():
            return failed("rejected", outcome.code, NOT_CHANGED)
        case ChangeRejected():
            return failed("rejected", outcome.code, NOT_CHANGED) + _later(outcome.retry_after)
        case Refused():
            return _refused(outcome, NOT_CHANGED)
        case _:
            assert_never(outcome)


def _refused(outcome: Refused, nothing: str) -> str:
    said = failed(outcome.word, outcome.code, nothing, outcome.advice)
    return said + _later(outcome.retry_after)


def _later(seconds: float | None) -> str:
    return "" if seconds is None else f" The server asks to wait {seconds:.0f} s."
