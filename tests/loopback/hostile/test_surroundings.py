# SPDX-License-Identifier: Apache-2.0
"""Nothing around us changes where a request goes or what it carries: environment, redirects, cookies, URLs (B16)."""

from __future__ import annotations

import asyncio
import ssl
import time
from pathlib import Path

import httpx
import pytest
from powercontext_openapi.api.memory import search_memory
from powercontext_openapi.api.server import get_server_info
from powercontext_openapi.models.search_memory_request import SearchMemoryRequest

from powercontext_deerflow import ConfigurationError, PowerContext
from tests.loopback.hostile.conftest import Connect, Serve
from tests.loopback.hostile.world import (
    SCOPE,
    SLACK,
    TOKEN,
    Call,
    good_answer,
    healthy,
    only,
    settings,
)
from tests.support.answers import NO_HITS, PREPARE, REMEMBER, SEARCH, TEXT
from tests.support.servers import hostile
from tests.support.servers.hostile import answer
from tests.support.servers.loopback import Connection, LoopbackServer, Request

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
REDIRECTS = (300, 301, 302, 303, 304, 305, 307, 308)


def search_with_generated(client: PowerContext) -> None:
    body = SearchMemoryRequest(scope_id=SCOPE, query=TEXT)
    search_memory.sync_detailed(client=client.generated, body=body)


@pytest.fixture
def nobody(serve: Serve) -> LoopbackServer:
    """The other host; the test fails if anything so much as connects to it."""
    return serve(hostile.expect_no_connection())


