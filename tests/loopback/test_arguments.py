# SPDX-License-Identifier: Apache-2.0
"""Every argument of every public method: what is of another type or size is refused by name, and nothing is sent."""

from __future__ import annotations

import asyncio
import collections
import copy
import enum
import math
import time
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import pytest

from powercontext_deerflow import (
    AnswerError,
    ArtifactCitation,
    Captured,
    Citation,
    Deadline,
    EntryCitation,
    InputError,
    Memory,
    MemoryRef,
    PowerContext,
    Secret,
)
from powercontext_deerflow.curation import Curation
from tests.support import bound
from tests.support.answers import ACCEPTED
from tests.support.lookalikes import Alike, Text, Whole
from tests.support.servers.hostile import HostileServer, answer

CANARY = "zQ7-canary-text"
ATOMIC = ArtifactCitation("atomic-memory", "art_1", 2)
LEGACY = EntryCitation(MemoryRef("memory", "memory", 3), "mem_ent_1", "mem_ver_1")


class Fake:
    """Says that it is a string."""

    __class__ = str  # type: ignore[assignment]


class Kind(enum.StrEnum):
    FACT = "fact"


@pytest.fixture(scope="module")
def server() -> Iterator[HostileServer]:
    with HostileServer(answer(202, ACCEPTED)) as host:
        yield host


@pytest.fixture
def client(server: HostileServer) -> Iterator[PowerContext]:
    with PowerContext(bound.settings(server.base_url)) as client:
        yield client


Call = Callable[[PowerContext], Any]


def blocking(name: str, *args: object, **kwargs: object) -> Call:
    def call(client: PowerContext) -> Any:
        result = getattr(client, name)(*args, **kwargs)
        return list(result) if isinstance(result, Iterator) else result

    return call


def without_blocking(name: str, *args: object, **kwargs: object) -> Call:
    async def call(client: PowerContext) -> Any:
        result = getattr(client, f"a{name}")(*args, **kwargs)
        return [each async for each in result] if hasattr(result, "__aiter__") else await result

    return lambda client: asyncio.run(call(client))


BOTH = (blocking, without_blocking)


def code_of(client: PowerContext, field: str, call: Call) -> str:
    """The code of the InputError that names ``field``."""
    with pytest.raises(InputError) as refused:
        call(client)
    error = refused.value
    assert error.field == field
    assert str(error).startswith(f"{field}: ")
    assert CANARY not in f"{error!r} {error} {vars(error)}"
    assert error.__cause__ is None
    assert error.__context__ is None
    return error.code


@pytest.fixture(autouse=True)
def nothing_is_sent(server: HostileServer, request: pytest.FixtureRequest) -> Iterator[None]:
    before = len(server.requests)
    yield
    if "sends" not in request.fixturenames:
        assert len(server.requests) == before


@pytest.fixture
def sends() -> None:
    """For tests of what is accepted."""


NO_TEXTS: list[object] = [None, 7, 7.0, True, b"bytes", ["a"], {"text": "a"}, object(), Fake(), str]
OPERATIONS: dict[str, tuple[object, ...]] = {
    "recall": ("q",),
    "remember": ("t",),
    "search": ("q",),
    "list_memories": (),
    "get": (ATOMIC,),
    "head": (ATOMIC,),
    "history": (ATOMIC,),
    "revise": (ATOMIC, "t"),
    "forget": (LEGACY,),
    "restore": (ATOMIC,),
    "capture_source": ("s", "c"),
    "server_info": (),
    "check_scope": (),
}


def test_every_public_operation_is_tried_here() -> None:
    ours = {name for cls in (PowerContext, Curation) for name in vars(cls) if name[0] != "_"}
    plain = OPERATIONS.keys() | {f"a{name}" for name in OPERATIONS}
    assert ours - {"from_environment", "after_fork"} == plain


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_deadline_is_a_deadline(client: PowerContext, name: str) -> None:
    numbers: tuple[object, ...] = (1.0, 0, "2", True, False, float("nan"))
    for wrong in (*numbers, [], Alike(), Deadline, Secret("1")):
        for way in BOTH:
            call = way(name, *OPERATIONS[name], deadline=wrong)
            assert code_of(client, "deadline", call) == "deadline_not_a_deadline"


