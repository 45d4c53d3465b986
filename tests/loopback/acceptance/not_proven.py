# SPDX-License-Identifier: Apache-2.0
"""What the acceptance matrix demands and these tests cannot prove, each with the reason. The evidence page lists it."""

from __future__ import annotations

from typing import Final, NamedTuple


class NotProven(NamedTuple):
    row: str
    """The row of the matrix, and the part of it."""
    reason: str


NOT_PROVEN: Final = (
    NotProven(
        "Explicit save → new chat: an answer using the convention",
        "needs a live model; shown is that the convention and its citation are in the messages that a model receives",
    ),
    NotProven(
        "Other host → DeerFlow: an answer using the convention",
        "needs a live model; shown is that the memory and its citation are in the messages that a model receives",
    ),
    NotProven(
        "Explicit save → new chat: that the model calls the tool only on an explicit request",
        "needs a live model; the tool's description asks for it, and nothing enforces it",
    ),
    NotProven(
        "The owner's own hand: that the model calls find, correct and forget when asked to, and asks about `similar`",
        "needs a live model; shown is what the tools answer and what a new conversation is given afterwards",
    ),
    NotProven(
        "Recall on every turn: the host of PR 4732",
        "not merged; shown on a stand-in from its description. It may keep what it recalls for one turn only",
    ),
    NotProven(
        "Every row: the real Gateway",
        "DeerFlow's packages are not on PyPI; stand-ins written from its source take its place (tests/host/README.md)",
    ),
    NotProven(
        "Auth-disabled deployment: the Gateway's own synthetic user",
        "the Gateway's authentication is not stood in for; shown is that the switch alone makes both surfaces unusable",
    ),
    NotProven(
        "Same-owner IM/scheduled run: live transports",
        "need a chat platform's account and the host's scheduler; shown are the identities that those paths hand over",
    ),
    NotProven(
        "Recall timeout, 401/403: a real 403",
        "the server's static token is one principal with every right; 403 is given by the proxy, in the server's words",
    ),
    NotProven(
        "Second turn, retirement and restart: DeerFlow's checkpoint over a restart of the host",
        "the stand-ins keep conversations in memory; a conversation that survives a restart is the host's own",
    ),
    NotProven(
        "Local and Docker installation/rollback: Docker",
        "needs a Docker daemon and DeerFlow's image",
    ),
    NotProven(
        "Local and Docker installation/rollback: the locked package after `deerflow extensions install`",
        "needs the host's own project, lock file and extension manager; shown is what its loader does with the result",
    ),
    NotProven(
        "Local and Docker installation/rollback: DeerMem itself restored",
        "DeerMem is not stood in for; shown is that a previous backend and its file come back untouched",
    ),
    NotProven(
        "Config rewrite and rotation: the extension manager's and the configuration API's own code",
        "not on PyPI; shown are the rewrites that they make of config.yaml",
    ),
)
