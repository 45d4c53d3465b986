# SPDX-License-Identifier: Apache-2.0
"""Memories saved to a real server, and prompts asked of it in one way or another."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from rich.progress import track

from powercontext_deerflow import PowerContext, Recalled, Secret, Settings
from scripts.quality.figures import Asked
from tests.real.recall_quality import dataset
from tests.support.servers.loopback import Request
from tests.support.servers.proxy import Exchange, Fault, RecordingProxy
from tests.support.servers.real import PowerContextServer

_ARTIFACT = re.compile(r'^    Artifact: family="atomic-memory", id="([^"]+)"', re.MULTILINE)
_GENERATION = re.compile(rb"x-powercontext-dream-contract: [^\r]*\r\n", re.IGNORECASE)
_SAVING = 4  # threads


@dataclass
class Filled:
    """A Scope that holds a set and unrelated memories."""

    server: PowerContextServer
    scope_id: str
    known: dict[str, str] = field(default_factory=dict)
    """Artifact id to data set id."""


def fill(server: PowerContextServer, memories: Sequence[dataset.Memory], total: int) -> Filled:
    filled = Filled(server, server.create_scope("recall quality"))
    others = dataset.filler(total - len(memories), seed=1)
    texts = [(it.id, it.text, it.kind) for it in memories] + [(None, it, "fact") for it in others]

    def save(it: tuple[str | None, str, str]) -> tuple[str | None, str]:
        answer = server.remember(filled.scope_id, it[1], it[2])
        return it[0], answer["records"][0]["artifact"]["artifact_id"]

    with ThreadPoolExecutor(_SAVING) as threads:
        saved = threads.map(save, texts)
        for known, artifact in track(saved, "Saving ...", total=len(texts), transient=True):
            if known is not None:
                filled.known[artifact] = known
    return filled


def _hides_its_generation(exchange: Exchange) -> None:
    exchange.connection.send(_GENERATION.sub(b"", exchange.forward(), count=1))


def _older(_: Request) -> Fault:
    return _hides_its_generation


WAYS = ("literal", "pieces", "second look")
"""`pieces` is what a server up to 1.3.0 is asked: here the proxy hides that this one is newer."""


def ask(
    filled: Filled, name: str, prompts: Sequence[dataset.Prompt], way: str, seconds: float
) -> list[Asked]:
    with RecordingProxy(filled.server.base_url) as proxy:
        if way == "pieces":
            proxy.fault = _older
        settings = Settings(
            base_url=proxy.base_url,
            scope_id=filled.scope_id,
            token=Secret(filled.server.token),
            recall_focus=way != "literal",
            recall_timeout_seconds=seconds,
        )
        with PowerContext(settings) as client:
            client.recall("订单服务")  # the server loads its Chinese dictionary once
            return [_asked(client, proxy, filled, name, prompt) for prompt in prompts]


def _asked(
    client: PowerContext, proxy: RecordingProxy, filled: Filled, name: str, prompt: dataset.Prompt
) -> Asked:
    proxy.clear()
    started = time.perf_counter()
    recalled = client.recall(prompt.text)
    took = time.perf_counter() - started
    content = recalled.content if isinstance(recalled, Recalled) else ""
    shown = tuple(filled.known.get(artifact, "other") for artifact in _ARTIFACT.findall(content))
    return Asked(name, prompt, shown, len(proxy.requests), took)
