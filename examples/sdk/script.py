# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - an example that prints
"""remember TEXT | recall QUESTION | list | forget WORDS, on the Scope that the environment names."""

from __future__ import annotations

import sys
from typing import assert_never

from powercontext_deerflow import (
    AlreadySaved,
    ChangeRejected,
    ChangeUnknown,
    Conflict,
    Forgotten,
    NothingRecalled,
    PowerContext,
    PowerContextError,
    Recalled,
    RecallFailed,
    Saved,
    SaveNotSent,
    SaveRejected,
    SaveUnknown,
)


def remember(memory: PowerContext, text: str) -> str:
    outcome = memory.remember(text)
    match outcome:
        case Saved():
            return "saved"
        case AlreadySaved():
            return "it was there already"
        case SaveUnknown():
            return f"unconfirmed ({outcome.code}): look before you save it again"
        case SaveRejected() | SaveNotSent():
            sys.exit(f"not saved ({outcome.code})")
        case _:
            assert_never(outcome)


def recall(memory: PowerContext, question: str) -> str:
    outcome = memory.recall(question)
    match outcome:
        case Recalled():
            return outcome.content
        case NothingRecalled():
            return "nothing found"
        case RecallFailed():
            sys.exit(f"no answer ({outcome.code})")
        case _:
            assert_never(outcome)


def forget(memory: PowerContext, words: str) -> str:
    """Only if the words mean one memory."""
    found = memory.search(words, limit=2)
    if len(found) != 1:
        sys.exit(f"{len(found)} memories share these words: say more, or less")
    outcome = memory.forget(found[0].citation)
    match outcome:
        case Forgotten():
            return f"forgotten: {outcome.memory.text}"
        case Conflict():
            sys.exit(f"somebody changed it meanwhile ({outcome.code}): look again")
        case ChangeRejected():
            sys.exit(f"not forgotten ({outcome.code})")
        case ChangeUnknown():
            sys.exit(f"unconfirmed ({outcome.code}); asking again is safe")
        case _:
            assert_never(outcome)


def main(arguments: list[str]) -> None:
    try:
        with PowerContext.from_environment() as memory:
            match arguments:
                case ["remember", text]:
                    print(remember(memory, text))
                case ["recall", question]:
                    print(recall(memory, question))
                case ["list"]:
                    for each in memory.list_memories():
                        print(f"{each.kind}: {each.text}")
                case ["forget", words]:
                    print(forget(memory, words))
                case _:
                    sys.exit(__doc__)
    except PowerContextError as error:
        sys.exit(f"{error.code}: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
