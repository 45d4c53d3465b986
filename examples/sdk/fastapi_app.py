# SPDX-License-Identifier: Apache-2.0
"""One client for the life of a FastAPI app, handed to its routes as a dependency."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Request
from pydantic import BaseModel

from powercontext_deerflow import (
    InputError,
    Kind,
    PowerContext,
    Recalled,
    RecallFailed,
    SaveNotSent,
    SaveRejected,
)


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with PowerContext.from_environment() as client:
        app.state.memory = client
        yield


def bound_client(request: Request) -> PowerContext:
    client: PowerContext = request.app.state.memory
    return client


Memory = Annotated[PowerContext, Depends(bound_client)]
app = FastAPI(lifespan=lifespan)


class Note(BaseModel):
    text: str
    kind: Kind = "fact"


@app.post("/notes")
async def remember(note: Note, memory: Memory) -> dict[str, str]:
    try:
        outcome = await memory.aremember(note.text, note.kind)
    except InputError as error:
        raise HTTPException(422, error.code) from None
    if isinstance(outcome, SaveRejected | SaveNotSent):
        raise HTTPException(502, outcome.code)
    return {"outcome": type(outcome).__name__}


@app.get("/context")
async def recall(question: str, memory: Memory) -> dict[str, object]:
    outcome = await memory.arecall(question)
    if isinstance(outcome, RecallFailed):
        raise HTTPException(502, outcome.code)
    if not isinstance(outcome, Recalled):
        return {"content": None, "memories": 0}
    return {"content": outcome.content, "memories": len(outcome.citations)}
