# SPDX-License-Identifier: Apache-2.0
"""Stand-in for how the Gateway starts and stops the services of its extensions: on its own event loop, one by one."""

from __future__ import annotations

import asyncio
import logging

from deerflow_extension_api import ExtensionRuntimeDeps

from deerflow.extensions.registry import LoadedExtensions

logger = logging.getLogger(__name__)

STOP_TIMEOUT_SECONDS = 30.0


async def start_services(loaded: LoadedExtensions) -> None:
    """In the order of registration; one that fails is passed over, and stopped like the others."""
    for source, service in loaded.services:
        try:
            await service.start(ExtensionRuntimeDeps())
        except Exception:
            logger.exception("a service of %s does not start", source)


async def stop_services(loaded: LoadedExtensions) -> None:
    """The last one first, each with a time of its own."""
    for source, service in reversed(loaded.services):
        try:
            async with asyncio.timeout(STOP_TIMEOUT_SECONDS):
                await service.stop()
        except Exception:
            logger.exception("a service of %s does not stop", source)
