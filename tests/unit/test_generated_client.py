# SPDX-License-Identifier: Apache-2.0
"""The checked-in client: what it sends, what it can read, what it imports."""

from __future__ import annotations

import ast
import importlib
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
from powercontext_openapi import Client
from powercontext_openapi.api.context import prepare_context
from powercontext_openapi.api.memory import remember_memory, search_memory
from powercontext_openapi.models.context_assembly import ContextAssembly
from powercontext_openapi.models.context_assembly_section import ContextAssemblySection
from powercontext_openapi.models.prepare_context_request import PrepareContextRequest
from powercontext_openapi.models.remember_memory_request import RememberMemoryRequest
from powercontext_openapi.models.search_memory_request import SearchMemoryRequest

from tests.support.cases import each_case

TESTS = Path(__file__).resolve().parent.parent
CLIENT = TESTS.parent / "generated" / "powercontext_openapi"
SOURCES = sorted(CLIENT.rglob("*.py"))

# golden case -> generated module, and the model that must come out of it
READABLE = {
    "remember_new": ("memory.remember_memory", "MemoryMutationResponse"),
    "v130_remember_new": ("memory.remember_memory", "MemoryMutationResponse"),
    "remember_422_missing_text": ("memory.remember_memory", "ErrorResponse"),
    "prepare_ready_rfc_shape": ("context.prepare_context", "PreparedContext"),
    "prepare_empty_scope": ("context.prepare_context", "PreparedContext"),
    "prepare_explain_true": ("context.prepare_context", "PreparedContext"),
    "v140_prepare_ready": ("context.prepare_context", "PreparedContext"),
    "search_memory": ("memory.search_memory", "SearchMemoryResponse"),
    "atomic_list_page1": ("atomic_memory.list_atomic_memories", "ListAtomicMemoryResponse"),
    "lifecycle_forget_200": (
        "atomic_memory.change_atomic_memory_lifecycle",
        "AtomicMemoryMutationResponse",
    ),
    "artifact_get": ("artifacts.get_artifact", "ArtifactRevision"),
    "source_content_202": ("sources.capture_content_source", "CaptureContentSourceResponse"),
    "scope_create_201": ("scopes.create_scope", "ScopeDescriptor"),
    "scope_get": ("scopes.get_scope", "ScopeDescriptor"),
    "server_info": ("server.get_server_info", "ServerInfo"),
    "health_ready": ("health.get_readiness", "ReadinessResponse"),
    "health_live": ("health.get_liveness", "HealthResponse"),
    "access_me": ("access.get_access_principal", "AccessMeResponse"),
    "auth_401_wrong_token": ("access.get_access_principal", "ErrorResponse"),
}


def parsed(module: ModuleType, golden: dict[str, Any]) -> Any:
    response = httpx.Response(
        golden["response"]["status"], content=golden["response"]["body"].encode()
    )
    return module._parse_response(
        client=Client(base_url="http://unused.invalid"), response=response
    )


def sent(module: ModuleType, body: object) -> Any:
    return module._get_kwargs(body=body)["json"]


@each_case("case", READABLE)
def test_a_real_answer_is_read_without_loss(case: str) -> None:
    golden = json.loads((TESTS / "support" / "golden" / f"{case}.json").read_text())
    module, model = READABLE[case]
    answer = parsed(importlib.import_module(f"powercontext_openapi.api.{module}"), golden)
    assert type(answer).__name__ == model
    same_instant = re.sub(r'(\d)Z"', r'\1+00:00"', golden["response"]["body"])
    assert answer.to_dict() == json.loads(same_instant)


def test_the_recall_body_has_exactly_the_four_keys_every_server_accepts() -> None:
    golden = json.loads((TESTS / "support" / "golden" / "prepare_ready_rfc_shape.json").read_text())
    expected = json.loads(golden["request"]["body"])
    section = ContextAssemblySection(family="memory", limit=6)
    body = PrepareContextRequest(
        scope_id=expected["scope_id"],
        query=expected["query"],
        max_bytes=expected["max_bytes"],
        assembly=ContextAssembly(format_="markdown", sections=[section]),
    )
    assert sent(prepare_context, body) == expected


def test_unset_fields_are_never_sent() -> None:
    assert sent(prepare_context, PrepareContextRequest(scope_id="s", query="q")) == {
        "scope_id": "s",
        "query": "q",
    }
    saved = RememberMemoryRequest(scope_id="s", kind="fact", text="t")
    assert sent(remember_memory, saved) == {"scope_id": "s", "kind": "fact", "text": "t"}
    assert sent(search_memory, SearchMemoryRequest(scope_id="s", query="q")) == {
        "scope_id": "s",
        "query": "q",
    }


def test_it_imports_nothing_but_attrs_and_httpx() -> None:
    imported = set()
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_bytes())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                imported.add(str(node.module).partition(".")[0])
    assert imported - sys.stdlib_module_names == {"attrs", "httpx"}


def test_it_is_small_typed_and_marked() -> None:
    assert len(SOURCES) <= 120
    assert (CLIENT / "py.typed").is_file()
    for source in SOURCES:
        first = source.read_text(encoding="utf-8").partition("\n")[0]
        assert first.startswith("# Generated from openapi/powercontext.json by ")
        assert first.endswith("; do not edit.")
