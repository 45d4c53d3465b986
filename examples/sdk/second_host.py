# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - an example that prints
"""A second host, say a nightly job over tickets, writes into the Scope that DeerFlow recalls from.

It has the Gateway's settings. What it saves, the user's next conversation in DeerFlow finds; where it came from is kept
as a Source, at most once a ticket however often the job runs.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from powercontext_deerflow import AlreadySaved, Captured, PowerContext, Saved


@dataclass(frozen=True)
class Ticket:
    number: int
    body: str
    decision: str


TICKETS = [
    Ticket(
        7, "Refunds were off by a cent ...", "Billing service: refunds are rounded half to even."
    ),
    Ticket(
        9, "Who may void an invoice? ...", "Billing service: only the ledger team voids invoices."
    ),
]


async def hand_over(ticket: Ticket, memory: PowerContext) -> str:
    source = await memory.acapture_source(f"ticket:{ticket.number}", ticket.body)
    if not isinstance(source, Captured):
        return f"ticket {ticket.number} was edited since ({source.code})"
    saved = await memory.aremember(ticket.decision, "decision")
    if not isinstance(saved, Saved | AlreadySaved):
        return f"ticket {ticket.number}: {saved.code}"
    return f"ticket {ticket.number}: {type(saved).__name__}"


async def main() -> list[str]:
    async with PowerContext.from_environment() as memory:
        return [await hand_over(ticket, memory) for ticket in TICKETS]


if __name__ == "__main__":
    print("\n".join(asyncio.run(main())))
