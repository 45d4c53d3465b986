# SPDX-License-Identifier: Apache-2.0
"""A Gateway process with one save under way, until SIGTERM: `ending_gateway.py on|off TEXT`, for memory on or off.

It says what it does on its standard output, and logs on its standard error.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "host")]

from tests.support import gateway  # noqa: E402
from tests.support.gateway import MEMORY, Gateway, owner  # noqa: E402


def say(what: str) -> None:
    print(what, flush=True)


async def main(memory: str, text: str) -> None:
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)

    async def run() -> None:
        try:
            await host.remember(text, owner(os.environ["POWERCONTEXT_DEERFLOW_OWNER_USER_ID"]))
        except asyncio.CancelledError:
            say("cancelled")
            raise
        say("answered")

    async with Gateway(memory={**MEMORY, "enabled": memory == "on"}) as host:
        host.begin(run())
        await told.wait()
        say("ending")
    say("ended")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    gateway.DRAIN_SECONDS = 0.2
    asyncio.run(main(*sys.argv[1:]))
