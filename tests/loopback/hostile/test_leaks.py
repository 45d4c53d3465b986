# SPDX-License-Identifier: Apache-2.0
"""Canaries in every input and in every word of the server: none is seen again but where the contract puts it (B25).

The root logger listens at DEBUG to everybody, and asyncio runs in debug mode and finds every callback slow, so that
its reprs are in the log too.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import ssl
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import trustme
from langchain_core.messages import ToolMessage
from powercontext_openapi.api.memory import search_memory
from powercontext_openapi.models.search_memory_request import SearchMemoryRequest

import powercontext_deerflow
from powercontext_deerflow import (
    AlreadySaved,
    ConfigurationError,
    Forgotten,
    InputError,
    Memory,
    PowerContext,
    PowerContextError,
    Recalled,
    Restored,
    Revised,
    Saved,
    Secret,
    Settings,
)
from powercontext_deerflow.host import runtime as process
from powercontext_deerflow.transport import Engine
from tests.loopback.hostile.conftest import Connect, Serve
from tests.loopback.hostile.world import Call, TurningServer, settings
from tests.support.answers import (
    ATOMIC,
    NO_HITS,
    PREPARE,
    REMEMBER,
    SEARCH,
    confirmed,
    found,
    prepared,
    record,
)
from tests.support.gateway import Gateway, owner
from tests.support.servers.hostile import answer, by_path
from tests.support.servers.loopback import Behaviour, Connection, Request

MARK = "canary"
TOKEN, QUERY, SAVED = f"{MARK}-token", f"What is {MARK}-query?", f"The {MARK}-text is saved."
RECALLED = f"What {MARK}-recalled says."
WORD = f"{MARK}-word"  # of the server


def raw(status: int, body: bytes, length: int | None = None) -> Behaviour:
    """An answer with canaries in its reason phrase and headers."""
    head = (
        f"HTTP/1.1 {status} {WORD}\r\nServer: {WORD}\r\nX-{WORD}: {WORD}\r\n"
        f"X-PowerContext-Request-Id: {WORD}\r\nSet-Cookie: {WORD}={WORD}\r\n"
        f"WWW-Authenticate: Bearer realm={WORD}\r\nLocation: http://{WORD}/\r\n"
        f"Content-Type: application/{WORD}\r\n"
        f"Content-Length: {len(body) if length is None else length}\r\n\r\n"
    )
    return lambda connection, _: connection.send(head.encode() + body)


def error_body(code: str) -> bytes:
    return (
        f'{{"error":{{"code":"{code}","message":"{WORD}","details":{{"{WORD}":"{WORD}"}}}}}}'
    ).encode()


def echo_everything(connection: Connection, request: Request) -> None:
    """The request itself, credential and all, as an error."""
    said = request.raw.decode().replace("\\", "").replace('"', "'").replace("\r\n", " ")
    raw(500, f'{{"error":{{"code":"{said}","message":"{said}","details":null}}}}'.encode())(
        connection, request
    )


def not_http(connection: Connection, request: Request) -> None:
    connection.send(f"{WORD} {WORD}\r\n{WORD}\r\n\r\n".encode())


def bad_header(connection: Connection, request: Request) -> None:
    connection.send(f"HTTP/1.1 200 OK\r\n{WORD} {WORD}\r\n\r\n".encode())


def bad_chunk(connection: Connection, request: Request) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    connection.send(head + f"{WORD}\r\n".encode())


HOSTILE: dict[str, Behaviour] = {
    "401": raw(401, error_body("unauthorized")),
    "403 of its own code": raw(403, error_body(WORD)),
    "422 of the framework": raw(422, f'{{"detail":"{WORD}"}}'.encode()),
    "500 that echoes": echo_everything,
    "502 page": raw(502, f"<html>{WORD}</html>".encode()),
    "302": raw(302, WORD.encode()),
    "599": raw(599, WORD.encode()),
    "200 page": raw(200, f"<html>{WORD}</html>".encode()),
    "200, unknown schema": raw(200, f'{{"{WORD}":"{WORD}"}}'.encode()),
    "200, wrong types": raw(200, f'{{"schema":"{WORD}","records":"{WORD}","hits":1}}'.encode()),
    "200, not UTF-8": raw(200, WORD.encode() + b"\xff"),
    "200, truncated": raw(200, f'{{"schema":"{WORD}'.encode(), 5000),
    "200, compressed": answer(200, WORD, [("Content-Encoding", WORD)]),
    "200, too large": raw(200, WORD.encode() * 200_000),
    "not HTTP": not_http,
    "bad header": bad_header,
    "bad chunk": bad_chunk,
}


class Log:
    """Everything that anybody logged, in words and in fields."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self._caplog = caplog

    def heard(self, name: str) -> bool:
        return any(one.name == name for one in self._caplog.records)

    def assert_clean(self) -> None:
        assert MARK not in self._caplog.text
        for one in self._caplog.records:
            assert MARK not in repr(vars(one))


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    caplog.set_level(logging.DEBUG)
    for name in ("powercontext_deerflow", "httpx", "httpcore", "asyncio", "concurrent.futures"):
        caplog.set_level(logging.DEBUG, logger=name)
    monkeypatch.setattr(logging, "raiseExceptions", True)
    heard = Log(caplog)
    yield heard
    heard.assert_clean()


