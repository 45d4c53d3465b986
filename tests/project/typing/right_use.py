# SPDX-License-Identifier: Apache-2.0
"""Only type-checked, by mypy and by basedpyright: what a user of the SDK writes, and what it is then known to be."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import assert_never, assert_type

from powercontext_openapi import Client

from powercontext_deerflow import (
    AlreadySaved,
    ArtifactCitation,
    Captured,
    CaptureOutcome,
    ChangeRejected,
    ChangeUnknown,
    Citation,
    Cited,
    Conflict,
    Deadline,
    EntryCitation,
    ForgetOutcome,
    Forgotten,
    Memory,
    MemoryState,
    NothingRecalled,
    NotSupportedByServer,
    PowerContext,
    PowerContextError,
    Recall,
    Recalled,
    RecallFailed,
    Restored,
    RestoreOutcome,
    Revised,
    ReviseOutcome,
    Revision,
    Saved,
    SaveNotSent,
    SaveOutcome,
    SaveRejected,
    SaveUnknown,
    Secret,
    ServerError,
    ServerInfo,
    Settings,
)


def of_a_recall(recall: Recall) -> str:
    match recall:
        case Recalled():
            assert_type(recall.citations, tuple[Cited, ...])
            assert_type(recall.content_bytes, int)
            return recall.content
        case NothingRecalled():
            return recall.code
        case RecallFailed():
            assert_type(recall.status, int | None)
            return recall.code
        case _:
            assert_never(recall)


def of_a_save(outcome: SaveOutcome) -> Citation | None:
    if isinstance(outcome, Saved):
        return assert_type(outcome.citation, ArtifactCitation | EntryCitation)
    if isinstance(outcome, AlreadySaved):
        return outcome.citation
    if isinstance(outcome, SaveUnknown | SaveRejected):
        assert_type(outcome.status, int | None)
        return None
    assert_type(outcome, SaveNotSent)
    if isinstance(outcome, SaveNotSent):
        return None
    assert_never(outcome)


def of_a_citation(citation: Citation) -> int:
    if isinstance(citation, ArtifactCitation):
        return citation.revision
    return assert_type(citation, EntryCitation).memory_ref.revision


def of_what_was_forgotten(outcome: ForgetOutcome) -> MemoryState | str:
    match outcome:
        case Forgotten(memory):
            return memory.state
        case Conflict(code) | ChangeRejected(code) | ChangeUnknown(code):
            return code
        case _:
            assert_never(outcome)


def of_a_correction(outcome: ReviseOutcome) -> str:
    match outcome:
        case Revised(memory):
            return memory.text
        case Conflict(code) | ChangeRejected(code) | ChangeUnknown(code):
            return code
        case _:
            assert_never(outcome)


def of_what_was_taken_back(outcome: RestoreOutcome) -> str:
    match outcome:
        case Restored(memory):
            return memory.text
        case Conflict(code) | ChangeRejected(code) | ChangeUnknown(code):
            return code
        case _:
            assert_never(outcome)


def of_a_capture(outcome: CaptureOutcome) -> int | str:
    match outcome:
        case Captured(position):
            return position
        case Conflict(code):
            return code
        case _:
            assert_never(outcome)


def every_operation(settings: Settings, citation: Citation) -> None:
    by = Deadline.after(1)
    with PowerContext(settings) as client:
        assert_type(client, PowerContext)
        assert_type(client.recall("q", deadline=by), Recall)
        assert_type(client.remember("t", "decision", check_duplicates=False), SaveOutcome)
        assert_type(client.search("q", 5, deadline=by), list[Memory])
        assert_type(client.list_memories(), Iterator[Memory])
        assert_type(client.list_memories("fact", states=("active", "inactive")), Iterator[Memory])
        assert_type(list(client.list_memories(states=["forgotten"])), list[Memory])
        assert_type(client.get(citation), Memory)
        assert_type(client.forget(citation), ForgetOutcome)
        assert_type(client.revise(citation, "text", "fact"), ReviseOutcome)
        assert_type(client.restore(citation, 1), RestoreOutcome)
        assert_type(client.head(citation), Memory)
        assert_type(client.history(citation, 10), list[Revision])
        assert_type(client.capture_source("id", "content", {"turn": 1}), CaptureOutcome)
        assert_type(client.server_info(), ServerInfo)
        assert_type(client.check_scope(), bool)
        assert_type(client.generated, Client)


async def every_operation_without_blocking(citation: Citation) -> None:
    by = Deadline.after(1)
    async with PowerContext.from_environment() as client:
        assert_type(client, PowerContext)
        assert_type(await client.arecall("q", deadline=by), Recall)
        assert_type(await client.aremember("t", read_back=False, deadline=by), SaveOutcome)
        assert_type(await client.asearch("q", limit=5, deadline=by), list[Memory])
        assert_type(client.alist_memories("fact"), AsyncIterator[Memory])
        assert_type([memory.kind async for memory in client.alist_memories()], list[str | None])
        assert_type(await client.aget(citation), Memory)
        assert_type(await client.aforget(citation, deadline=by), ForgetOutcome)
        assert_type(await client.arevise(citation, "text", deadline=by), ReviseOutcome)
        assert_type(await client.arestore(citation, deadline=by), RestoreOutcome)
        assert_type(await client.ahead(citation, deadline=by), Memory)
        assert_type(await client.ahistory(citation, deadline=by), list[Revision])
        assert_type(await client.acapture_source("id", "content", metadata=None), CaptureOutcome)
        assert_type(await client.aserver_info(), ServerInfo)
        assert_type(await client.acheck_scope(deadline=by), bool)


def of_an_error(client: PowerContext) -> None:
    try:
        client.server_info()
    except NotSupportedByServer as error:
        assert_type(error.status, int)
        assert_type(error.structured, bool)
    except ServerError as error:
        assert_type(error.status, int)
    except PowerContextError as error:
        assert_type(error.code, str)
        assert_type(error.status, int | None)
        assert_type(error.request_id, str | None)


class Mine(PowerContext):
    """A class of the user's is kept by the ways to make and enter a client."""


def mine() -> None:
    assert_type(Mine.from_environment(), Mine)
    with Mine(Settings(base_url="http://localhost", scope_id="s", token=Secret("t"))) as client:
        assert_type(client, Mine)
