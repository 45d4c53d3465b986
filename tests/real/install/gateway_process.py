# SPDX-License-Identifier: Apache-2.0
"""One Gateway process in DeerFlow's own environment: it saves, if it has the tool, and recalls in a new conversation.

Run with the backend's interpreter, the host's packages on PYTHONPATH: `gateway_process.py CONFIG TEXT QUESTION`.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[3]))  # last: the installed package comes first

import yaml

import powercontext_deerflow
from tests.support.gateway import TOOL_NAME, Gateway, memory_block, owner, result


async def main(config: dict[str, Any], text: str, question: str) -> dict[str, object]:
    run = owner(os.environ["POWERCONTEXT_DEERFLOW_OWNER_USER_ID"])
    with Gateway(memory=config["memory"], plugins=tuple(config["plugins"])) as gateway:
        saved = result(await gateway.remember(text, run)) if TOOL_NAME in gateway.tools else {}
        return {
            "package": powercontext_deerflow.__file__,
            "version": powercontext_deerflow.__version__,
            "status": saved.get("status"),
            "citation": saved.get("citation"),
            "memory": memory_block(await gateway.ask(question, run)),
        }


if __name__ == "__main__":
    file, text, question = sys.argv[1:]
    config = yaml.safe_load(Path(file).read_text())
    print(json.dumps(asyncio.run(main(config, text, question))))