def test_a_budget_is_so_many_seconds(client: PowerContext) -> None:
    for wrong in ("1", None, True, math.nan, [1], Decimal(1)):
        for call in (blocking("flush", wrong), *(way("close", wrong) for way in BOTH)):
            assert code_of(client, "budget", call) == "budget_not_seconds"
    assert client.flush(0)


# --- texts --------------------------------------------------------------------------------------------------------


def test_texts_are_strings(client: PowerContext) -> None:
    for wrong in NO_TEXTS:
        for way in BOTH:
            assert code_of(client, "text", way("remember", wrong)) == "text_not_a_string"
            call = way("revise", ATOMIC, wrong)
            assert code_of(client, "text", call) == "text_not_a_string"
            if wrong is not None:
                for name in ("recall", "search"):
                    assert code_of(client, "query", way(name, wrong)) == "query_not_a_string"
                listed = way("list_memories", wrong)
                assert code_of(client, "kind", listed) == "kind_not_a_string"
            call = way("capture_source", wrong, "c")
            assert code_of(client, "source_id", call) == "source_id_not_a_string"
            call = way("capture_source", "s", wrong)
            assert code_of(client, "content", call) == "content_not_a_string"


@pytest.mark.usefixtures("sends")
def test_of_a_subclass_of_str_only_the_characters_are_sent(
    client: PowerContext, server: HostileServer
) -> None:
    for way in BOTH:
        way("capture_source", Text("s"), Text(CANARY))(client)
        sent = server.requests[-1].json
        assert (sent["source_id"], sent["content"]) == ("s", CANARY)
        way("recall", Text(CANARY))(client)
        assert server.requests[-1].json["query"] == CANARY
        way("remember", Text(CANARY), Kind.FACT)(client)
        saves = [r.json for r in server.requests if r.path == "/v1/memory/remember"]
        assert (saves[-1]["text"], saves[-1]["kind"]) == (CANARY, "fact")
    assert code_of(client, "text", blocking("remember", Text(" "))) == "text_blank"
    assert code_of(client, "content", blocking("capture_source", "s", Text(""))) == "content_blank"


def test_kinds(client: PowerContext) -> None:
    for way in BOTH:
        unknown: list[object] = ["", "Fact", "fact ", "rumour", b"fact", None, ["fact"], {}]
        unknown += [object(), Alike(), Text("rumour"), "f" * 10**6, True, "\ud800"]
        for wrong in unknown:
            assert code_of(client, "kind", way("remember", "t", wrong)) == "kind_unknown"
            if wrong is not None:
                call = way("revise", ATOMIC, "t", wrong)
                assert code_of(client, "kind", call) == "kind_unknown"
        for wrong, reason in (
            ("", "blank"),
            (" ", "blank"),
            ("\u3000\n", "blank"),
            ("k" * 129, "too_long"),
            ("k" * 4_000_000, "too_long"),
            ("\ud800", "not_unicode"),
            (Text(""), "blank"),
        ):
            assert code_of(client, "kind", way("list_memories", wrong)) == f"kind_{reason}"


def test_a_list_is_refused_where_it_is_asked_for(client: PowerContext) -> None:
    """Not at its first step, which may be elsewhere, or never."""
    for name in ("list_memories", "alist_memories"):
        for kwargs in ({"kind": ""}, {"deadline": 1.0}):
            with pytest.raises(InputError):
                getattr(client, name)(**kwargs)


def test_limits(client: PowerContext) -> None:
    wrong: list[object] = [0, -1, 51, 500, 2**63, 10**400, True, False, "5", 1.0, math.nan, None]
    for value in [*wrong, Decimal(5), Whole(5), [5], Alike()]:
        for way in BOTH:
            assert code_of(client, "limit", way("search", "q", value)) == "limit_out_of_range"
            assert code_of(client, "limit", way("search", " ", limit=value)) == "limit_out_of_range"
            if value != 51:
                call = way("history", ATOMIC, value)
                assert code_of(client, "limit", call) == "limit_out_of_range"


def test_revisions(client: PowerContext) -> None:
    for wrong in BAD_REVISIONS:
        if wrong is not None:
            for way in BOTH:
                call = way("restore", ATOMIC, wrong)
                assert code_of(client, "revision", call) == "revision_out_of_range"


