# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: S603, T201 - an example that prints, and starts itself once more
"""One user, one Scope: from a running PowerContext server to a memory that a new process recalls.

Makes the Scope, prints what to give DeerFlow, saves, recalls. Run it again: the same Scope, nothing saved twice.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

from powercontext_openapi.api.scopes import create_scope
from powercontext_openapi.models import CreateScopeRequest, ScopeDescriptor

from powercontext_deerflow import PowerContext, Recalled, Secret, Settings
from powercontext_deerflow.cli import BLOCKS

PREFIX = "POWERCONTEXT_DEERFLOW_"
GIVEN = ("BASE_URL", "OWNER_USER_ID", "TOKEN")
MEMORY = "Order service: money amounts are integer cents; use pytest for backend tests."
QUESTION = "Add a refund calculation to the order service, following its conventions."


def main() -> None:
    if missing := [PREFIX + name for name in GIVEN if not os.environ.get(PREFIX + name)]:
        sys.exit("set " + ", ".join(missing))
    os.environ[PREFIX + "SCOPE_ID"] = make_scope()
    print("# --- config.yaml of DeerFlow: merge this into it", CONFIG, sep="\n")
    print("# --- environment of the Gateway process: this, and the token from your secret store")
    for name in ("BASE_URL", "OWNER_USER_ID", "SCOPE_ID"):
        print(f"{PREFIX}{name}={os.environ[PREFIX + name]}")
    with PowerContext(Settings.from_environment()) as memory:
        print("\n# --- save\n", memory.remember(MEMORY), sep="")
    print("\n# --- recall, in a new process", flush=True)
    subprocess.run([sys.executable, __file__, "recall"], check=True)


def make_scope() -> str:
    """The same owner gets the same Scope: the server knows the key."""
    owner = os.environ[PREFIX + "OWNER_USER_ID"]
    request = CreateScopeRequest(
        title="DeerFlow memory",
        summary="What one user asked to remember",
        idempotency_key="deerflow-" + hashlib.sha256(owner.encode()).hexdigest()[:32],
    )
    settings = Settings(
        base_url=os.environ[PREFIX + "BASE_URL"],
        scope_id="none-yet",
        token=Secret(os.environ[PREFIX + "TOKEN"]),
    )
    with PowerContext(settings) as powercontext:
        made = create_scope.sync(client=powercontext.generated, body=request)
    if not isinstance(made, ScopeDescriptor):
        sys.exit("PowerContext did not make a Scope: is the token right?")
    return made.scope_id


def recall() -> None:
    with PowerContext(Settings.from_environment()) as memory:
        recalled = memory.recall(QUESTION)
    if not isinstance(recalled, Recalled):
        sys.exit(f"nothing was recalled: {recalled}")
    print(recalled.content)


CONFIG = BLOCKS.partition("\n# Environment")[0].partition("\n")[2]

if __name__ == "__main__":
    recall() if sys.argv[1:] == ["recall"] else main()
