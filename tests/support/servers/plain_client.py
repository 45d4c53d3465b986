# SPDX-License-Identifier: Apache-2.0
"""A plain HTTP client of a PowerContext server: "another client" of the server under test.

httpx and nothing of ours, for both server generations: atomic memories
from 1.3.0 on, memory entries before.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any, TypedDict

import httpx

PAGE = 100  # the most that the lists allow


class Memory(TypedDict):
    """One active memory, of either server generation."""

    text: str
    kind: str
    id: str
    citation: dict[str, Any]  # the artifact triple from 1.3.0 on, entry and version before


class PlainClient:
    def __init__(self, version: str, token: str, port: int = 0) -> None:
        self.version = version
        self.token = token
        self.port = port

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def create_scope(self, title: str) -> str:
        body = {"title": title, "summary": title, "idempotency_key": secrets.token_hex(16)}
        scope_id: str = self.call("POST", "/v1/scopes", body)["scope_id"]
        return scope_id

    def remember(self, scope_id: str, text: str, kind: str = "fact") -> dict[str, Any]:
        """The server's answer as it is; its shape depends on the generation."""
        body = {"scope_id": scope_id, "kind": kind, "text": text}
        return self.call("POST", "/v1/memory/remember", body)

    def memories(self, scope_id: str) -> list[Memory]:
        """Every active memory of the Scope."""
        return [self._memory(record) for record in self._active(scope_id)]

    def forget(self, scope_id: str, memory: Memory) -> None:
        """Retire by a fresh record: an older citation is a conflict before 1.3.0."""
        record = next(r for r in self._active(scope_id) if self._memory(r)["id"] == memory["id"])
        if self._atomic:
            target = {"artifact": record["artifact"], "state_version": record["state_version"]}
            body = {"scope_id": scope_id, "target": target, "state": "forgotten"}
            self.call("POST", "/v1/atomic-memory/lifecycle", body)
        else:
            body = {"scope_id": scope_id, "citation": record["citation"]}
            self.call("POST", "/v1/memory/entries/retire", body)

    def sources(self, scope_id: str) -> int:
        """How many Sources the Scope holds; from 1.3.0 on every save makes one."""
        count, cursor = 0, ""
        while True:
            page = self.call("GET", f"/v1/scopes/{scope_id}/sources?limit={PAGE}{cursor}")
            count += len(page["items"])
            if not page["next_cursor"]:
                return count
            cursor = f"&cursor={page['next_cursor']}"

    def warm_han(self, scope_id: str) -> None:
        """Make 1.4 load its Chinese dictionary now: it takes a second or two, once a process."""
        self.call("POST", "/v1/context/prepare", {"scope_id": scope_id, "query": "订单服务"})

    @property
    def _atomic(self) -> bool:
        major, minor = self.version.split(".")[:2]
        return (int(major), int(minor)) >= (1, 3)

    def _active(self, scope_id: str) -> Iterator[dict[str, Any]]:
        if not self._atomic:
            listed = self.call("POST", "/v1/memory/entries/list", {"scope_id": scope_id})
            yield from (entry for entry in listed["entries"] if entry["state"] == "active")
            return
        body: dict[str, object] = {"scope_id": scope_id, "states": ["active"], "limit": PAGE}
        while True:
            page = self.call("POST", "/v1/atomic-memory/list", body)
            yield from page["items"]
            if page["next_cursor"] is None:
                return
            body["cursor"] = page["next_cursor"]

    def _memory(self, record: dict[str, Any]) -> Memory:
        citation = record["artifact"] if self._atomic else record["citation"]
        name = citation["artifact_id"] if self._atomic else citation["entry_id"]
        return Memory(text=record["text"], kind=record["kind"], id=name, citation=citation)

    def call(
        self, method: str, path: str, body: object = None, timeout: float = 30.0
    ) -> dict[str, Any]:
        """The JSON of a 2xx answer; RuntimeError with status and body for any other."""
        # A connection for each call: nothing to go stale over pauses and restarts.
        got = httpx.request(
            method,
            self.base_url + path,
            json=body,
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=timeout,
            trust_env=False,
            verify=False,  # plain HTTP: spares loading the CA bundle
        )
        if not got.is_success:
            raise RuntimeError(f"{method} {path} answered {got.status_code}: {got.text}")
        answer: dict[str, Any] = got.json()
        return answer