def test_switches(client: PowerContext) -> None:
    for name in ("check_duplicates", "read_back"):
        for wrong in ("no", "", 0, 1, None, [], object(), Alike(), math.nan):
            for way in BOTH:
                call = way("remember", "t", **{name: wrong})
                assert code_of(client, name, call) == f"{name}_not_a_flag"


# --- citations ----------------------------------------------------------------------------------------------------


HANDS = (("head",), ("history",), ("revise", "t"), ("forget",), ("restore",))
"""The other operations on the memory that a citation names, with what else they need."""


def test_a_memory_is_named_by_its_citation(client: PowerContext) -> None:
    memory = Memory(ATOMIC, CANARY, "fact", "active")
    record = {"family": "atomic-memory", "artifact_id": "art_1", "revision": 2}
    wrong = ("art_1", memory, None, record, ("atomic-memory", "art_1", 2), Citation, 7, Alike())
    for value in (*wrong, MemoryRef("memory", "memory", 3), EntryCitation(ATOMIC, "e", "v")):  # type: ignore[arg-type]
        for name, *rest in (("get",), *HANDS):
            for way in BOTH:
                call = way(name, value, *rest)
                assert code_of(client, "citation", call) == "citation_not_a_citation"


BAD_IDS: list[Any] = [
    *["", ".", "..", "/", "a/b", "../a", "a%2e", "%", "a\\b", "a?b", "a#b", "a b", " a", "a\n"],
    *["a\x00", "a\x7f", "\u00e9", "\ud800", "a\u200b", "\uff0e\uff0e", "a" * 257, "a" * 4_000_000],
    *[None, 7, b"art_1", Text("art_1"), ["art_1"], Fake()],
]
BAD_REVISIONS: list[Any] = [0, -1, True, 2**63, 10**400, "1", 1.0, None, math.nan, Whole(1), [1]]


def test_each_part_of_a_citation_is_looked_at(client: PowerContext) -> None:
    head = LEGACY.memory_ref
    wrong: list[Citation] = []
    for bad in BAD_IDS:
        wrong.append(ArtifactCitation("atomic-memory", bad, 1))
        wrong.append(EntryCitation(MemoryRef("memory", bad, 1), "e", "v"))
        wrong += [EntryCitation(head, bad, "v"), EntryCitation(head, "e", bad)]
    for revision in BAD_REVISIONS:
        wrong.append(ArtifactCitation("atomic-memory", "art_1", revision))
        wrong.append(EntryCitation(MemoryRef("memory", "memory", revision), "e", "v"))
    families: list[Any] = ["memory", "..", "", None, Text("atomic-memory"), b"atomic-memory"]
    wrong += [ArtifactCitation(family, "art_1", 1) for family in families]
    families = ["atomic-memory", "", None, Text("memory")]
    wrong += [EntryCitation(MemoryRef(family, "memory", 1), "e", "v") for family in families]
    for citation in wrong:
        for way in BOTH:
            assert code_of(client, "citation", way("get", citation)) == "citation_unusable"
        for name, *rest in HANDS:
            call = blocking(name, citation, *rest)
            assert code_of(client, "citation", call) == "citation_unusable"


@pytest.mark.usefixtures("sends")
def test_citations_as_servers_make_them_are_asked_for(
    client: PowerContext, server: HostileServer
) -> None:
    for name in ("art_1", "a.b", "...", "memory:1", "A~-_", "a" * 256):
        with pytest.raises(AnswerError, match="unexpected_status"):
            client.get(ArtifactCitation("atomic-memory", name, 2**63 - 1))
        assert server.requests[-1].path.startswith("/v1/scopes/scp_1/artifacts/atomic-memory/")


# --- sources ------------------------------------------------------------------------------------------------------


def nested(levels: int, kind: type = dict) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value} if kind is dict else [value]
    return value


def circle() -> dict[str, object]:
    inner: list[object] = []
    inner.append(inner)
    return {"a": inner}


def doubling() -> dict[str, object]:
    """Sixty small lists that say two to the sixtieth things."""
    value: object = "x"
    for _ in range(60):
        value = [value, value]
    return {"a": value}


