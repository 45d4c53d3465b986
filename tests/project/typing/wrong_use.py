# SPDX-License-Identifier: Apache-2.0
"""Only type-checked: each marked line must be refused by mypy and by basedpyright; an unused mark fails the check."""

# pyright: reportUnknownMemberType=none, reportUnknownVariableType=none, reportUnknownArgumentType=none
# What is refused has no type.

from __future__ import annotations

from typing import assert_never

from powercontext_deerflow import (
    AlreadySaved,
    ArtifactCitation,
    Deadline,
    PowerContext,
    Recall,
    Recalled,
    RecallFailed,
    Saved,
    SaveNotSent,
    SaveOutcome,
    Secret,
    Settings,
)


def refused(client: PowerContext, citation: ArtifactCitation) -> None:
    client.remember(b"bytes")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    client.remember("t", "rumour")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    client.remember("t", "fact", False)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    client.search("q", "5")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    client.search(None)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    client.recall("q", deadline=2.0)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    client.get("art_1")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    client.forget(citation.artifact_id)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    client.revise(citation, "t", "rumour")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    client.revise(citation)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    client.restore(citation, citation)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    client.list_memories(states=["deleted"])  # type: ignore[list-item] # pyright: ignore[reportArgumentType]
    client.capture_source("id", "c", ["no", "object"])  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    client.list_memories(limit=5)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    client.recal("q")  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue]
    Deadline("soon")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


async def refused_without_blocking(client: PowerContext, citation: ArtifactCitation) -> None:
    await client.aremember("t", "rumour")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    await client.asearch("q", "5")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    await client.asearch("q", most=5)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    await client.aget("art_1")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    await client.aforget(citation, deadline=2.0)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    for _ in client.alist_memories():  # type: ignore[attr-defined] # pyright: ignore[reportGeneralTypeIssues]
        pass


def refused_settings(client: PowerContext) -> None:
    Settings(base_url="u", scope_id="s", token="bare")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    Settings("u", "s", Secret("t"))  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    client.settings.max_bytes = 1  # type: ignore[misc] # pyright: ignore[reportAttributeAccessIssue]


def a_forgotten_case(outcome: SaveOutcome) -> str:
    match outcome:
        case Saved() | AlreadySaved():
            return "saved"
        case _:
            assert_never(outcome)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


def an_unproven_case(recall: Recall, outcome: Saved) -> str:
    outcome.citation = None  # type: ignore[misc, assignment] # pyright: ignore[reportAttributeAccessIssue]
    print(outcome.citation.revision)  # type: ignore[union-attr] # pyright: ignore[reportAttributeAccessIssue]
    if isinstance(recall, Recalled):
        return recall.content
    return recall.content  # type: ignore[union-attr, no-any-return] # pyright: ignore[reportAttributeAccessIssue]


def a_misspelled_code(failed: RecallFailed, not_sent: SaveNotSent) -> bool:
    match failed.code:
        case "conect_failed":  # pyright: ignore[reportUnnecessaryComparison]
            return True  # type: ignore[unreachable]
        case _:
            return not_sent.code == "closd"  # type: ignore[comparison-overlap] # pyright: ignore[reportUnnecessaryComparison]