@pytest.fixture
def client(serve: Serve, connect: Connect) -> tuple[TurningServer, PowerContext]:
    server = serve()
    return server, connect(server.base_url, token=Secret(TOKEN), scope_id="scp_leaks")


def run(call: Call, client: PowerContext) -> Any:
    text = SAVED if call.saves else QUERY
    if not call.is_async:
        return call(client, text)

    async def watched() -> Any:
        asyncio.get_running_loop().slow_callback_duration = 0.0
        return await asyncio.create_task(call.begin(client, text))

    return asyncio.run(watched(), debug=True)


def assert_value_is_clean(value: object) -> None:
    assert MARK not in repr(value)
    assert MARK not in str(value)
    assert MARK.encode() not in pickle.dumps(value)
    assert pickle.loads(pickle.dumps(value)) == value


def assert_exception_is_clean(error: BaseException) -> None:
    """The whole chain, suppressed contexts and notes too; as words, as a log would print it, and as a pickle."""
    chain, left = [], [error]
    while left:
        link = left.pop()
        chain.append(link)
        left += [one for one in (link.__cause__, link.__context__) if one is not None]
    for link in chain:
        said = [repr(link), str(link), repr(link.args), repr(vars(link))]
        said += traceback.format_exception_only(link)
        assert not any(MARK in words for words in said)
    assert MARK not in "".join(traceback.format_exception(error))
    if isinstance(error, PowerContextError):
        again = pickle.loads(pickle.dumps(error))
        assert MARK.encode() not in pickle.dumps(error)
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


@pytest.mark.parametrize("behaviour", HOSTILE.values(), ids=HOSTILE)
def test_outcomes(
    behaviour: Behaviour, call: Call, client: tuple[TurningServer, PowerContext], log: Log
) -> None:
    client[0].turn(behaviour)
    outcome = run(call, client[1])
    assert not isinstance(outcome, Recalled | Saved)
    assert log.heard("asyncio") == call.is_async
    assert_value_is_clean(outcome)


GOOD = by_path(
    {
        PREPARE: answer(200, prepared(RECALLED), [("X-Other", WORD)]),
        SEARCH: answer(200, NO_HITS, [("X-Other", WORD)]),
        REMEMBER: answer(200, {**confirmed(SAVED), WORD: WORD}, [("X-Other", WORD)]),
    }
)


def test_a_good_recall(recall: Call, client: tuple[TurningServer, PowerContext], log: Log) -> None:
    client[0].turn(GOOD)
    outcome = run(recall, client[1])
    assert isinstance(outcome, Recalled)
    assert outcome.content == RECALLED  # the contract; it is the only place
    assert MARK not in repr(outcome)
    assert TOKEN.encode() not in pickle.dumps(outcome)
    assert QUERY.encode() not in pickle.dumps(outcome)


def test_a_good_save(save: Call, client: tuple[TurningServer, PowerContext], log: Log) -> None:
    client[0].turn(GOOD)
    outcome = run(save, client[1])
    assert isinstance(outcome, Saved)
    assert outcome.unfamiliar_keys
    assert_value_is_clean(outcome)


def test_a_save_that_is_there_already(
    save: Call, client: tuple[TurningServer, PowerContext], log: Log
) -> None:
    client[0].turn(answer(200, found(SAVED)))
    outcome = run(save, client[1])
    assert isinstance(outcome, AlreadySaved)
    assert_value_is_clean(outcome)


EXCEPTIONS: dict[str, Callable[[PowerContext], object]] = {
    "server_info": lambda client: client.server_info(),
    "check_scope": lambda client: client.check_scope(),
    "search": lambda client: client.search(QUERY),
    "list_memories": lambda client: list(client.list_memories()),
    "get": lambda client: client.get(ATOMIC),
    "head": lambda client: client.head(ATOMIC),
    "history": lambda client: client.history(ATOMIC),
    "revise": lambda client: client.revise(ATOMIC, SAVED),
    "forget": lambda client: client.forget(ATOMIC),
    "restore": lambda client: client.restore(ATOMIC, 1),
    "capture_source": lambda client: client.capture_source("source", SAVED, {WORD: WORD}),
}


