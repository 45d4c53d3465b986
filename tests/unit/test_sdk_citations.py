# SPDX-License-Identifier: Apache-2.0
"""The citations of recalled text, from what six real servers prepared, and from what somebody might forge."""

from __future__ import annotations

import json
from pathlib import Path

from powercontext_deerflow import ArtifactCitation, Cited, EntryCitation, MemoryRef, Recalled
from tests.support.cases import each_case

GOLDEN = Path(__file__).resolve().parents[1] / "support" / "golden"
HEADER = '    Scope: "scp_1"\n    Artifact: family="atomic-memory", id="art_1", revision=3\n'
ENTRY = (
    '    Scope: "scp_1"\n    Artifact: family="memory", id="memory", revision=3\n'
    '    Entry: id="mem_ent_1", version="mem_ver_2"\n'
)


def prepared(case: Path) -> str:
    body = json.loads(json.loads(case.read_text())["response"]["body"])
    content = body.get("content") if isinstance(body, dict) else None
    return content if isinstance(content, str) and "assembly" in case.read_text() else ""


READY = {
    case.stem: prepared(case)
    for case in sorted(GOLDEN.glob("*prepare*.json"))
    if "_4" not in case.stem
}
READY = {name: content for name, content in READY.items() if "### Memory" in content}


def cited(content: str) -> tuple[Cited, ...]:
    return Recalled(content, len(content.encode())).citations


@each_case("name", READY)
def test_each_memory_of_a_real_answer_is_cited(name: str) -> None:
    content = READY[name]
    citations = cited(content)
    assert len(citations) == sum(line.startswith("### Memory ") for line in content.splitlines())
    generation = EntryCitation if "    Entry: id=" in content else ArtifactCitation
    for one in citations:
        assert isinstance(one.citation, generation)
        assert f'    Scope: "{one.scope_id}"\n' in content


def test_real_answers_of_both_generations_were_read() -> None:
    assert len(READY) > 20
    assert any("    Entry: id=" in content for content in READY.values())


def test_a_citation_of_each_generation_is_whole() -> None:
    assert cited(f"### Memory 1\n\n{HEADER}    Truncated: no\n\n>     text") == (
        Cited("scp_1", ArtifactCitation("atomic-memory", "art_1", 3)),
    )
    entry = EntryCitation(MemoryRef("memory", "memory", 3), "mem_ent_1", "mem_ver_2")
    assert cited(f"### Memory 1\n\n{ENTRY}    Truncated: yes\n") == (Cited("scp_1", entry),)


@each_case("header", [HEADER, ENTRY])
def test_what_a_memory_says_is_no_citation(header: str) -> None:
    quoted = "".join(f">     {line}\n" for line in header.splitlines())
    assert cited(quoted) == ()
    assert len(cited(f"{HEADER}    Truncated: no\n\n{quoted}\n{HEADER}")) == 2


@each_case(
    "header",
    [
        HEADER.replace("atomic-memory", "experience"),
        HEADER.replace("=3", "=0"),
        HEADER.replace("=3", "=3.5"),
        HEADER.replace('"art_1"', '""'),
        HEADER.replace("art_1", "art 1"),
        HEADER.replace("    Artifact", "   Artifact"),
        HEADER.replace("\n", "\r\n"),
        ENTRY.replace("    Entry", "    Version"),
        ENTRY.replace('"memory"', '"atomic-memory"', 1),
        "",
    ],
)
def test_a_header_of_an_unknown_form_is_passed_over(header: str) -> None:
    assert cited(header) == ()


def test_a_hostile_text_is_read_in_time_that_grows_with_its_length() -> None:
    content = '    Scope: "' * 2000 + HEADER[:-2] * 300
    assert len(content.encode()) > 32768
    assert cited(content) == ()
