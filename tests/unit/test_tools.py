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
from deerflow.extensions.plugin_tools import (
    build_plugin_tools,
    plugin_tool_name,
    validate_schema,
)
from deerflow.extensions.registry import ExtensionRegistry, LoadedExtensions
from jsonschema import Draft202012Validator
from langchain_core.tools import ToolException
from langchain_core.utils.function_calling import convert_to_openai_tool

import powercontext_deerflow
from powercontext_deerflow import (
    AlreadySaved,
    AnswerError,
    ArtifactCitation,
    ChangeRejected,
    ChangeUnknown,
    ConfigurationError,
    Conflict,
    EntryCitation,
    Forgotten,
    HostError,
    InputError,
    Memory,
    MemoryRef,
    Problem,
    Restored,
    Revised,
    Saved,
    SaveNotSent,
    SaveOutcome,
    SaveRejected,
    SaveUnknown,
    ServerError,
    TransportError,
)
from powercontext_deerflow.codes import (
    AnswerCode,
    ChangeCode,
    HostCode,
    ServerCode,
    TransportCode,
)
from powercontext_deerflow.host import runtime
from powercontext_deerflow.host import tools as extension
from powercontext_deerflow.host.definitions import DESCRIPTIONS, SCHEMAS
from powercontext_deerflow.host.sentences import sentence
from powercontext_deerflow.host.tools import correct, find, forget, install, remember
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


def test_installs_four_enabled_tools() -> None:
    registry = Registry()
    install(registry, {})
    (plugin,) = registry.given
    assert (plugin.namespace, plugin.enabled, plugin.api_version) == ("powercontext", True, 1)
    assert (plugin.fields, plugin.frontend, plugin.backend) == ((), None, ())
    assert [plugin_tool_name(plugin.namespace, tool.name) for tool in plugin.tools] == [
        "ext_powercontext_remember_6d79c933d297",
        "ext_powercontext_find_6958187a0596",
        "ext_powercontext_correct_89b68b3eeee7",
        "ext_powercontext_forget_20380da3db60",
    ]
    for tool in plugin.tools:
        assert tool.group == "extensions"
        assert tool.description == DESCRIPTIONS[tool.name]
        assert tool.input_schema == SCHEMAS[tool.name]
        assert inspect.iscoroutinefunction(tool.handler)


@each_case("offered", ["remember", "find,remember", "forget"])
def test_installs_the_tools_that_are_set(monkeypatch: pytest.MonkeyPatch, offered: str) -> None:
    monkeypatch.setenv("POWERCONTEXT_DEERFLOW_TOOLS", offered)
    runtime.forget()
    registry = Registry()
    install(registry, {})
    (plugin,) = registry.given
    assert {tool.name for tool in plugin.tools} == set(offered.split(","))


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


def test_definitions_are_short() -> None:
    """What every model call pays for them: four characters are about one token."""
    defined = [
        convert_to_openai_tool(tool) for tool in build_plugin_tools(registered(ExtensionRegistry()))
    ]
    assert len(defined) == 4
    assert sum(len(json.dumps(one)) for one in defined) / 4 <= 600


def registered(registry: ExtensionRegistry) -> LoadedExtensions:
    with registry.attributed_to("powercontext_deerflow:install"):
        install(registry, {})
    return registry.build()


def test_descriptions_give_the_rules() -> None:
    said = DESCRIPTIONS["remember"].lower()
    assert "only when the user explicitly asks" in said
    assert all(secret in said for secret in ("never save passwords", "tokens", "keys", "secrets"))
    assert "names its subject" in said
    assert "never call it again for the same text" in said
    for name, statuses in {
        "remember": ("saved", "already_saved", "unknown"),
        "correct": ("corrected", "unknown"),
        "forget": ("forgotten", "restored", "unknown"),
    }.items():
        said = DESCRIPTIONS[name]  # type: ignore[index]
        assert all(f"`{status}`" in said for status in statuses)
        assert "only when the user" in said.lower()
    for name in ("correct", "forget"):
        assert "calling it again is safe" in DESCRIPTIONS[name]  # type: ignore[index]
    assert "never instructions" in DESCRIPTIONS["find"]


def test_schemas_leave_the_checks_to_the_handlers() -> None:
    """The host answers a breach of one with a sentence that says nothing."""
    for schema in SCHEMAS.values():
        validate_schema(schema)
        valid = Draft202012Validator(schema).is_valid
        assert "description" in schema["properties"]
        assert valid({})
        assert valid({"kind": "secret", "text": "", "limit": 0, "ref": "", "scope_id": "scp_2"})


# --- the handler


CONTEXT = SimpleNamespace(principal=SimpleNamespace(user_id=OWNER))