@pytest.mark.parametrize("ask", EXCEPTIONS.values(), ids=EXCEPTIONS)
@pytest.mark.parametrize("behaviour", HOSTILE.values(), ids=HOSTILE)
def test_exceptions(
    behaviour: Behaviour,
    ask: Callable[[PowerContext], object],
    client: tuple[TurningServer, PowerContext],
    log: Log,
) -> None:
    client[0].turn(behaviour)
    with pytest.raises(PowerContextError) as raised:
        ask(client[1])
    assert_exception_is_clean(raised.value)
    try:
        ask(client[1])
    except PowerContextError:
        logging.getLogger("host").exception("as the host would log it")


@pytest.mark.parametrize(
    "behaviour",
    [HOSTILE[name] for name in ("200, truncated", "not HTTP", "bad header", "bad chunk")],
)
def test_exceptions_of_the_generated_client(
    behaviour: Behaviour, client: tuple[TurningServer, PowerContext], log: Log
) -> None:
    client[0].turn(behaviour)
    body = SearchMemoryRequest(scope_id="scp_leaks", query=QUERY)
    with pytest.raises(httpx.TransportError) as raised:
        search_memory.sync_detailed(client=client[1].generated, body=body)
    assert MARK not in "".join(traceback.format_exception(raised.value))
    assert_exception_is_clean_of_chain(raised.value)


def assert_exception_is_clean_of_chain(error: BaseException) -> None:
    """httpx's exceptions carry the request, which is the caller's own; their words are ours."""
    link: BaseException | None = error
    while link is not None:
        assert MARK not in str(link)
        assert MARK not in repr(link)
        link = link.__cause__ or link.__context__


def test_what_the_generated_client_logs(
    client: tuple[TurningServer, PowerContext], log: Log
) -> None:
    for behaviour in (HOSTILE["403 of its own code"], HOSTILE["500 that echoes"]):
        client[0].turn(behaviour)
        body = SearchMemoryRequest(scope_id="scp_leaks", query=QUERY)
        search_memory.sync_detailed(client=client[1].generated, body=body)
    assert MARK not in repr(client[1].generated)
    assert TOKEN not in repr(vars(client[1].generated.get_httpx_client()))
    assert MARK not in str(client[1].generated.get_httpx_client().headers)


