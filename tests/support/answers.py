# SPDX-License-Identifier: Apache-2.0
"""What PowerContext is asked and what it answers, each written once. The exchanges with real servers are in golden/."""

from __future__ import annotations

from typing import Any

from powercontext_deerflow import ArtifactCitation, EntryCitation, MemoryRef
from tests.support.servers.hostile import answer
from tests.support.servers.loopback import Behaviour

Body = dict[str, Any]

PREPARE = "POST /v1/context/prepare"
SEARCH = "POST /v1/memory/search"
REMEMBER = "POST /v1/memory/remember"
LIST = "POST /v1/atomic-memory/list"
LIFECYCLE = "POST /v1/atomic-memory/lifecycle"
ENTRY_LIST = "POST /v1/memory/entries/list"
ENTRY_GET = "POST /v1/memory/entries/get"
ENTRY_RETIRE = "POST /v1/memory/entries/retire"
ENTRY_REVISE = "POST /v1/memory/entries/revise"
RESTORE = "POST /v1/atomic-memory/restorations"
SOURCE = "POST /v1/sources/content"
SERVER_INFO = "GET /v1/server-info"
CAPABILITIES = "GET /v1/capabilities"

TEXT = "The order service keeps money amounts as integer cents."
"""What is saved where any text will do."""

REQUEST_ID = "0123456789abcdef"
NAMED = [("X-PowerContext-Request-ID", REQUEST_ID)]
"""The header by which an exchange is found in the server's log."""

# --- memories, as servers from 1.3.0 say them

ARTIFACT: Body = {"family": "atomic-memory", "artifact_id": "art_1", "revision": 1}
ATOMIC = ArtifactCitation("atomic-memory", "art_1", 1)
NO_HITS: Body = {"mode": "text", "hits": []}


def record(text: str, **changed: object) -> Body:
    return {
        "artifact": ARTIFACT,
        "kind": "fact",
        "text": text,
        "state": "active",
        "state_version": 0,
        "merged_into_id": None,
        **changed,
    }


def confirmed(text: str, **changed: object) -> Body:
    """A save is answered with the record that is now there."""
    return {"changed": True, "records": [record(text, **changed)]}


def hit(text: str, **changed: object) -> Body:
    return {"memory": record(text, **changed), "score": 0.5, "matched_by": ["text"]}


def found(text: str, **changed: object) -> Body:
    return {"mode": "text", "hits": [hit(text, **changed)]}


def wide(*texts: str) -> Body:
    """The answer to a wide search, servers from 1.4.0."""
    return {
        "results": [
            {
                **ARTIFACT,
                "artifact_id": f"art_{at}",
                "content": {
                    "schema": "powercontext.atomic-memory.v1",
                    "kind": "fact",
                    "text": text,
                },
                "created_at": None,
            }
            for at, text in enumerate(texts)
        ]
    }


# --- entries, as servers up to 1.2.0 say them

MEMORY: Body = {"family": "memory", "artifact_id": "memory", "revision": 1}
CITED: Body = {"memory_ref": MEMORY, "entry_id": "mem_ent_1", "entry_version_id": "mem_ver_1"}
ENTRY = EntryCitation(MemoryRef("memory", "memory", 1), "mem_ent_1", "mem_ver_1")


def entry(text: str, **changed: object) -> Body:
    return {
        "citation": CITED,
        "version": 1,
        "kind": "fact",
        "text": text,
        "state": "active",
        "source_refs": [],
        "artifact_refs": [],
        **changed,
    }


def entry_hit(text: str) -> Body:
    return {"citation": CITED, "text": text, "score": 0.5, "matched_by": ["fts"]}


def found_entries(*hits: Body) -> Body:
    return {"memory": MEMORY, "mode": "fts", "hits": list(hits)}


# --- recalls


def prepared(content: str | None, **changed: object) -> Body:
    """Empty if there is no content."""
    return {
        "schema": "powercontext.prepared-context.v1",
        "status": "empty" if content is None else "ready",
        "content": content,
        "content_bytes": 0 if content is None else len(content.encode()),
        **changed,
    }


FROM_1_4 = [("X-PowerContext-Dream-Contract", "2")]
"""The header by which servers from 1.4.0 are known."""


def prepared_text(*texts: str) -> str:
    """Prepared content as a server writes it."""
    return "BEGIN\n" + "".join(
        f"""
### Memory {at}

    Scope: "scp_1"
    Artifact: family="atomic-memory", id="art_{at}", revision=1
    Truncated: no

>     {text}
"""
        for at, text in enumerate(texts, 1)
    )


# --- Sources, and the server itself

ACCEPTED: Body = {
    "status": "accepted",
    "source": {"name": "content", "source_id": "s"},
    "position": 7,
}
INFO: Body = {
    "product": "powercontext",
    "package_version": "1.4.1",
    "api_contract_version": {"major": 1, "minor": 4},
}
SEARCH_MODES: Body = {"search_modes": ["auto", "fts"]}
SCOPE: Body = {
    "scope_id": "scp_1",
    "title": "t",
    "summary": "s",
    "parent_scope_id": None,
    "context_references": [],
    "external_references": [],
    "version": 1,
}

# --- refusals

NOT_FOUND: Body = {"detail": "Not Found"}
"""The framework's own, for a path that it does not have."""


def refusal(code: str, message: str = "words of the server", details: object = None) -> Body:
    return {"error": {"code": code, "message": message, "details": details}}


def refused(status: int, code: str, *headers: tuple[str, str]) -> Behaviour:
    """A refusal in PowerContext's own words: its shape, and its name for the exchange."""
    return answer(status, refusal(code), [*NAMED, *headers])