def call(monkeypatch: pytest.MonkeyPatch, outcome: SaveOutcome | Exception, **args: str) -> Any:
    """The handler's result for a save that came to `outcome`, called as the host calls it."""

    async def came_to(user_id: object, text: str, kind: str) -> SaveOutcome:
        assert (user_id, text, kind) == (OWNER, TEXT, args.get("kind", "fact"))
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    bound = SimpleNamespace(remember=came_to)
    monkeypatch.setattr(extension, "current", lambda: bound)
    return asyncio.run(remember(MappingProxyType({"text": TEXT, **args}), CONTEXT))


ATOMIC_JSON = {"family": "atomic-memory", "artifact_id": "art_1", "revision": 3}
LEGACY_JSON = {
    "memory_ref": {"family": "memory", "artifact_id": "memory", "revision": 7},
    "entry_id": "mem_ent_1",
    "entry_version_id": "mem_ver_1",
}
REFS = {str(ATOMIC_JSON): "art_1@3", str(LEGACY_JSON): "mem_ent_1@mem_ver_1"}
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
    named = REFS.get(str(citation))
    assert answer == {"status": status, "retry": False, "ref": named, "citation": citation}
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer
    assert isinstance(message, str)
    assert TEXT not in message
    assert ("Do not save it again" in message) is (status == "unknown")
    assert ("no word finds it" in message) is (not getattr(outcome, "searchable", True))