@pytest.fixture
def proxied(nobody: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.setenv(name, nobody.base_url)


@pytest.mark.usefixtures("proxied")
@pytest.mark.parametrize("no_proxy", [None, "", "*", "::/0,not a cidr/99,[,127.0.0.1/33"])
def test_proxy_variables(
    no_proxy: str | None,
    call: Call,
    serve: Serve,
    connect: Connect,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if no_proxy is not None:
        monkeypatch.setenv("NO_PROXY", no_proxy)
    call.succeeds(connect(serve().base_url))


@pytest.mark.usefixtures("proxied")
def test_proxy_variables_and_tls(
    call: Call, serve: Serve, connect: Connect, tls: tuple[ssl.SSLContext, str]
) -> None:
    call.succeeds(connect(serve(tls=tls[0]).base_url, ca_file=tls[1]))


@pytest.mark.usefixtures("proxied")
def test_proxy_variables_and_the_generated_client(serve: Serve, connect: Connect) -> None:
    server = serve(answer(200, NO_HITS))
    search_with_generated(connect(server.base_url))
    assert server.count(SEARCH) == 1


@pytest.mark.usefixtures("proxied")
def test_proxy_variables_and_the_generated_async_functions(serve: Serve, connect: Connect) -> None:
    """They run over the same bounds, or not at all; the environment never gets the request."""
    server = serve(answer(200, NO_HITS))
    client = connect(server.base_url)

    async def search() -> None:
        body = SearchMemoryRequest(scope_id=SCOPE, query=TEXT)
        await search_memory.asyncio_detailed(client=client.generated, body=body)

    try:
        asyncio.run(search())
    except (httpx.HTTPError, RuntimeError, TypeError, NotImplementedError):
        assert server.requests == []  # refused
    else:
        (request,) = server.requests
        assert request.header("authorization") == f"Bearer {TOKEN}"


def test_netrc(
    call: Call, serve: Serve, connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login mallory password word\ndefault login m password w\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HOME", str(tmp_path))
    server = serve()
    client = connect(server.base_url)
    call.succeeds(client)
    search_with_generated(client)
    assert {request.header("authorization") for request in server.requests} == {f"Bearer {TOKEN}"}


def test_certificates_of_the_environment_are_not_trusted(
    call: Call,
    serve: Serve,
    connect: Connect,
    tls: tuple[ssl.SSLContext, str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    folder = tmp_path / "certificates"
    folder.mkdir()
    (folder / "ca.crt").write_text(Path(tls[1]).read_text())
    monkeypatch.setenv("SSL_CERT_FILE", tls[1])
    monkeypatch.setenv("SSL_CERT_DIR", str(folder))
    server = serve(tls=tls[0])
    client = connect(server.base_url)
    assert call.ends_in_time(client) == call.unanswered("tls_unknown_issuer", sent=False)
    assert server.requests == []


def test_a_broken_certificate_setting_of_the_environment_does_no_harm(
    call: Call,
    serve: Serve,
    connect: Connect,
    tls: tuple[ssl.SSLContext, str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "absent"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "absent"))
    call.succeeds(connect(serve(tls=tls[0]).base_url, ca_file=tls[1]))


def test_no_tls_keys_are_written(
    call: Call,
    serve: Serve,
    connect: Connect,
    tls: tuple[ssl.SSLContext, str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    log = tmp_path / "keys.log"
    monkeypatch.setenv("SSLKEYLOGFILE", str(log))
    client = connect(serve(tls=tls[0]).base_url, ca_file=tls[1])
    call.succeeds(client)
    search_with_generated(client)
    assert not log.exists()


def test_a_certificate_for_another_name(
    call: Call, serve: Serve, connect: Connect, tls: tuple[ssl.SSLContext, str]
) -> None:
    """The chain is good, the name is not: 127.0.0.2 is this machine too, and not in the certificate."""
    server = serve(tls=tls[0])
    client = connect(f"https://127.0.0.2:{server.port}", ca_file=tls[1])
    outcome = call.ends_in_time(client)
    assert outcome in (
        call.unanswered("tls_wrong_name", sent=False),
        call.unanswered("connect_failed", sent=False),
    )
    assert server.requests == []


@pytest.mark.parametrize("status", REDIRECTS)
@pytest.mark.parametrize("where", ["same host", "other host"])
def test_redirects_are_not_followed(
    where: str, status: int, call: Call, serve: Serve, connect: Connect, nobody: LoopbackServer
) -> None:
    location = "/elsewhere" if where == "same host" else f"{nobody.base_url}/v1/context/prepare"
    redirect = hostile.redirect(status, location)
    server = serve(only(REMEMBER if call.saves else PREPARE, redirect))
    client = connect(server.base_url)
    outcome = call.ends_in_time(client)
    assert outcome == call.unanswered(f"http_{status}", status=status)
    assert server.count(REMEMBER) == call.saves
    assert {request.path for request in server.requests} <= {
        *("/v1/context/prepare", "/v1/memory/search", "/v1/memory/remember"),
    }


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_the_generated_client_does_not_follow_redirects(
    status: int, serve: Serve, connect: Connect, nobody: LoopbackServer
) -> None:
    server = serve(hostile.redirect(status, nobody.base_url))
    got = search_memory.sync_detailed(
        client=connect(server.base_url).generated,
        body=SearchMemoryRequest(scope_id=SCOPE, query=TEXT),
    )
    assert got.status_code == status
    assert len(server.requests) == 1


def test_cookies_are_never_sent_back(call: Call, serve: Serve, connect: Connect) -> None:
    def with_a_cookie(connection: Connection, request: Request) -> None:
        head, _, body = good_answer(request).partition(b"\r\n\r\n")
        cookie = b"\r\nSet-Cookie: session=kept; Path=/\r\nSet-Cookie: other=1"
        connection.send(head + cookie + b"\r\n\r\n" + body)

    server = serve(with_a_cookie)
    client = connect(server.base_url)
    call.succeeds(client, "one")
    search_with_generated(client)
    search_with_generated(client)
    call.succeeds(client, "two")
    assert [request.header("cookie") for request in server.requests] == [None] * len(
        server.requests
    )
    assert not client.generated.get_httpx_client().cookies


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/v1/server-info",
        "http://localhost:{own}/v1/server-info",
        "https://127.0.0.1:{own}/v1/server-info",
        "http://127.0.0.1.evil.example:{own}/v1/server-info",
    ],
)
def test_the_generated_client_is_bound_to_its_origin(
    url: str, serve: Serve, connect: Connect, nobody: LoopbackServer
) -> None:
    server = serve()
    http = connect(server.base_url).generated.get_httpx_client()
    with pytest.raises(httpx.UnsupportedProtocol):
        http.get(url.format(port=nobody.port, own=server.port))
    assert server.connections == 0


@pytest.mark.parametrize(
    "url",
    ["//127.0.0.1:{port}/v1/server-info", "http://user:word@127.0.0.1:{own}/v1/server-info"],
    ids=["no scheme", "userinfo"],
)
def test_other_spellings_reach_the_bound_origin_only(
    url: str, serve: Serve, connect: Connect, nobody: LoopbackServer
) -> None:
    server = serve()
    http = connect(server.base_url).generated.get_httpx_client()
    http.get(url.format(port=nobody.port, own=server.port))
    (request,) = server.requests
    assert request.header("authorization") == f"Bearer {TOKEN}"
    assert b"word" not in request.raw


@pytest.mark.parametrize(
    "path", ["/other/v1/server-info", "/pre", "/prefixed/v1/server-info", "/prefix/../v1/admin"]
)
def test_the_generated_client_stays_below_its_prefix(
    path: str, serve: Serve, connect: Connect
) -> None:
    server = serve()
    http = connect(server.base_url + "/prefix").generated.get_httpx_client()
    with pytest.raises(httpx.UnsupportedProtocol):
        http.get(f"{server.base_url}{path}")
    assert server.connections == 0


def test_the_generated_client_has_the_same_deadline(serve: Serve, connect: Connect) -> None:
    client = connect(serve(hostile.body_drip()).base_url)
    started = time.monotonic()
    with pytest.raises(httpx.TransportError, match="answer_timeout"):
        get_server_info.sync_detailed(client=client.generated)
    assert time.monotonic() - started <= client.settings.remember_timeout_seconds + SLACK
    with pytest.raises(httpx.UnsupportedProtocol):
        client.generated.get_httpx_client().get("/v1/server-info", timeout=None)


@pytest.mark.parametrize("user", ["user@", "user:word@", ":word@", "@", "%40@"])
def test_credentials_in_the_base_url_are_refused(user: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        settings(f"https://{user}127.0.0.1:1")
    assert refused.value.code in ("url_with_credentials", "not_a_url")


@pytest.mark.parametrize(
    ("prefix", "below"),
    [
        ("", ""),
        ("/", ""),
        ("//", ""),
        ("/memory", "/memory"),
        ("/memory/", "/memory"),
        ("/a/b-c_d.e~f/", "/a/b-c_d.e~f"),
    ],
)
def test_slashes_and_prefixes(
    prefix: str, below: str, call: Call, serve: Serve, connect: Connect
) -> None:
    def behind_prefix(connection: Connection, request: Request) -> None:
        assert request.path.startswith(below + "/v1/")
        inner = request.path.removeprefix(below)
        healthy(connection, Request(request.method, inner, (), request.body, b""))

    server = serve(behind_prefix)
    client = connect(server.base_url + prefix)
    call.succeeds(client)
    search_with_generated(client)
    assert server.requests[-1].path == below + "/v1/memory/search"


def test_the_credential_is_on_every_request_and_nowhere_else(
    call: Call, serve: Serve, connect: Connect
) -> None:
    server = serve()
    client = connect(server.base_url)
    call.succeeds(client)
    search_with_generated(client)
    for method, path in (("GET", "/v1/server-info"), ("GET", f"/v1/scopes/{SCOPE}")):
        client.generated.get_httpx_client().request(method, path)
    header = f"Authorization: Bearer {TOKEN}".encode().lower()
    for request in server.requests:
        assert [value for name, value in request.headers if name == "authorization"] == [
            f"Bearer {TOKEN}"
        ]
        assert request.raw.lower().count(header) == 1
        assert request.raw.count(TOKEN.encode()) == 1
        assert request.header("host") == f"127.0.0.1:{server.port}"


def test_a_caller_cannot_replace_the_credential_or_the_host(serve: Serve, connect: Connect) -> None:
    server = serve()
    http = connect(server.base_url).generated.get_httpx_client()
    http.get(
        "/v1/server-info",
        headers={"Authorization": "Basic eA==", "Host": "evil.example", "Cookie": "a=b"},
    )
    (request,) = server.requests
    assert request.header("authorization") == f"Bearer {TOKEN}"
    assert request.header("host") == f"127.0.0.1:{server.port}"
    assert request.header("cookie") is None
