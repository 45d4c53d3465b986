# SPDX-License-Identifier: Apache-2.0
"""The plugin without a server: what it registers, when it refuses, and each save outcome as the model is told it."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
from types import MappingProxyType, SimpleNamespace
from typing import Any, NoReturn, get_args

import pytest
from deerflow.extensions.plugin_tools import plugin_tool_name, validate_schema
from deerflow.extensions.registry import ExtensionRegistry
from jsonschema import Draft202012Validator
from langchain_core.tools import ToolException

import powercontext_deerflow
from powercontext_deerflow import (
    AlreadySaved,
    ArtifactCitation,
    ConfigurationError,
    EntryCitation,
    HostError,
    InputError,
    MemoryRef,
    Problem,
    Saved,
    SaveNotSent,
    SaveOutcome,
    SaveRejected,
    SaveUnknown,
)
from powercontext_deerflow.api.wire import Kind
from powercontext_deerflow.host import runtime
from powercontext_deerflow.host import tools as extension
from powercontext_deerflow.host.tools import DESCRIPTION, SCHEMA, install, remember
from tests.support.cases import each_case

OWNER = "owner-1"
TEXT = "Order service: money amounts are integer cents."
ATOMIC = ArtifactCitation("atomic-memory", "art_1", 3)
LEGACY = EntryCitation(MemoryRef("memory", "memory", 7), "mem_ent_1", "mem_ver_1")


@pytest.fixture(autouse=True)
def new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A good binding to a server that is never asked."""
    runtime.forget()
    monkeypatch.setenv("POWERCONTEXT_DEERFLOW_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("POWERCONTEXT_DEERFLOW_OWNER_USER_ID", OWNER)
    monkeypatch.setenv("POWERCONTEXT_DEERFLOW_SCOPE_ID", "scp_1")
    monkeypatch.setenv("POWERCONTEXT_DEERFLOW_TOKEN", "CANARY-TOKEN")


class Registry:
    """Keeps what it is given and answers what the test wants."""

    def __init__(self, accepts: object = True) -> None:
        self.accepts = accepts
        self.given: list[Any] = []

    def plugin(self, contribution: object) -> object:
        self.given.append(contribution)
        return self.accepts


# --- install


def test_installs_one_enabled_tool() -> None:
    registry = Registry()
    install(registry, {})
    (plugin,) = registry.given
    (tool,) = plugin.tools
    assert (plugin.namespace, plugin.enabled, plugin.api_version) == ("powercontext", True, 1)
    assert (plugin.fields, plugin.frontend, plugin.backend) == ((), None, ())
    assert (tool.name, tool.group) == ("remember", "extensions")
    assert (tool.description, tool.input_schema) == (DESCRIPTION, SCHEMA)
    assert inspect.iscoroutinefunction(tool.handler)
    assert plugin_tool_name(plugin.namespace, tool.name) == (
        "ext_powercontext_remember_6d79c933d297"
    )


def test_is_accepted_by_the_host_once() -> None:
    registry = ExtensionRegistry()
    with registry.attributed_to("powercontext_deerflow:install"):
        install(registry, {})
        with pytest.raises(ValueError, match="duplicate"):
            install(registry, {})
    loaded = registry.build()
    assert (len(loaded.plugins), len(loaded.services)) == (1, 1)


def test_is_found_under_its_public_name() -> None:
    assert powercontext_deerflow.install is install
    assert vars(install)["__deerflow_api__"] == "0.2.2"
    assert vars(install)["__deerflow_name__"] == "powercontext"


@each_case("config", [{"enabled": True}, {"token": "CANARY"}, {"scope_id": None}])
def test_config_is_refused(config: dict[str, object]) -> None:
    registry = Registry()
    with pytest.raises(ConfigurationError) as caught:
        install(registry, config)
    assert caught.value.code == "binding_in_yaml"
    assert str(caught.value).startswith("plugins[].config: ")
    assert "CANARY" not in str(caught.value)
    assert registry.given == []


def test_bad_settings_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERCONTEXT_DEERFLOW_MAX_BYTES", "CANARY")
    monkeypatch.delenv("POWERCONTEXT_DEERFLOW_TOKEN")
    registry = Registry()
    with pytest.raises(ConfigurationError) as caught:
        install(registry, {})
    assert [problem.setting for problem in caught.value.problems] == [
        "POWERCONTEXT_DEERFLOW_MAX_BYTES",
        "POWERCONTEXT_DEERFLOW_TOKEN",
    ]
    assert "CANARY" not in str(caught.value)
    assert registry.given == []


@each_case("answer", [False, None, 1, "yes"])
def test_registry_that_does_not_answer_true_is_refused(answer: object) -> None:
    with pytest.raises(HostError) as caught:
        install(Registry(answer), {})
    assert caught.value.code == "host_refused_tool"


@each_case("answer", [False, True])
def test_a_service_is_registered_only_beside_the_tool(answer: bool) -> None:
    class WithServices(Registry):
        def service(self, service: object) -> None:
            self.given.append(service)

    registry = WithServices(answer)
    with contextlib.suppress(HostError):
        install(registry, {})
    assert len(registry.given) == 1 + answer


def test_registry_without_plugin_is_refused() -> None:
    with pytest.raises(HostError) as caught:
        install(object(), {})
    assert caught.value.code == "host_too_old"


# --- what the model is told


def test_description_gives_the_rules() -> None:
    said = DESCRIPTION.lower()
    assert "only when the user explicitly asks" in said
    assert all(secret in said for secret in ("never save passwords", "tokens", "keys", "secrets"))
    assert "names its subject" in said
    assert all(f"`{status}`" in said for status in ("saved", "already_saved", "unknown"))
    assert "never call it again for the same text" in said


def test_schema_takes_text_and_kind_and_nothing_else() -> None:
    validate_schema(SCHEMA)
    valid = Draft202012Validator(SCHEMA).is_valid
    assert SCHEMA["properties"].keys() == {"text", "kind"}
    assert valid({"text": TEXT})
    assert all(valid({"text": TEXT, "kind": kind}) for kind in get_args(Kind))
    for refused in (
        {},
        {"kind": "fact"},
        {"text": ""},
        {"text": None},
        {"text": [TEXT]},
        {"text": TEXT, "kind": "secret"},
        {"text": TEXT, "kind": None},
        {"text": TEXT, "scope_id": "scp_2"},
        {"text": TEXT, "user_id": OWNER},
        {"text": TEXT, "retry": True},
    ):
        assert not valid(refused), refused


# --- the handler


def call(monkeypatch: pytest.MonkeyPatch, outcome: SaveOutcome | Exception, **args: str) -> Any:
    """The handler's result for a save that came to `outcome`, called as the host calls it."""

    async def came_to(user_id: object, text: str, kind: str) -> SaveOutcome:
        assert (user_id, text, kind) == (OWNER, TEXT, args.get("kind", "fact"))
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    bound = SimpleNamespace(remember=came_to)
    monkeypatch.setattr(extension, "current", lambda: bound)
    context = SimpleNamespace(principal=SimpleNamespace(user_id=OWNER))
    return asyncio.run(remember(MappingProxyType({"text": TEXT, **args}), context))


ATOMIC_JSON = {"family": "atomic-memory", "artifact_id": "art_1", "revision": 3}
LEGACY_JSON = {
    "memory_ref": {"family": "memory", "artifact_id": "memory", "revision": 7},
    "entry_id": "mem_ent_1",
    "entry_version_id": "mem_ver_1",
}
RETURNED: dict[str, tuple[SaveOutcome, str, object]] = {
    "saved": (Saved(ATOMIC), "saved", ATOMIC_JSON),
    "saved_legacy": (Saved(LEGACY), "saved", LEGACY_JSON),
    "saved_read_back": (Saved(ATOMIC, confirmed_by="read_back"), "saved", ATOMIC_JSON),
    "saved_newer_server": (Saved(ATOMIC, unfamiliar_keys=True), "saved", ATOMIC_JSON),
    "saved_unsearchable": (Saved(ATOMIC, searchable=False), "saved", ATOMIC_JSON),
    "already_unsearchable": (AlreadySaved(None, searchable=False), "already_saved", None),
    "already": (AlreadySaved(ATOMIC), "already_saved", ATOMIC_JSON),
    "already_legacy": (AlreadySaved(LEGACY), "already_saved", LEGACY_JSON),
    "already_uncited": (
        AlreadySaved(None, memory=LEGACY.memory_ref),
        "already_saved",
        None,
    ),
    "unknown": (SaveUnknown("answer_timeout"), "unknown", None),
    "unknown_status": (SaveUnknown("http_503", 503, "00" * 8), "unknown", None),
}


@each_case(("outcome", "status", "citation"), RETURNED.values(), ids=RETURNED)
def test_outcome_that_is_returned(
    monkeypatch: pytest.MonkeyPatch, outcome: SaveOutcome, status: str, citation: object
) -> None:
    answer = call(monkeypatch, outcome)
    message = answer.pop("message")
    assert answer == {"status": status, "retry": False, "citation": citation}
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer
    assert isinstance(message, str)
    assert TEXT not in message
    assert ("Do not save it again" in message) is (status == "unknown")
    assert ("no word finds it" in message) is (not getattr(outcome, "searchable", True))


RAISED: dict[str, tuple[SaveOutcome | Exception, str]] = {
    "rejected": (SaveRejected("forbidden", 403), "rejected: forbidden. Nothing was saved."),
    "overloaded": (
        SaveRejected("server_overloaded", 503, None, 1.0),
        "rejected: server_overloaded. Nothing was saved. The server asks to wait 1 s before it is sent again.",
    ),
    "stranger": (SaveRejected("not_owner"), "rejected: not_owner. Nothing was saved."),
    "not_sent": (SaveNotSent("dns_failed"), "not_sent: dns_failed. Nothing was saved."),
    "input": (
        InputError("text_blank", "text", "say what to remember"),
        "rejected: text_blank. Nothing was saved. text: say what to remember.",
    ),
    "settings": (
        ConfigurationError(Problem("SETTING", "missing", "set it")),
        "not_sent: not_configured. Nothing was saved.",
    ),
}


@each_case(("outcome", "text"), RAISED.values(), ids=RAISED)
def test_outcome_that_the_host_shows_as_failed(
    monkeypatch: pytest.MonkeyPatch, outcome: SaveOutcome | Exception, text: str
) -> None:
    with pytest.raises(ToolException) as caught:
        call(monkeypatch, outcome)
    assert str(caught.value) == text
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None, "nothing rides along into the host's log"


def test_every_outcome_is_covered_above() -> None:
    shown = {type(outcome) for outcome, *_ in (*RETURNED.values(), *RAISED.values())}
    assert shown >= set(get_args(SaveOutcome))


def test_kind_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    assert call(monkeypatch, Saved(ATOMIC), kind="decision")["status"] == "saved"


def test_a_fault_of_our_own_is_an_unknown_outcome(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It may have happened after the save was sent, so nothing is claimed of it."""

    def broken(*_: object, **__: object) -> NoReturn:
        raise RuntimeError("CANARY")

    monkeypatch.setattr(runtime.current().client, "_begin_save", broken)
    context = SimpleNamespace(principal=SimpleNamespace(user_id=OWNER))
    answer = asyncio.run(remember({"text": TEXT}, context))
    assert answer["status"] == "unknown"
    assert runtime.current().events.counts == {("remember", "internal_error"): 1}
    assert "CANARY" not in caplog.text


@each_case("user", [None, "", "default", f"{OWNER} ", "other", 7])
def test_a_stranger_is_rejected(user: object) -> None:
    context = SimpleNamespace(principal=SimpleNamespace(user_id=user))
    with pytest.raises(ToolException, match=r"^rejected: not_owner\. Nothing was saved\.$"):
        asyncio.run(remember({"text": TEXT}, context))