def test_names_and_contents_of_sources(client: PowerContext) -> None:
    for way in BOTH:
        for field, most, arguments in (
            ("source_id", 256, lambda value: (value, "c")),
            ("content", 200_000, lambda value: ("s", value)),
        ):
            for wrong, reason in (
                ("", "blank"),
                (" \n", "blank"),
                ("x" * (most + 1), "too_long"),
                ("界" * 4_000_000, "too_long"),
                ("\ud800", "not_unicode"),
                (CANARY + "\udfff", "not_unicode"),
            ):
                call = way("capture_source", *arguments(wrong))
                assert code_of(client, field, call) == f"{field}_{reason}"
        for padded in (" s", "s\n", "\u3000s"):
            assert code_of(client, "source_id", way("capture_source", padded, "c")) == (
                "source_id_padded"
            )


NOT_JSON: tuple[object, ...] = (b"x", bytearray(b"x"), {1}, frozenset(), (1,), object())
IN_A_LIST: tuple[object, ...] = (b"x", {1}, (1,))
ODD: tuple[object, ...] = (range(3), collections.Counter(), Secret("t"), ATOMIC, Fake())
NOT_KEYS: tuple[object, ...] = (1, 1.0, None, True, b"a", (1,), Text("a"), Kind.FACT)
UNUSABLE: dict[str, list[object]] = {
    "not_an_object": [
        *([], "", b"", 0, True, (), set(), object(), Alike(), [("a", 1)], dict, Secret("t")),
        *(MappingProxyType({}), collections.OrderedDict(), collections.defaultdict(int)),
    ],
    "not_json": [
        *({"a": value} for value in NOT_JSON),
        *({"a": value} for value in (Decimal(1), Fraction(1), 1j, Whole(1), Text("x"), Kind.FACT)),
        *({"a": value} for value in ODD),
        *({"a": [{"b": value}]} for value in IN_A_LIST),
        *({key: 1} for key in NOT_KEYS),
        {"a": {1: 2}},
    ],
    "not_unicode": [{"a": "\ud800"}, {"\ud800": 1}, {"a": [CANARY + "\udfff"]}],
    "number_too_large": [
        *({"a": value} for value in (math.nan, math.inf, -math.inf, 2**53, -(2**53), 2**53 + 1)),
        *({"a": [value]} for value in (10**30, -(10**400), 2.0**53, 1e16, -1e300)),
    ],
    "too_deep": [nested(66), {"a": nested(65, list)}, circle(), {"a": nested(10_000, list)}],
    "too_large": [
        *(doubling(), {"a": "x" * 2**18}, {"x" * 2**19: 1}, {"a": [0] * 10**7}),
        dict.fromkeys(map(str, range(2**18))),
    ],
}


@pytest.mark.parametrize("reason", UNUSABLE)
def test_metadata_is_plain_json_or_refused(client: PowerContext, reason: str) -> None:
    for wrong in UNUSABLE[reason]:
        for way in BOTH:
            started = time.process_time()
            call = way("capture_source", "s", "c", wrong)
            assert code_of(client, "metadata", call) == f"metadata_{reason}"
            assert time.process_time() - started < 0.5


@pytest.mark.usefixtures("sends")
def test_metadata_is_sent_as_it_is(client: PowerContext, server: HostileServer) -> None:
    right: list[dict[str, Any] | None] = [
        None,
        {},
        {"": ""},
        {"a": [1, -2.5, True, None, "\x00", "😀", {}, []]},
        {"a": 2**53 - 1, "b": -(2**53) + 1, "c": 0.1, "d": 5e-324},
        {"a": "x" * (2**18 - 3)},
        {"a": nested(64)},
        {"a": nested(64, list)},
    ]
    for metadata in right:
        before = copy.deepcopy(metadata)
        for way in BOTH:
            assert way("capture_source", "s", CANARY, metadata)(client) == Captured(7)
            assert server.requests[-1].json["metadata"] == before


def test_metadata_that_changes_meanwhile_is_not_looked_at_twice(client: PowerContext) -> None:
    """A mapping with methods of its own could show one thing first and another then."""

    class Growing(dict[str, object]):
        def items(self) -> Any:
            raise AssertionError("asked")

        keys = values = __iter__ = items

        def __getitem__(self, _: str) -> object:
            raise AssertionError("asked")

    growing: Mapping[str, object] = Growing(a=1)
    for wrong in (growing, {"a": growing}):
        assert code_of(client, "metadata", blocking("capture_source", "s", "c", wrong))