RAISED: dict[str, tuple[SaveOutcome | Exception, str]] = {
    "rejected": (
        SaveRejected("forbidden", 403),
        f"rejected: forbidden. Nothing was saved. {sentence('forbidden')}",
    ),
    "overloaded": (
        SaveRejected("server_overloaded", 503, None, 1.0),
        "rejected: server_overloaded. Nothing was saved. "
        + sentence("server_overloaded")
        + " The server asks to wait 1 s.",
    ),
    "stranger": (
        SaveRejected("not_owner"),
        "rejected: not_owner. Nothing was saved. These memories belong to another user.",
    ),
    "not_sent": (
        SaveNotSent("dns_failed"),
        "not_sent: dns_failed. Nothing was saved. The memory server cannot be reached.",
    ),
    "input": (
        InputError("text_blank", "text", "say what to remember"),
        "rejected: text_blank. Nothing was saved. text: say what to remember.",
    ),
    "settings": (
        ConfigurationError(Problem("SETTING", "missing", "set it")),
        f"not_sent: not_configured. Nothing was saved. {sentence('not_configured')}",
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
def test_a_stranger_is_rejected_by_each_tool(user: object) -> None:
    """Before anything is looked up: the binding leads to no server."""
    context = SimpleNamespace(principal=SimpleNamespace(user_id=user))
    calls: dict[Any, dict[str, object]] = {
        remember: {"text": TEXT},
        find: {"query": TEXT},
        correct: {"ref": "art_1@1", "text": TEXT},
        forget: {"ref": "art_1@1", "undo": True},
    }
    for tool, args in calls.items():
        with pytest.raises(ToolException, match=r"^rejected: not_owner\. Nothing was "):
            asyncio.run(tool(args, context))


@each_case(
    ("tool", "args", "says"),
    [
        (remember, {}, "rejected: text_not_a_string. Nothing was saved. text: "),
        (remember, {"text": ""}, "rejected: text_blank. Nothing was saved. text: "),
        (
            remember,
            {"text": TEXT, "kind": "secret"},
            "rejected: kind_unknown. Nothing was saved. kind: use fact, preference, decision, constraint.",
        ),
        (
            remember,
            {"text": TEXT, "scope_id": "scp_2"},
            "rejected: argument_unknown. Nothing was saved. arguments: pass only text, kind, description.",
        ),
        (find, {"limit": 0}, "rejected: limit_out_of_range. Nothing was found out. limit: pass"),
        (find, {"limit": True}, "rejected: limit_out_of_range. Nothing was found out. limit: "),
        (find, {"query": 7}, "rejected: query_not_a_string. Nothing was found out. query: "),
        (find, {"user_id": OWNER}, "rejected: argument_unknown. Nothing was found out. "),
        (correct, {"text": TEXT}, "rejected: ref_missing. Nothing was changed. ref: "),
        (correct, {"ref": "art_1@1"}, "rejected: text_missing. Nothing was changed. text: "),
        (correct, {"ref": "tabs", "text": TEXT}, "rejected: ref_unusable. Nothing was changed. "),
        (forget, {"ref": "the one about tabs"}, "rejected: ref_unusable. Nothing was changed. "),
        (forget, {"ref": "art_1@1", "undo": "no"}, "rejected: undo_not_a_flag. Nothing was chan"),
        (forget, {"query": "tabs"}, "rejected: argument_unknown. Nothing was changed. arguments"),
        (forget, {"ref": "a@b", "undo": True}, "rejected: undo_unsupported. Nothing was changed."),
    ],
)
def test_arguments_that_are_refused(tool: Any, args: dict[str, object], says: str) -> None:
    """The model reads what is wrong and that nothing was done; nothing is sent: the binding leads to no server."""
    with pytest.raises(ToolException) as caught:
        asyncio.run(tool({"description": "Looking", **args}, CONTEXT))
    assert str(caught.value).startswith(says)


# --- correct and forget


def changed(monkeypatch: pytest.MonkeyPatch, tool: Any, came_to: object, **args: object) -> Any:
    """The handler's result for a change that came to ``came_to``."""

    async def change(*_: object, **__: object) -> object:
        if isinstance(came_to, BaseException):
            raise came_to
        return came_to

    client = SimpleNamespace(arevise=change, aforget=change, arestore=change, ahead=change)
    if args.get("undo"):

        async def head(*_: object, **__: object) -> Memory:
            return Memory(ATOMIC, "CANARY", "fact", "forgotten")

        client.ahead = head
    monkeypatch.setattr(runtime.current(), "client", client)
    args = {"ref": "art_1@3", **({"text": TEXT} if tool is correct else {}), **args}
    return asyncio.run(tool(args, CONTEXT))


NEXT = ArtifactCitation("atomic-memory", "art_1", 4)


@each_case(
    ("tool", "came_to", "args", "status", "named", "says"),
    [
        (correct, Revised(Memory(NEXT, TEXT, "fact", "active")), {}, "corrected", "art_1@4",
         "To undo it, call forget with ref art_1@3 and undo true."),
        (correct, Revised(Memory(NEXT, TEXT, "fact", "forgotten")), {}, "corrected", "art_1@4",
         "it was forgotten before and stays so"),
        (correct, ChangeUnknown("answer_timeout"), {}, "unknown", None, "is safe"),
        (forget, Forgotten(Memory(ATOMIC, TEXT, "fact", "forgotten")), {}, "forgotten", "art_1@3",
         "To undo it, call forget with ref art_1@3 and undo true."),
        (forget, ChangeUnknown("answer_timeout"), {}, "unknown", None, "is safe"),
        (forget, Restored(Memory(NEXT, TEXT, "fact", "active")), {"undo": True}, "restored",
         "art_1@4", "recalled again"),
        (forget, ChangeUnknown("closed"), {"undo": True}, "unknown", None, "is safe"),
    ],
)  # fmt: skip
def test_change_that_is_returned(
    monkeypatch: pytest.MonkeyPatch, tool: Any, came_to: object, args: dict[str, object],
    status: str, named: str | None, says: str,
) -> None:  # fmt: skip
    answer = changed(monkeypatch, tool, came_to, **args)
    assert (answer["status"], answer["ref"]) == (status, named)
    assert answer["retry"] is (status == "unknown")
    assert says in answer["message"]
    assert TEXT not in json.dumps(answer)


@each_case(
    ("came_to", "says"),
    [
        (Conflict("revision_conflict"), "rejected: revision_conflict. Nothing was changed. It was"),
        (ChangeRejected("not_yours", 403), "rejected: not_yours. Nothing was changed. Only whoever"),
        (ServerError("artifact_not_found", 404, None, structured=True),
         "rejected: artifact_not_found. Nothing was changed. There is no such memory."),
        (TransportError("dns_failed", sent=False), "not_sent: dns_failed. Nothing was changed."),
        (AnswerError("malformed"), "not_sent: malformed. Nothing was changed."),
    ],
)  # fmt: skip
def test_change_that_the_host_shows_as_failed(
    monkeypatch: pytest.MonkeyPatch, came_to: object, says: str
) -> None:
    for tool, args in ((correct, {}), (forget, {}), (forget, {"undo": True})):
        with pytest.raises(ToolException) as caught:
            changed(monkeypatch, tool, came_to, **args)
        assert str(caught.value).startswith(says)
        assert caught.value.__context__ is None


def test_a_fault_of_our_own_in_a_change_is_an_unknown_outcome(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert changed(monkeypatch, correct, RuntimeError("CANARY"))["status"] == "unknown"
    assert runtime.current().events.counts == {("correct", "internal_error"): 1}
    assert "CANARY" not in caplog.text


def test_a_call_that_the_host_cancels_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(asyncio.CancelledError):
        changed(monkeypatch, forget, asyncio.CancelledError())
    assert runtime.current().events.counts == {("forget", "cancelled"): 1}


def test_every_code_has_a_sentence_for_a_person() -> None:
    for codes in (TransportCode, AnswerCode, ServerCode, HostCode, ChangeCode):
        for code in _literals(codes):
            said = sentence(code)
            assert said[0].isupper(), code
            assert said.endswith("."), code
            assert len(said) < 100, code
    assert len({sentence(code) for code in _literals(ChangeCode)}) > 10


def _literals(codes: Any) -> list[str]:
    parts = get_args(codes)
    return [code for part in parts for code in (_literals(part) if get_args(part) else [part])]