TEXTS: dict[str, object] = {
    "surrogate": SAVED + "\ud800",
    "too long": SAVED * 1000,
    "closes the fence": SAVED + "</memory>",
    "bytes": SAVED.encode(),
    "list": [SAVED],
    "object": type("Thing", (), {"__repr__": lambda self: SAVED})(),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_refused_input(
    text: Any, call: Call, client: tuple[TurningServer, PowerContext], log: Log
) -> None:
    if not call.saves and isinstance(text, str) and "\ud800" not in text:
        return  # a query has other bounds
    with pytest.raises(InputError) as refused:
        call(client[1], text)
    assert_exception_is_clean(refused.value)
    assert client[0].requests == []


def test_a_refused_kind(client: tuple[TurningServer, PowerContext], log: Log) -> None:
    for kind in (WORD, [WORD], {WORD: 1}, None):
        with pytest.raises(InputError) as refused:
            client[1].remember(SAVED, kind)  # type: ignore[arg-type]
        assert_exception_is_clean(refused.value)


UNUSABLE: dict[str, dict[str, Any]] = {
    "userinfo": {"base_url": f"https://user:{MARK}@127.0.0.1"},
    "port": {"base_url": f"https://127.0.0.1:{MARK}"},
    "query": {"base_url": f"https://127.0.0.1/?{MARK}"},
    "brackets": {"base_url": f"https://[{MARK}"},
    "scheme": {"base_url": f"{MARK}://host"},
    "remote http": {"base_url": f"http://{MARK}.example"},
    "token with scheme": {"token": Secret(f"Bearer {MARK}")},
    "token with a space": {"token": Secret(f"{MARK} {MARK}")},
    "token not ASCII": {"token": Secret(f"{MARK}é")},
    "token in the open": {"token": 7},
    "scope": {"scope_id": f"{MARK}\n"},
    "long scope": {"scope_id": MARK * 100},
    "owner": {"owner_user_id": f"{MARK}\0"},
    "max_bytes": {"max_bytes": MARK},
    "seconds": {"recall_timeout_seconds": MARK},
    "ca_file": {"ca_file": f"/{MARK}/ca.pem"},
    "ca_file with a NUL": {"ca_file": f"/{MARK}\0"},
}


@pytest.mark.parametrize("given", UNUSABLE.values(), ids=UNUSABLE)
def test_refused_settings(given: dict[str, Any], log: Log) -> None:
    with pytest.raises(ConfigurationError) as refused:
        settings("https://127.0.0.1", **given) if "base_url" not in given else settings(**given)
    assert_exception_is_clean(refused.value)
    assert_value_is_clean(refused.value.problems)


def test_refused_environment(monkeypatch: pytest.MonkeyPatch, log: Log) -> None:
    for name in ("BASE_URL", "OWNER_USER_ID", "TOKEN", "SCOPE_ID", "MAX_BYTES", "CA_FILE"):
        monkeypatch.setenv(f"POWERCONTEXT_DEERFLOW_{name}", f" {MARK}\t")
    process.forget()
    for _ in range(2):
        with pytest.raises(ConfigurationError) as refused:
            process.current()
        assert_exception_is_clean(refused.value)
    process.forget()


def test_reprs_and_pickles_of_what_holds_the_token(
    client: tuple[TurningServer, PowerContext], log: Log
) -> None:
    held = client[1]
    engine = Engine(held.settings)
    for value in (held, held.settings, held.settings.token, engine):
        assert MARK not in repr(value)
        assert MARK not in str(value)
    assert MARK not in f"{held.settings.token}{held.settings.token!r:>40}"
    for value in (held, held.settings, held.settings.token, engine):
        with pytest.raises(TypeError) as refused:
            pickle.dumps(value)
        assert_exception_is_clean(refused.value)


def test_a_found_memory(client: tuple[TurningServer, PowerContext], log: Log) -> None:
    client[0].turn(answer(200, found(SAVED), [("X-Other", WORD)]))
    (memory,) = client[1].search(QUERY)
    assert isinstance(memory, Memory)
    assert memory.text == SAVED  # the contract, as recalled text is
    for value in (memory, Forgotten(memory), Revised(memory), Restored(memory)):
        assert MARK not in repr(value)
        assert MARK not in str(value)


def test_every_public_value_was_looked_at() -> None:
    """A new public name comes with a look at what its repr and pickle show."""
    looked_at = {
        *("AlreadySaved", "NothingRecalled", "Recalled", "RecallFailed", "Saved", "SaveNotSent"),
        *("SaveRejected", "SaveUnknown", "Secret", "Settings", "PowerContext", "Problem"),
        *("AnswerError", "ConfigurationError", "HostError", "InputError", "PowerContextError"),
        *("ServerError", "TransportError"),
        *("ArtifactCitation", "EntryCitation", "MemoryRef"),  # ids only: a citation is the contract
        *("Memory", "Forgotten", "Revised", "Restored", "NotSupportedByServer"),
        *("Captured", "ChangeRejected", "ChangeUnknown", "Conflict", "Deadline"),  # codes, numbers
        "Revision",  # a citation and a time
        *("ServerInfo", "Version"),  # what the server says of itself, asked for by name
        *("Cited", "CaptureOutcome", "ForgetOutcome", "MemoryState", "SaveOutcome"),  # types
        *("RestoreOutcome", "ReviseOutcome"),
        *("Citation", "Kind", "Recall", "__version__"),
    }
    assert set(powercontext_deerflow.__all__) == looked_at


@pytest.fixture
def canary_tls(tmp_path: Path) -> tuple[ssl.SSLContext, str]:
    """A certificate whose names are canaries."""
    authority = trustme.CA(organization_name=WORD, organization_unit_name=WORD)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate = authority.issue_cert(
        f"{MARK}.example", common_name=f"{MARK}.example", organization_name=WORD
    )
    certificate.configure_cert(context)
    ca_file = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(ca_file)
    return context, str(ca_file)


@pytest.mark.parametrize("trusted", [True, False], ids=["another name", "another CA"])
def test_names_in_a_certificate(
    trusted: bool,
    call: Call,
    serve: Serve,
    connect: Connect,
    canary_tls: tuple[ssl.SSLContext, str],
    log: Log,
) -> None:
    server = serve(tls=canary_tls[0])
    ca_file = canary_tls[1] if trusted else None
    client = connect(server.base_url, ca_file=ca_file, token=Secret(TOKEN))
    outcome = run(call, client)
    code = "tls_wrong_name" if trusted else "tls_unknown_issuer"
    assert outcome == call.unanswered(code, sent=False)
    assert_value_is_clean(outcome)
    with pytest.raises(PowerContextError) as raised:
        client.server_info()
    assert_exception_is_clean(raised.value)


def test_a_name_that_does_not_resolve(
    call: Call, connect: Connect, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_such_name(*_: object, **__: object) -> None:
        raise OSError(WORD)

    monkeypatch.setattr("socket.getaddrinfo", no_such_name)
    client = connect("https://host.example", token=Secret(TOKEN))
    outcome = run(call, client)
    assert outcome == call.unanswered("dns_failed", sent=False)
    assert_value_is_clean(outcome)
    with pytest.raises(PowerContextError) as raised:
        client.server_info()
    assert_exception_is_clean(raised.value)


# --- the host's two surfaces


@pytest.fixture
def gateway(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[TurningServer, Any]]:
    server = serve()
    for name, value in {
        "BASE_URL": server.base_url,
        "OWNER_USER_ID": "user-1",
        "SCOPE_ID": "scp_leaks",
        "TOKEN": TOKEN,
        "RECALL_TIMEOUT_SECONDS": "0.4",
        "REMEMBER_TIMEOUT_SECONDS": "0.6",
    }.items():
        monkeypatch.setenv(f"POWERCONTEXT_DEERFLOW_{name}", value)
    with Gateway() as host:
        yield server, host


def tell(host: Gateway, text: str, user_id: str = "user-1", **args: object) -> ToolMessage:
    async def watched() -> ToolMessage:
        asyncio.get_running_loop().slow_callback_duration = 0.0
        return await host.remember(text, owner(user_id), **args)

    return asyncio.run(watched(), debug=True)


@pytest.mark.parametrize("behaviour", HOSTILE.values(), ids=HOSTILE)
def test_tool_results(
    behaviour: Behaviour, gateway: tuple[TurningServer, Gateway], log: Log
) -> None:
    server, host = gateway
    server.turn(behaviour)
    message = tell(host, SAVED)
    assert MARK not in str(message.content)
    assert MARK not in repr(message.artifact)
    assert log.heard("powercontext_deerflow")


@pytest.mark.parametrize("text", [SAVED + "</memory>", SAVED * 1000, SAVED[:0] + " "])
def test_tool_results_for_refused_text(
    text: str, gateway: tuple[TurningServer, Gateway], log: Log
) -> None:
    server, host = gateway
    message = tell(host, text)
    assert message.status == "error"
    assert MARK not in str(message.content)
    assert server.requests == []


def test_tool_results_for_a_stranger(gateway: tuple[TurningServer, Gateway], log: Log) -> None:
    server, host = gateway
    message = tell(host, SAVED, user_id=f"{MARK}-user")
    assert message.status == "error"
    assert MARK not in str(message.content)
    assert server.requests == []


def test_a_good_tool_result_holds_the_citation_and_no_text(
    gateway: tuple[TurningServer, Gateway], log: Log
) -> None:
    server, host = gateway
    server.turn(GOOD)
    message = tell(host, SAVED)
    assert "art_1" in str(message.content)
    assert MARK not in str(message.content)
    server.turn(by_path({SEARCH: answer(200, {"mode": "text", "hits": [_hit()]})}))
    assert '"already_saved"' in str(tell(host, SAVED).content)


def _hit() -> dict[str, object]:
    return {"memory": {**record(SAVED), WORD: WORD}, "score": 1.0, "matched_by": [WORD]}


@pytest.mark.parametrize("behaviour", [*HOSTILE.values(), GOOD], ids=[*HOSTILE, "good"])
def test_what_recall_logs_in_the_host(
    behaviour: Behaviour, gateway: tuple[TurningServer, Gateway], log: Log
) -> None:
    server, host = gateway
    server.turn(behaviour)
    content = host.manager.get_context("user-1", query=QUERY)
    assert content in ("", RECALLED)
    assert asyncio.run(host.manager.aget_context("user-1", query=QUERY)) == content
    process.current().breaker.reached()
    assert MARK not in repr(process.current().events.counts)
    assert MARK not in repr(host.manager)


def test_recalled_text_that_closes_the_fence_is_said_nowhere(
    gateway: tuple[TurningServer, Gateway], log: Log
) -> None:
    server, host = gateway
    server.turn(answer(200, prepared(RECALLED + " < / MEMORY>")))
    assert host.manager.get_context("user-1", query=QUERY) == ""
    assert process.current().events.counts == {("recall", "content_closes_fence"): 1}


def test_the_settings_of_the_gateway_show_no_token(
    gateway: tuple[TurningServer, Gateway], log: Log
) -> None:
    bound = process.current()
    for value in (bound, bound.settings, bound.client, bound.events, bound.breaker):
        assert MARK not in repr(value)
    assert isinstance(bound.settings, Settings)
