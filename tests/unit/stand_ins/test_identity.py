# SPDX-License-Identifier: Apache-2.0
"""The stand-in of the run: whose it is, wherever it came from."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from deerflow.runtime import launch
from deerflow.runtime.user_context import (
    Runtime,
    reset_current_user,
    resolve_runtime_user_id,
    set_current_user,
)
from langchain_core.runnables.config import var_child_runnable_config

from tests.support.cases import each_case


@dataclass(frozen=True)
class User:
    id: object = None
    identity: object = None


@dataclass(frozen=True)
class Server:
    user: object


@each_case(
    ("runtime", "user_id"),
    [
        (launch.web_run("owner", client_context={"user_id": "spoofed"}), "owner"),
        (launch.web_run("owner", client_context={"langgraph_auth_user_id": "x"}), "owner"),
        (launch.im_run_bound("owner"), "owner"),
        (launch.im_run_unbound("tg-42"), "tg-42"),
        (launch.im_run_unbound("-1001@x"), "-1001-x-b0e77363ede6e74a"),
        (launch.scheduled_run("owner"), "owner"),
        (launch.run_without_identity(), "default"),
        (Runtime({"user_id": ""}), "default"),
        (Runtime({"user_id": " owner "}), " owner "),
        (Runtime({"user_id": 42}), "42"),
        (None, "default"),
    ],
)
def test_whose_run_this_is(runtime: Runtime | None, user_id: str) -> None:
    assert resolve_runtime_user_id(runtime) == user_id


def test_client_supplied_auth_fields_do_not_survive_a_web_run() -> None:
    forged = {"langgraph_auth_user_id": "x", "is_internal": True, "channel_user_id": "x", "a": 1}
    context = launch.web_run("owner", client_context=forged).context
    assert context["is_internal"] is False
    assert context["a"] == 1
    assert not {"langgraph_auth_user_id", "channel_user_id"} & set(context)


def test_a_scheduled_run_without_owner_is_refused() -> None:
    for nobody in (None, ""):
        with pytest.raises(RuntimeError):
            launch.scheduled_run(nobody)


def test_identity_sources_in_order() -> None:
    """Each source is set while those below it still say something else."""
    token = set_current_user(User(id=7))
    config = var_child_runnable_config.set(None)
    try:
        assert resolve_runtime_user_id(Runtime()) == "7"
        runtime = Runtime({"user_id": "context"})
        assert resolve_runtime_user_id(runtime) == "context"
        by_user = {"langgraph_auth_user": {"identity": "auth-user"}}
        var_child_runnable_config.set({"configurable": by_user})
        assert resolve_runtime_user_id(runtime) == "auth-user"
        by_id = {**by_user, "langgraph_auth_user_id": "auth-id"}
        var_child_runnable_config.set({"configurable": by_id})
        assert resolve_runtime_user_id(runtime) == "auth-id"
        runtime.server_info = Server(User(identity="server"))
        assert resolve_runtime_user_id(runtime) == "server"
    finally:
        var_child_runnable_config.reset(config)
        reset_current_user(token)
