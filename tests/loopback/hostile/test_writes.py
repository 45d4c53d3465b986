# SPDX-License-Identifier: Apache-2.0
"""Each failure point of a save: sent once, and said precisely what is known of it (failure class B7).

The real servers sit behind a recording proxy that loses or replaces what they answered.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

from powercontext_deerflow import (
    AlreadySaved,
    ArtifactCitation,
    EntryCitation,
    PowerContext,
    RecallFailed,
    Saved,
    SaveNotSent,
    SaveOutcome,
    SaveRejected,
    SaveUnknown,
    Secret,
    ServerError,
)
from powercontext_deerflow.codes import ServerCode
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.operations import save as saving
from tests.loopback.hostile.conftest import Connect, Serve
from tests.loopback.hostile.world import SLACK, Call, in_threads, noted_saves, only, wait_until
from tests.support.answers import (
    ATOMIC,
    MEMORY,
    NO_HITS,
    PREPARE,
    REMEMBER,
    REQUEST_ID,
    SEARCH,
    TEXT,
    confirmed,
    entry,
    found,
    record,
    refusal,
    refused,
)
from tests.support.servers import hostile
from tests.support.servers.hostile import answer, by_path, in_turn
from tests.support.servers.loopback import Behaviour
from tests.support.servers.proxy import (
    Fault,
    RecordingProxy,
    forward_then,
    hold_until,
    instead,
    lose_answer,
    on,
    replace,
    truncate,
)
from tests.support.servers.real import PowerContextServer

GATEWAY_PAGE = "<html><body>Bad Gateway</body></html>"


SENT: dict[str, tuple[Behaviour, SaveOutcome]] = {
    "a closed before the status line": (
        hostile.close_without_answer(),
        SaveUnknown("connection_lost"),
    ),
    "b closed after the headers": (hostile.close_after_headers(), SaveUnknown("protocol_error")),
    "c closed in the body": (hostile.close_mid_body(), SaveUnknown("protocol_error")),
    "d truncated JSON": (answer(200, b'{"changed":true,"rec'), SaveUnknown("malformed", 200)),
    "d empty body": (answer(200, b""), SaveUnknown("malformed", 200)),
    "d invalid UTF-8": (answer(200, b'{"changed":"\xff"}'), SaveUnknown("malformed", 200)),
    "e unknown schema": (answer(200, {"ok": True}), SaveUnknown("malformed", 200)),
    "e not an object": (answer(200, [1]), SaveUnknown("malformed", 200)),
    "e 202": (answer(202, {}), SaveUnknown("unexpected_status", 202)),
    "f 502 page": (answer(502, GATEWAY_PAGE), SaveUnknown("http_502", 502)),
    "f 504 page": (answer(504, GATEWAY_PAGE), SaveUnknown("http_504", 504)),
    "f 403 page": (answer(403, GATEWAY_PAGE), SaveUnknown("http_403", 403)),
    "f 599": (answer(599, b""), SaveUnknown("http_5xx", 599)),
    "g deadline": (hostile.silent(), SaveUnknown("answer_timeout")),
    "m 500": (answer(500, refusal("internal_error")), SaveUnknown("internal_error", 500)),
}


@pytest.mark.parametrize(("behaviour", "outcome"), SENT.values(), ids=SENT)
def test_sent_once(
    behaviour: Behaviour, outcome: SaveOutcome, save: Call, serve: Serve, connect: Connect
) -> None:
    server = serve(only(REMEMBER, behaviour))
    assert save.ends_in_time(connect(server.base_url)) == outcome
    assert server.count(REMEMBER) == 1


# --- refusals, in PowerContext's own words and in others'


@pytest.mark.parametrize(("code", "status"), saving.NOT_EXECUTED.items())
def test_l_refused_by_powercontext(
    code: ServerCode, status: int, save: Call, serve: Serve, connect: Connect
) -> None:
    """Known to be given before anything is stored: nothing is read back."""
    server = serve(only(REMEMBER, refused(status, code)))
    outcome = save.ends_in_time(connect(server.base_url))
    assert outcome == SaveRejected(code, status, REQUEST_ID)
    assert (server.count(REMEMBER), server.count(SEARCH)) == (1, 1)


FOREIGN: dict[str, Behaviour] = {
    **{
        f"{status} of a framework": answer(status, {"detail": "words"})
        for status in (400, 401, 403, 404, 405, 408, 413, 422, 425, 429, 499, 503)
    },
    **{
        f"{status} of another service": answer(
            status, {"error": {"code": "RequestTimeout", "message": "words"}}
        )
        for status in (400, 408, 409, 422, 429, 499, 503)
    },
    **{
        f"{code} with {status}": refused(status, code)
        for code, status in (
            *(("unauthorized", 403), ("forbidden", 401), ("scope_not_found", 409)),
            *(("invalid_request", 400), ("server_overloaded", 429), ("server_overloaded", 500)),
            *(("request_too_large", 422), ("binding-version", 503), ("revision_conflict", 412)),
        )
    },
    **{
        f"{status} {code}, perhaps after it was stored": refused(status, code)
        for status, code in (
            *((500, "internal_error"), (503, "access_unavailable"), (503, "runtime_not_ready")),
            *((503, "artifact_owner_pending"), (500, "inference_timeout"), (404, "not_found")),
            *((429, "capacity_exceeded"), (422, "capability_not_supported"), (422, "words")),
            *((426, "client_upgrade_required"), (404, "artifact_not_found"), (400, "words")),
        )
    },
    "a page": answer(403, "<html>", [("X-PowerContext-Request-ID", REQUEST_ID)]),
    "no message": answer(
        403, {"error": {"code": "forbidden"}}, [("X-PowerContext-Request-ID", REQUEST_ID)]
    ),
}


def test_l_refused_by_somebody_else(save: Call, serve: Serve, connect: Connect) -> None:
    """It may have been stored all the same: said to be unknown, and looked for."""
    server = serve()
    client = connect(server.base_url)
    for name, behaviour in FOREIGN.items():
        server.turn(only(REMEMBER, behaviour))
        searches, sent = server.count(SEARCH), server.count(REMEMBER)
        assert isinstance(save.ends_in_time(client), SaveUnknown), name
        assert server.count(SEARCH) - searches == 2, name
        assert server.count(REMEMBER) - sent == 1, name


def test_m_when_to_try_again(save: Call, serve: Serve, connect: Connect) -> None:
    """A number of seconds, or nothing."""
    server = serve()
    client = connect(server.base_url)
    for said, retry_after in (
        *(((), None), (("1",), 1.0), (("0",), 0.0), (("86400",), 86400.0), (("86401",), None)),
        *((("-1",), None), (("1.5",), None), (("1e3",), None), (("soon",), None), (("",), None)),
        *((("9" * 400,), None), (("Wed, 21 Oct 2026 07:28:00 GMT",), None), (("1", "2"), None)),
        *((("\u0661".encode().decode("latin-1"),), None), (("1, 2",), None), (("0x1",), None)),
    ):
        headers = [("Retry-After", value) for value in said]
        server.turn(only(REMEMBER, refused(503, "server_overloaded", *headers)))
        outcome = save.ends_in_time(client)
        assert outcome == SaveRejected("server_overloaded", 503, REQUEST_ID, retry_after), said
    server.turn(answer(429, "", [("Retry-After", "7")]))
    assert client.recall(TEXT) == RecallFailed("http_429", 429, None, 7.0)
    with pytest.raises(ServerError) as raised:
        client.check_scope()
    assert raised.value.retry_after == 7.0


def test_h_connection_refused(save: Call, connect: Connect) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        base_url = f"http://127.0.0.1:{free.getsockname()[1]}"
    assert save.ends_in_time(connect(base_url)) == SaveNotSent("connect_failed")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_i_no_such_name(
    host: str, call: Call, serve: Serve, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address as it is can fail too: a machine without IPv6 has none for [::1]."""

    def no_such_name(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    server = serve()
    monkeypatch.setattr(socket, "getaddrinfo", no_such_name)
    client = connect(f"http://{host}:{server.port}")
    assert call.ends_in_time(client) == call.unanswered("dns_failed", sent=False)
    assert server.connections == 0


def test_j_a_certificate_of_somebody_else(
    save: Call,
    serve: Serve,
    connect: Connect,
    tls: tuple[ssl.SSLContext, str],
    another_ca: str,
) -> None:
    server = serve(tls=tls[0])
    client = connect(server.base_url, ca_file=another_ca)
    assert save.ends_in_time(client) == SaveNotSent("tls_unknown_issuer")
    assert server.requests == []


def test_j_no_tls_at_all(
    save: Call, serve: Serve, connect: Connect, tls: tuple[ssl.SSLContext, str]
) -> None:
    server = serve(hostile.silent())
    client = connect(f"https://127.0.0.1:{server.port}", ca_file=tls[1])
    assert save.ends_in_time(client) in (SaveNotSent("tls_failed"), SaveNotSent("tls_timeout"))


def test_k_no_connection_free(
    save: Call, serve: Serve, connect: Connect, closing: ExitStack
) -> None:
    server = serve(hostile.silent())
    client = connect(server.base_url)
    deadline = Deadline.after(10.0)
    recalls = [
        threading.Thread(target=client.recall, args=(TEXT,), kwargs={"deadline": deadline})
        for _ in range(32)
    ]
    for thread in recalls:
        thread.start()
    wait_until(lambda: server.count(PREPARE) == 32)
    assert save.ends_in_time(client) == SaveNotSent("no_connection_free")
    assert server.count(REMEMBER) == server.count(SEARCH) == 0
    client.close(0.0)
    for thread in recalls:
        thread.join()


# --- answers that confirm something else

SOMETHING_ELSE: dict[str, object] = {
    "other text": confirmed(TEXT + " "),
    "text in other case": confirmed(TEXT.upper()),
    "other kind": confirmed(TEXT, kind="preference"),
    "forgotten": confirmed(TEXT, state="forgotten"),
    "merged": confirmed(TEXT, state="merged"),
    "changed, without a record": {"changed": True, "records": []},
    "unchanged, another record": {"changed": False, "records": [record("Another fact.")]},
    "no revision": confirmed(TEXT, artifact={"family": "atomic-memory", "artifact_id": "a"}),
    "revision 0": confirmed(
        TEXT, artifact={"family": "atomic-memory", "artifact_id": "a", "revision": 0}
    ),
    "other family": confirmed(
        TEXT, artifact={"family": "experience", "artifact_id": "a", "revision": 1}
    ),
    "changed is a word": {"changed": "yes", "records": [record(TEXT)]},
    "legacy: other text": {"memory": MEMORY, "entry": entry("Another fact.")},
    "legacy: other kind": {"memory": MEMORY, "entry": entry(TEXT, kind="decision")},
    "legacy: inactive": {"memory": MEMORY, "entry": entry(TEXT, state="inactive")},
    "legacy: no entry key": {"memory": MEMORY},
    "halves: records and entry": {"records": [record(TEXT)], "entry": entry(TEXT)},
    "halves: changed and entry": {"changed": True, "entry": entry(TEXT)},
    "halves: changed and a null entry": {"changed": True, "memory": MEMORY, "entry": None},
    "halves: memory and records": {"memory": MEMORY, "records": [record(TEXT)]},
    "a search answer": found(TEXT),
    "null": None,
}


@pytest.mark.parametrize("said", SOMETHING_ELSE.values(), ids=SOMETHING_ELSE)
def test_an_answer_that_confirms_something_else(
    said: object, save: Call, serve: Serve, connect: Connect
) -> None:
    server = serve(only(REMEMBER, answer(200, said)))
    outcome = save(connect(server.base_url))
    assert isinstance(outcome, SaveUnknown)
    assert outcome.code in ("answer_mismatch", "malformed")
    assert outcome.status == 200
    assert server.count(REMEMBER) == 1


# --- the look-up before, and the one after

UNHELPFUL = {
    "closed": hostile.close_without_answer(),
    "500": answer(500, refusal("internal_error")),
    "401": answer(401, refusal("unauthorized")),
    "malformed": answer(200, b"{"),
    "other schema": answer(200, {"hits": "none"}),
    "50 MB": hostile.huge_body(50_000_000),
    "silent": hostile.silent(),
    "body drip": hostile.body_drip(),
    "another text": answer(200, found("Another fact.")),
    "another kind": answer(200, found(TEXT, kind="decision")),
    "forgotten": answer(200, found(TEXT, state="forgotten")),
}


@pytest.mark.parametrize("look_up", UNHELPFUL.values(), ids=UNHELPFUL)
def test_a_look_up_never_blocks_the_save(
    look_up: Behaviour, save: Call, serve: Serve, connect: Connect
) -> None:
    server = serve(only(SEARCH, look_up))
    save.succeeds(connect(server.base_url))
    assert server.count(REMEMBER) == 1


def test_found_before_is_not_sent(save: Call, serve: Serve, connect: Connect) -> None:
    server = serve(only(SEARCH, answer(200, found(TEXT))))
    outcome = save(connect(server.base_url))
    assert outcome == AlreadySaved(ATOMIC)
    assert server.count(REMEMBER) == 0


@pytest.mark.parametrize("kept_alive", [True, False], ids=["keep-alive", "closed each time"])
def test_found_after_a_lost_answer(
    kept_alive: bool, save: Call, serve: Serve, connect: Connect
) -> None:
    """Also where the server closes each connection after its answer."""
    closing_header = [] if kept_alive else [("Connection", "close")]
    look_ups = in_turn(answer(200, NO_HITS, closing_header), answer(200, found(TEXT)))
    server = serve(by_path({SEARCH: look_ups, REMEMBER: hostile.close_without_answer()}))
    outcome = save(connect(server.base_url))
    assert outcome == Saved(ATOMIC, confirmed_by="read_back")
    assert server.count(REMEMBER) == 1


@pytest.mark.parametrize("committed", [True, False])
def test_a_reused_connection_that_the_server_closes_upon_the_save(
    committed: bool, save: Call, serve: Serve, connect: Connect
) -> None:
    """Stale keep-alive: nothing tells whether the save was read, so it is not sent again."""
    first, later = hostile.stale_keep_alive(NO_HITS), hostile.stale_keep_alive(found(TEXT))
    server = serve(in_turn(first, first, later) if committed else first)
    outcome = save(connect(server.base_url))
    assert server.connections == 2  # look-up and save on one, the read-back on another
    assert [request.path for request in server.requests] == [
        "/v1/memory/search",
        "/v1/memory/remember",
        "/v1/memory/search",
    ]
    assert isinstance(outcome, Saved if committed else SaveUnknown)


# --- the real servers, both generations


@pytest.fixture(params=["powercontext_141", "powercontext_120"], ids=["1.4.1", "1.2.0"])
def real(request: pytest.FixtureRequest) -> PowerContextServer:
    server: PowerContextServer = request.getfixturevalue(request.param)
    return server


class Behind:
    """One Scope of a real server behind a recording proxy, and a client of it."""

    def __init__(self, server: PowerContextServer, proxy: RecordingProxy, connect: Connect) -> None:
        self.server, self.proxy = server, proxy
        self.scope = server.create_scope("hostile")
        self.client: PowerContext = connect(
            proxy.base_url,
            scope_id=self.scope,
            token=Secret(server.token),
            recall_timeout_seconds=10.0,
            remember_timeout_seconds=29.0,  # in which a busy machine carries out twenty, too
        )

    @property
    def texts(self) -> list[str]:
        return sorted(memory["text"] for memory in self.server.memories(self.scope))


@pytest.fixture
def behind(real: PowerContextServer, closing: ExitStack, connect: Connect) -> Behind:
    return Behind(real, closing.enter_context(RecordingProxy(real.base_url)), connect)


@pytest.fixture
def behind_141(
    powercontext_141: PowerContextServer, closing: ExitStack, connect: Connect
) -> Behind:
    proxy = closing.enter_context(RecordingProxy(powercontext_141.base_url))
    return Behind(powercontext_141, proxy, connect)


COMMITTED: dict[str, Fault] = {
    "a": lose_answer,
    "b": forward_then(hostile.close_after_headers()),
    "c": truncate(10),
    "d": replace(200, b'{"changed":true'),
    "e": replace(200, {"ok": True}),
    "f": replace(502, GATEWAY_PAGE),
    "m": replace(503, refusal("access_unavailable")),
    "another text": replace(200, confirmed("Another fact.")),
    "a framework's 404": replace(404, {"detail": "Not Found"}),
    "a gateway's 401": replace(401, {"detail": "words"}),
    "a gateway's 429, in words like PowerContext's": replace(429, refusal("server_overloaded")),
    "another service's 400": replace(400, {"error": {"code": "RequestTimeout", "message": ""}}),
}


@pytest.mark.parametrize("fault", COMMITTED.values(), ids=COMMITTED)
def test_committed_and_the_answer_lost(fault: Fault, save: Call, behind: Behind) -> None:
    behind.proxy.fault = on(REMEMBER, fault)
    outcome = save(behind.client)
    assert isinstance(outcome, Saved)
    assert outcome.confirmed_by == "read_back"
    cited = ArtifactCitation if behind.server.version == "1.4.1" else EntryCitation
    assert isinstance(outcome.citation, cited)
    assert behind.proxy.count(REMEMBER) == 1
    assert behind.texts == [TEXT]


def test_committed_and_the_answer_too_late(save: Call, behind: Behind, connect: Connect) -> None:
    """Point g: the read-back has what is left of the same deadline."""
    behind.proxy.fault = on(REMEMBER, forward_then(hostile.silent()))
    hurried = connect(
        behind.proxy.base_url,
        scope_id=behind.scope,
        token=Secret(behind.server.token),
        remember_timeout_seconds=5.0,
    )
    outcome = save.ends_in_time(hurried)
    assert isinstance(outcome, Saved)
    assert outcome.confirmed_by == "read_back"
    assert behind.proxy.count(REMEMBER) == 1
    assert behind.texts == [TEXT]


@pytest.mark.parametrize("point", ["a", "b", "f"])
def test_not_committed_and_no_answer(point: str, save: Call, behind: Behind) -> None:
    """Absence proves nothing: the save may be on its way yet."""
    behaviour, outcome = next(SENT[name] for name in SENT if name.startswith(point + " "))
    behind.proxy.fault = on(REMEMBER, instead(behaviour))
    assert save(behind.client) == outcome
    assert behind.proxy.count(REMEMBER) == 1
    assert behind.texts == []


def test_the_read_back_fails_too(save: Call, behind: Behind) -> None:
    lost = False

    def fault(request: Any) -> Fault | None:
        nonlocal lost
        lost = lost or request.is_for(REMEMBER)
        return lose_answer if lost else None

    behind.proxy.fault = fault
    assert save(behind.client) == SaveUnknown("connection_lost")
    assert behind.proxy.count(REMEMBER) == 1
    assert behind.texts == [TEXT]


def test_an_entry_of_that_text_was_there_before(
    powercontext_120: PowerContextServer, closing: ExitStack, connect: Connect, save: Call
) -> None:
    """A hit of 1.2.0 names no kind, so an older one of another kind does not confirm this save."""
    behind = Behind(
        powercontext_120,
        closing.enter_context(RecordingProxy(powercontext_120.base_url)),
        connect,
    )
    powercontext_120.remember(behind.scope, TEXT, "decision")
    behind.proxy.fault = on(REMEMBER, instead(hostile.close_without_answer()))
    assert save(behind.client) == SaveUnknown("connection_lost")


def test_a_server_that_admits_no_more_requests(
    powercontext_141: PowerContextServer, closing: ExitStack, connect: Connect, save: Call
) -> None:
    """The real one's own words when 64 requests are under way: not executed, and when to try again."""
    behind = Behind(
        powercontext_141,
        closing.enter_context(RecordingProxy(powercontext_141.base_url)),
        connect,
    )
    head = "POST /v1/sources/content HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"
    address = ("127.0.0.1", powercontext_141.port)
    with ExitStack() as crowd:
        for _ in range(64):
            under_way = crowd.enter_context(socket.create_connection(address))
            under_way.sendall(head.encode())
        wait_until(lambda: isinstance(behind.client.recall(TEXT), RecallFailed))
        outcome = save(behind.client)
    assert isinstance(outcome, SaveRejected)
    assert (outcome.code, outcome.status) == ("server_overloaded", 503)
    assert outcome.retry_after == 1.0
    assert behind.proxy.count(REMEMBER) == 1
    wait_until(lambda: not isinstance(behind.client.recall(TEXT), RecallFailed))
    assert behind.texts == []
    assert isinstance(save(behind.client), Saved)


# --- many saves at once

LEXICAL, SYMBOLS = TEXT, "※※※ §§§"  # the look-up cannot find the second one


def _by_threads(client: PowerContext, texts: list[str]) -> list[SaveOutcome]:
    return in_threads(len(texts), lambda number: client.remember(texts[number]))


def _by_gather(client: PowerContext, texts: list[str]) -> list[SaveOutcome]:
    async def gather() -> list[SaveOutcome]:
        return list(await asyncio.gather(*map(client.aremember, texts)))

    return asyncio.run(gather())


def _mixed(client: PowerContext, texts: list[str]) -> list[SaveOutcome]:
    """Half of them on threads, half of them on one loop, which is a thread's too."""
    half = len(texts) // 2
    ways = ((_by_threads, texts[:half]), (_by_gather, texts[half:]))
    parts = in_threads(2, lambda number: ways[number][0](client, ways[number][1]))
    return [outcome for part in parts for outcome in part]


WAYS = {"threads": _by_threads, "gather": _by_gather, "mixed": _mixed}
Way = Callable[[PowerContext, list[str]], list[SaveOutcome]]


@pytest.mark.parametrize("text", [LEXICAL, SYMBOLS], ids=["lexical", "symbols"])
@pytest.mark.parametrize("count", [2, 20])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_equal_saves_at_once_make_one_memory(
    way: Way, count: int, text: str, behind_141: Behind
) -> None:
    """The first one's answer is held back until all have begun, so that they truly are at once."""
    all_begun = threading.Event()
    behind_141.proxy.fault = on(REMEMBER, hold_until(all_begun))

    def release() -> None:
        wait_until(lambda: len(saves.ended) >= count, within=20.0)
        all_begun.set()

    with noted_saves() as saves:
        releasing = threading.Thread(target=release)
        releasing.start()
        outcomes = way(behind_141.client, [text] * count)
        releasing.join()
    assert behind_141.texts == [text]
    assert behind_141.proxy.count(REMEMBER) == 1
    assert isinstance(outcomes[0], Saved)
    assert set(map(repr, outcomes)) == {repr(outcomes[0])}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_equal_saves_that_race(way: Way, behind_141: Behind) -> None:
    """Nothing held back: whoever comes late finds the memory instead."""
    outcomes = way(behind_141.client, [TEXT] * 20)
    assert behind_141.texts == [TEXT]
    citations = {repr(outcome.citation) for outcome in outcomes}  # type: ignore[union-attr]
    assert len(citations) == 1


def test_an_equal_save_after_the_first_is_not_sent(save: Call, behind: Behind) -> None:
    first, second = save(behind.client), save(behind.client)
    assert isinstance(first, Saved)
    assert isinstance(second, AlreadySaved)
    assert second.citation == first.citation
    assert behind.texts == [TEXT]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_twenty_different_saves_at_once(way: Way, behind: Behind) -> None:
    texts = sorted(f"The service number {number} listens on its own port." for number in range(20))
    outcomes = way(behind.client, texts)
    assert [type(outcome) for outcome in outcomes] == [Saved] * 20
    assert behind.texts == texts
    assert behind.proxy.count(REMEMBER) == 20


def test_saves_after_one_that_hangs(save: Call, serve: Serve, connect: Connect) -> None:
    """One after the other: those that wait behind it end by their own deadlines, and say so."""
    server = serve(only(REMEMBER, hostile.silent()))
    client = connect(server.base_url)
    ended = save.all_at_once(client, [f"text {number}" for number in range(5)])
    for timed in ended:
        assert isinstance(timed.outcome, SaveUnknown | SaveNotSent)
        assert timed.seconds <= save.deadline(client) + SLACK
