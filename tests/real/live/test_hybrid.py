# SPDX-License-Identifier: Apache-2.0
"""A real server with a real embedding model: what is found by meaning, what the doctor says of it, and what is left of
saving and recall while the model is slow or gone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from powercontext_deerflow import (
    NothingRecalled,
    PowerContext,
    Recalled,
    Saved,
    SaveRejected,
    Secret,
    Settings,
)
from powercontext_deerflow.doctor.command import main
from powercontext_deerflow.settings import PREFIX
from tests.support.servers import environments
from tests.support.servers.embedding import EmbeddingEndpoint
from tests.support.servers.real import PowerContextServer

CENTS = "Order service: money amounts are integer cents, never floats."
HERON = "The staging database is called heron and lives in Frankfurt."
MEMORIES = (CENTS, HERON, "Backend tests use pytest.", "Anna owns the billing module.")
DRAWER = "The on-call phone is in the drawer."
IN_OTHER_WORDS = "Price representation?"  # no word of any memory


@pytest.fixture(scope="module")
def model() -> Iterator[EmbeddingEndpoint]:
    if not environments.can_embed():
        pytest.skip("no Python here has a sqlite3 that loads extensions")
    with EmbeddingEndpoint() as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def server(model: EmbeddingEndpoint) -> Iterator[PowerContextServer]:
    with PowerContextServer(embedding=model) as running:
        yield running


@pytest.fixture(scope="module")
def scope_id(server: PowerContextServer) -> str:
    """A Scope with four memories."""
    scope_id = server.create_scope("hybrid")
    for text in MEMORIES:
        server.remember(scope_id, text)
    return scope_id


@pytest.fixture
def client(server: PowerContextServer, scope_id: str) -> Iterator[PowerContext]:
    with PowerContext(
        Settings(
            base_url=server.base_url,
            scope_id=scope_id,
            token=Secret(server.token),
            recall_timeout_seconds=10.0,
            remember_timeout_seconds=10.0,
            recall_focus=False,  # the server's own answer
        )
    ) as bound:
        yield bound


def test_found_by_meaning(client: PowerContext) -> None:
    assert isinstance(client.remember("Deploys happen on Tuesdays only."), Saved)
    recalled = client.recall(IN_OTHER_WORDS)
    assert isinstance(recalled, Recalled)
    assert CENTS in recalled.content


def test_the_doctor_says_that_it_answers_anything(
    server: PowerContextServer,
    scope_id: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    bound = {"BASE_URL": server.base_url, "TOKEN": server.token, "OWNER_USER_ID": "4f0c2d9a"}
    for empty, named in ((False, scope_id), (True, server.create_scope("empty"))):
        for name, value in {**bound, "SCOPE_ID": named}.items():
            monkeypatch.setenv(PREFIX + name, value)
        assert main(["doctor", "--json"]) == 0
        said = capsys.readouterr().out
        levels = {found["code"]: found["level"] for found in json.loads(said)["findings"]}
        assert "search_semantic" in levels
        assert levels.get("search_answers_anything") == (None if empty else "warning")
        assert not any(text in said for text in MEMORIES)


def test_while_the_model_is_silent(
    client: PowerContext, model: EmbeddingEndpoint, server: PowerContextServer, scope_id: str
) -> None:
    with nothing_stored(server, scope_id):
        model.pause()
        try:
            goes_by_words(client)
            refused = client.remember(DRAWER)
        finally:
            model.resume()
        assert isinstance(refused, SaveRejected)
        assert (refused.code, refused.status) == ("inference_timeout", 503)


def test_while_the_model_is_gone(
    client: PowerContext, model: EmbeddingEndpoint, server: PowerContextServer, scope_id: str
) -> None:
    with nothing_stored(server, scope_id):
        model.stop()
        try:
            goes_by_words(client)
            refused = client.remember(DRAWER)
        finally:
            model.start()
        assert isinstance(refused, SaveRejected)
        assert (refused.code, refused.status) == ("inference_unavailable", 503)
    assert isinstance(client.remember(DRAWER), Saved)


def goes_by_words(client: PowerContext) -> None:
    """After the server's own budget for the model, and without saying so."""
    recalled = client.recall("staging heron")
    assert isinstance(recalled, Recalled)
    assert [text for text in MEMORIES if text in recalled.content] == [HERON]
    assert isinstance(client.recall(IN_OTHER_WORDS), NothingRecalled)


@contextmanager
def nothing_stored(server: PowerContextServer, scope_id: str) -> Iterator[None]:
    """Neither a memory nor a Source of one."""
    before = server.memories(scope_id), server.sources(scope_id)
    yield
    assert (server.memories(scope_id), server.sources(scope_id)) == before
