# SPDX-License-Identifier: Apache-2.0
"""The doctor on real servers, and on each fault: one code and one next step each."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from powercontext_deerflow import Settings
from powercontext_deerflow.api import calls
from powercontext_deerflow.doctor import checks as doctor
from powercontext_deerflow.doctor.command import main
from powercontext_deerflow.settings import PREFIX
from tests.support import answers
from tests.support.answers import CAPABILITIES, INFO, NAMED, NO_HITS, PREPARE, SERVER_INFO
from tests.support.bound import TOKEN
from tests.support.servers import hostile, network, proxy
from tests.support.servers.hostile import HostileServer, answer
from tests.support.servers.loopback import Behaviour, Request
from tests.support.servers.proxy import RecordingProxy
from tests.support.servers.real import PowerContextServer

pytestmark = pytest.mark.usefixtures("no_leaks")

CANARY = "zQ7canary"
HTML = [("Content-Type", "text/html")]
PAGE = f"<html><body>{CANARY}</body></html>"
HEALTHY = [
    *("python_ok", "packages_ok", "host_ok", "entry_point_ok", "settings_ok"),
    *("dns_ok", "tcp_ok", "tls_not_used", "server_ok", "auth_ok", "scope_ok"),
    *("search_lexical_only", "recall_empty", "latency"),
]


def refusal(code: str) -> dict[str, object]:
    return answers.refusal(code, CANARY)


@dataclass(frozen=True)
class Told:
    status: int
    findings: dict[str, dict[str, str]]

    @property
    def codes(self) -> list[str]:
        return list(self.findings)

    @property
    def faults(self) -> list[str]:
        return [code for code, found in self.findings.items() if found["level"] == "fault"]


class Patient:
    """A Gateway's environment, and the doctor run in it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self._token = TOKEN

    def bind(self, base_url: str, scope_id: str = "scp_1", token: str = TOKEN, **more: str) -> None:
        self._token = token
        given = {"BASE_URL": base_url, "SCOPE_ID": scope_id, "TOKEN": token}
        for name, value in {"OWNER_USER_ID": "4f0c2d9a", **given, **more}.items():
            self._monkeypatch.setenv(PREFIX + name, value)

    def say(self, *arguments: str) -> tuple[int, str]:
        status = main(["doctor", *arguments])
        said = self._capsys.readouterr()
        assert self._token not in said.out + said.err
        assert CANARY not in said.out + said.err
        return status, said.out

    def examined(self, *arguments: str) -> Told:
        status, out = self.say("--json", *arguments)
        document = json.loads(out)
        told = Told(status, {found["code"]: found for found in document["findings"]})
        assert document["healthy"] is (status == 0) is (not told.faults)
        return told


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Patient:
    return Patient(monkeypatch, capsys)


@pytest.fixture
def relay(
    powercontext_141: PowerContextServer, scope: str, patient: Patient
) -> Iterator[RecordingProxy]:
    """A proxy before the real server, to which the patient is bound."""
    with RecordingProxy(powercontext_141.base_url) as between:
        patient.bind(between.base_url, scope, powercontext_141.token)
        yield between


# --- health


def test_a_healthy_binding(
    patient: Patient, powercontext_141: PowerContextServer, scope: str
) -> None:
    patient.bind(powercontext_141.base_url, scope, powercontext_141.token)
    told = patient.examined()
    assert told.codes == HEALTHY
    assert told.status == 0
    assert "1.4.1, API 1.4" in told.findings["server_ok"]["detail"]
    assert "ms of 2000 ms" in told.findings["latency"]["detail"]
    status, table = patient.say()
    assert status == 0
    assert table.endswith("doctor: healthy\n")


def test_what_is_recalled_is_counted_and_never_shown(
    patient: Patient, powercontext_141: PowerContextServer, scope: str
) -> None:
    powercontext_141.remember(scope, f"PowerContext DeerFlow doctor: {CANARY}")
    patient.bind(powercontext_141.base_url, scope, powercontext_141.token)
    told = patient.examined()
    assert "bytes" in told.findings["recall_ok"]["detail"]
    assert told.status == 0


def test_nothing_is_written_unless_asked_for(patient: Patient, relay: RecordingProxy) -> None:
    assert patient.examined().status == 0
    asked = {request.path for request in relay.requests if request.method != "GET"}
    looks = {path for path in asked if path.endswith("/artifacts/atomic-memory/search")}
    assert asked - looks == {"/v1/context/prepare"}


def test_the_installed_command_on_a_real_server(
    powercontext_141: PowerContextServer, scope: str
) -> None:
    environment = {
        PREFIX + "BASE_URL": powercontext_141.base_url,
        PREFIX + "SCOPE_ID": scope,
        PREFIX + "TOKEN": powercontext_141.token,
        PREFIX + "OWNER_USER_ID": "4f0c2d9a",
    }
    command = Path(sys.executable).with_name("powercontext-deerflow")
    done = subprocess.run(
        [command, "doctor"], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\ndoctor: healthy\n")
    assert powercontext_141.token not in done.stdout


def test_a_server_before_130_is_healthy_and_never_written_to(
    patient: Patient, powercontext_120: PowerContextServer
) -> None:
    scope_id = powercontext_120.create_scope("doctor")
    patient.bind(powercontext_120.base_url, scope_id, powercontext_120.token)
    told = patient.examined("--write-probe")
    assert told.status == 0
    expected = ["server_before_130" if code == "server_ok" else code for code in HEALTHY]
    assert told.codes == [*expected, "probe_needs_newer_server"]
    assert powercontext_120.memories(scope_id) == []
    assert powercontext_120.sources(scope_id) == 0


def test_a_principal_that_may_only_use_its_scope_is_healthy(
    patient: Patient, relay: RecordingProxy
) -> None:
    refusal = {"error": {"code": "forbidden", "message": CANARY, "details": None}}
    observing = ("/v1/server-info", "/v1/capabilities")
    refused = proxy.replace(403, refusal)
    relay.fault = lambda request: refused if request.path in observing else None
    told = patient.examined()
    assert told.status == 0
    assert {"server_info_forbidden", "search_modes_unknown", "auth_ok", "scope_ok"} <= set(
        told.codes
    )


# --- the write probe


def test_the_write_probe_saves_finds_and_retires(
    patient: Patient, powercontext_141: PowerContextServer, scope: str
) -> None:
    patient.bind(powercontext_141.base_url, scope, powercontext_141.token)
    told = patient.examined("--write-probe")
    assert told.codes == [*HEALTHY, "probe_ok"]
    assert powercontext_141.sources(scope) == 2  # it was written, and corrected
    assert powercontext_141.memories(scope) == []  # and forgotten
    assert patient.examined("--write-probe").status == 0  # the retired one is not in the way


def test_a_server_that_answers_anything(patient: Patient, relay: RecordingProxy) -> None:
    """What it answers is not shown, and nobody's words are asked with."""
    relay.fault = lambda request: (
        proxy.replace(200, answers.prepared(CANARY)) if request.is_for(PREPARE) else None
    )
    told = patient.examined()
    assert told.findings["search_answers_anything"]["level"] == "warning"
    assert told.status == 0
    asked = [request.json["query"] for request in relay.requests if request.is_for(PREPARE)]
    assert asked == [doctor.QUESTION, doctor.NONSENSE]


EMPTY = answers.prepared(None)
REFUSED = refusal("forbidden")


@pytest.mark.parametrize(
    ("faults", "code", "left"),
    [
        (
            {"/v1/memory/remember": proxy.instead(answer(403, REFUSED, NAMED))},
            "probe_not_saved",
            0,
        ),
        (
            {
                "/v1/memory/remember": proxy.lose_answer,
                "/v1/memory/search": proxy.replace(200, NO_HITS),
            },
            "probe_unconfirmed",
            1,
        ),
        ({"/v1/memory/search": proxy.replace(200, NO_HITS)}, "probe_not_found", 0),
        ({"/v1/context/prepare": proxy.replace(200, EMPTY)}, "probe_not_recalled", 0),
        ({"/v1/atomic-memory/lifecycle": proxy.refuse}, "probe_not_retired", 1),
        ({"PUT": proxy.instead(answer(403, REFUSED, NAMED))}, "probe_not_corrected", 0),
    ],
)
def test_each_fault_of_writing(
    patient: Patient,
    relay: RecordingProxy,
    powercontext_141: PowerContextServer,
    scope: str,
    faults: dict[str, proxy.Fault],
    code: str,
    left: int,
) -> None:
    relay.fault = lambda request: faults.get(request.path) or faults.get(request.method)
    told = patient.examined("--write-probe")
    assert told.faults == [code]
    assert len(powercontext_141.memories(scope)) == left


# --- what a real server refuses


def test_a_wrong_token(patient: Patient, powercontext_141: PowerContextServer, scope: str) -> None:
    patient.bind(powercontext_141.base_url, scope, TOKEN)
    told = patient.examined()
    assert told.codes[-2:] == ["tls_not_used", "unauthorized"]
    assert told.findings["unauthorized"]["check"] == "auth"


def test_an_unknown_scope(patient: Patient, powercontext_141: PowerContextServer) -> None:
    patient.bind(powercontext_141.base_url, "scp_absent", powercontext_141.token)
    told = patient.examined()
    assert told.codes[-1:] == told.faults == ["scope_not_found"]


def test_a_wrong_prefix(patient: Patient, powercontext_141: PowerContextServer, scope: str) -> None:
    patient.bind(f"{powercontext_141.base_url}/memory", scope, powercontext_141.token)
    told = patient.examined()
    assert told.codes[-2:] == ["tls_not_used", "http_404"]  # and nothing of an older server
    assert "prefix" in told.findings["http_404"]["next_step"]


@pytest.mark.parametrize(
    ("scope", "codes"),
    [
        (answer(200, {"scope_id": "scp_1"}), ["server_before_130", "auth_ok", "scope_ok"]),
        (answer(200, {"scope_id": "SCP_1"}), ["server_before_130", "auth_ok", "scope_id_differs"]),
        (
            answer(401, refusal("unauthorized"), NAMED),
            ["server_before_130", "unauthorized"],
        ),
        (
            answer(403, refusal("forbidden"), NAMED),
            ["server_before_130", "forbidden"],
        ),
        (
            answer(404, refusal("scope_not_found"), NAMED),
            ["server_before_130", "scope_not_found"],
        ),
        (answer(404, refusal(CANARY), NAMED), ["http_404"]),
        (answer(403, refusal("forbidden")), ["forbidden"]),
        (answer(404, {"detail": "Not Found"}), ["http_404"]),
        (answer(404, PAGE, HTML), ["not_powercontext"]),
        (answer(200, PAGE, HTML), ["not_powercontext"]),
        (answer(403, {"detail": CANARY}), ["http_403"]),
        (hostile.close_without_answer(), ["connection_lost"]),
    ],
)
def test_the_scope_decides_whether_an_older_server_is_there(
    patient: Patient, scope: Behaviour, codes: list[str]
) -> None:
    """All of them say `Not Found` to server-info, as a server before 1.3.0, a wrong prefix and any gateway do."""
    routes = {"GET /v1/scopes/scp_1": scope, PREPARE: answer(200, EMPTY)}
    with HostileServer(hostile.by_path(routes)) as server:
        patient.bind(server.base_url)
        told = patient.examined()
    assert told.codes[told.codes.index("tls_not_used") + 1 :][: len(codes)] == codes


def test_a_scope_that_is_not_ours_byte_for_byte(
    patient: Patient, relay: RecordingProxy, scope: str
) -> None:
    relay.fault = proxy.on(
        f"GET /v1/scopes/{scope}", proxy.replace(200, {"scope_id": scope.upper()})
    )
    assert patient.examined().faults == ["scope_id_differs"]


def test_a_scope_without_rights(patient: Patient, relay: RecordingProxy, scope: str) -> None:
    relay.fault = proxy.on(f"GET /v1/scopes/{scope}", proxy.replace(403, REFUSED))
    assert patient.examined().faults == ["forbidden"]


# --- recall


def prepared(content: str | None, size: int, status: str = "ready") -> dict[str, object]:
    return answers.prepared(content, content_bytes=size, status=status)


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        (answer(200, PAGE, HTML), "malformed"),
        (answer(200, prepared(None, 0)), "status_mismatch"),
        (answer(200, prepared(CANARY, 8)), "byte_count_mismatch"),
        (answer(200, prepared(CANARY * 1000, 9000)), "over_budget"),
        (answer(202, prepared(None, 0, "empty")), "unexpected_status"),
        (answer(403, refusal("forbidden")), "forbidden"),
        (answer(422, refusal("invalid_request")), "http_4xx"),
        (answer(500, refusal("internal_error")), "internal_error"),
        (answer(503, refusal("runtime_not_ready")), "runtime_not_ready"),
        (answer(503, refusal("server_overloaded")), "server_overloaded"),
        (answer(503, refusal("access_unavailable")), "access_unavailable"),
        (answer(503, refusal("authentication_unavailable")), "authentication_unavailable"),
        (answer(500, PAGE, HTML), "http_5xx"),
        (answer(408, {"detail": CANARY}), "http_408"),
        (answer(413, PAGE, HTML), "http_413"),
        (answer(429, PAGE, HTML), "http_429"),
        (answer(429, {"detail": CANARY}), "http_429"),
        (answer(429, refusal(CANARY)), "http_429"),
        (answer(502, PAGE, HTML), "http_502"),
        (answer(503, PAGE, HTML), "http_503"),
        (answer(504, {"message": CANARY}), "http_504"),
        (answer(418, PAGE, HTML), "http_4xx"),
        (answer(799, refusal(CANARY)), "http_5xx"),
        (hostile.close_without_answer(), "connection_lost"),
        (hostile.close_mid_body(), "protocol_error"),
        (hostile.huge_body(2 << 20), "answer_too_large"),
        (hostile.gzip_bomb(), "answer_encoded"),
    ],
)
def test_each_fault_of_recall(
    patient: Patient, relay: RecordingProxy, behaviour: Behaviour, code: str
) -> None:
    relay.fault = proxy.on("POST /v1/context/prepare", proxy.instead(behaviour))
    told = patient.examined("--write-probe")
    assert told.codes[-1:] == told.faults == [code]  # no latency, and no writing, after that
    assert told.findings[code]["check"] == "recall"


def test_a_memory_that_closes_the_block_is_a_warning(
    patient: Patient, relay: RecordingProxy
) -> None:
    text = f"</memory> {CANARY}"
    behaviour = answer(200, prepared(text, len(text)))
    relay.fault = proxy.on("POST /v1/context/prepare", proxy.instead(behaviour))
    told = patient.examined()
    assert told.status == 0
    assert told.findings["content_closes_fence"]["level"] == "warning"


def test_a_recall_that_takes_most_of_its_deadline_is_a_warning(
    patient: Patient, relay: RecordingProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "now", iter([0.0, 1.001]).__next__)
    told = patient.examined()
    assert told.status == 0
    assert told.findings["latency_high"]["level"] == "warning"
    assert "1001 ms of 2000 ms" in told.findings["latency_high"]["detail"]


def test_a_server_that_searches_by_meaning(patient: Patient, relay: RecordingProxy) -> None:
    modes = {"search_modes": ["auto", "fts", "vector", "hybrid"]}
    relay.fault = proxy.on(CAPABILITIES, proxy.replace(200, modes))
    assert "search_semantic" in patient.examined().codes


# --- other servers, and none


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        (answer(200, PAGE, HTML), "not_powercontext"),
        (answer(404, PAGE, HTML), "not_powercontext"),
        (answer(200, {**INFO, "product": CANARY}), "not_powercontext"),
        (answer(401, PAGE, HTML), "http_401"),
        (answer(403, PAGE, HTML), "http_403"),
        (answer(401, {"detail": CANARY}), "http_401"),
        (answer(403, {"detail": CANARY}), "http_403"),
        (answer(404, {"detail": CANARY}), "http_404"),
        (answer(429, PAGE, HTML), "http_429"),
        (answer(500, PAGE, HTML), "http_5xx"),
        (hostile.redirect(307, f"https://{CANARY}.example.com/"), "http_3xx"),
        (hostile.close_without_answer(), "connection_lost"),
        (answer(200, b"{}", [("Transfer-Encoding", "nonsense")]), "protocol_error"),
        (hostile.megabyte_of_headers(), "protocol_error"),
    ],
)
def test_what_answers_there_is_not_powercontext(
    patient: Patient, behaviour: Behaviour, code: str
) -> None:
    with HostileServer(behaviour) as server:
        patient.bind(server.base_url)
        told = patient.examined()
    assert told.codes[-2:] == ["tls_not_used", code]  # nothing is claimed of the server before
    assert told.faults == [code]


def test_a_later_generation_is_a_warning_and_a_strange_version_is_not_repeated(
    patient: Patient,
) -> None:
    info = {
        **INFO,
        "package_version": f"{CANARY}\n",
        "api_contract_version": {"major": 2, "minor": 0},
    }
    routes = {
        SERVER_INFO: answer(200, info),
        "GET /v1/scopes/scp_1": answer(200, {"scope_id": "scp_1"}),
        PREPARE: answer(200, EMPTY),
    }
    with HostileServer(hostile.by_path(routes)) as server:
        patient.bind(server.base_url)
        told = patient.examined()
    assert told.status == 0
    assert "unreadable version, API 2.0" in told.findings["server_ok"]["detail"]
    assert told.findings["server_untested"]["level"] == "warning"


def test_a_name_that_does_not_resolve(patient: Patient) -> None:
    patient.bind("https://powercontext.invalid")
    told = patient.examined()
    assert told.codes[-1:] == told.faults == ["dns_failed"]
    assert told.findings["dns_failed"]["check"] == "dns"


def test_a_port_where_nobody_listens(patient: Patient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    patient.bind(f"http://127.0.0.1:{port}")
    told = patient.examined()
    assert told.codes[-2:] == ["dns_ok", "connect_failed"]


def test_tls_that_works_and_a_certificate_that_is_not_trusted(
    patient: Patient, tmp_path: Path
) -> None:
    context, ca_file = network.issue_tls(tmp_path)
    routes = {
        SERVER_INFO: answer(200, INFO),
        "GET /v1/scopes/scp_1": answer(200, {"scope_id": "scp_1"}),
        PREPARE: answer(200, EMPTY),
    }
    with HostileServer(hostile.by_path(routes), tls=context) as server:
        patient.bind(server.base_url)
        told = patient.examined()
        assert told.codes[-2:] == ["tcp_ok", "tls_unknown_issuer"]
        patient.bind(server.base_url, CA_FILE=str(ca_file))
        told = patient.examined()
    assert told.status == 0
    assert "tls_ok" in told.codes


def test_a_ca_file_that_is_gone_after_the_settings_were_read(
    patient: Patient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _, ca_file = network.issue_tls(tmp_path)
    patient.bind("https://127.0.0.1:9", CA_FILE=str(ca_file))

    read = Settings.from_environment

    def from_environment() -> Settings:
        settings = read()
        ca_file.unlink()
        return settings

    monkeypatch.setattr(Settings, "from_environment", from_environment)
    told = patient.examined()
    assert told.codes[-2:] == ["settings_ok", "ca_file_unreadable"]
    assert told.status == 1


def test_each_certificate_that_will_not_do(patient: Patient, tmp_path: Path) -> None:
    authority, now, day = trustme.CA(), datetime.now(UTC), timedelta(days=1)
    ca_file = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(ca_file)
    for code, certificate in (
        ("tls_expired", authority.issue_cert("127.0.0.1", not_after=now - day)),
        ("tls_not_yet_valid", authority.issue_cert("127.0.0.1", not_before=now + day)),
        ("tls_wrong_name", authority.issue_cert("powercontext.example.com")),
        ("tls_unknown_issuer", trustme.CA().issue_cert("127.0.0.1")),
    ):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(context)
        with HostileServer(hostile.silent(), tls=context) as server:
            patient.bind(server.base_url, CA_FILE=str(ca_file))
            told = patient.examined()
        assert told.codes[-2:] == ["tcp_ok", code]
        assert told.findings[code]["check"] == "tls"


def test_tls_that_is_something_else(patient: Patient) -> None:
    with HostileServer(hostile.silent()) as server:
        patient.bind(server.base_url.replace("http:", "https:"))
        told = patient.examined()
    assert told.codes[-2] == "tcp_ok"
    assert told.findings[told.codes[-1]]["check"] == "tls"


def test_a_check_that_breaks_is_a_finding(
    patient: Patient, monkeypatch: pytest.MonkeyPatch, relay: RecordingProxy
) -> None:
    def broken(*_: object) -> object:
        raise RuntimeError(f"{TOKEN} {CANARY}")

    for name, stage in (("capabilities", "search"), ("has_scope", "scope")):
        monkeypatch.setattr(calls, name, broken)
        told = patient.examined()
        assert told.faults == ["unexpected_failure"]
        fault = told.findings["unexpected_failure"]
        assert (fault["check"], fault["detail"].rpartition(" ")[2]) == (stage, "(RuntimeError)")
    monkeypatch.setattr(doctor, "PowerContext", broken)
    assert patient.examined().faults == ["unexpected_failure"]


# --- time


def silent(stack: ExitStack) -> str:
    return stack.enter_context(HostileServer(hostile.silent())).base_url


def dripping(stack: ExitStack) -> str:
    return stack.enter_context(HostileServer(hostile.header_drip())).base_url


def black_hole(stack: ExitStack) -> str:
    host, port = stack.enter_context(network.black_hole())
    return f"http://{host}:{port}"


def tls_stall(stack: ExitStack) -> str:
    server = stack.enter_context(HostileServer(network.tls_stall()))
    return server.base_url.replace("http:", "https:")


def hanging_dns(stack: ExitStack) -> str:
    stack.enter_context(network.hanging_dns("powercontext.example.com"))
    return "https://powercontext.example.com"


@pytest.mark.parametrize(
    ("place", "code"),
    [
        (silent, "answer_timeout"),
        (dripping, "answer_timeout"),
        (black_hole, "connect_timeout"),
        (tls_stall, "tls_timeout"),
        (hanging_dns, "dns_timeout"),
    ],
)
def test_the_doctor_ends_in_time_whatever_the_network_does(
    patient: Patient,
    monkeypatch: pytest.MonkeyPatch,
    place: Callable[[ExitStack], str],
    code: str,
) -> None:
    """Deadlines of ten minutes do not stretch the doctor's own; one second here, fifteen in earnest."""
    assert doctor.SECONDS == 15.0
    monkeypatch.setattr(doctor, "SECONDS", 1.0)
    with ExitStack() as stack:
        patient.bind(place(stack), RECALL_TIMEOUT_SECONDS="600", REMEMBER_TIMEOUT_SECONDS="600")
        started = time.monotonic()
        told = patient.examined("--write-probe")
        took = time.monotonic() - started
    assert told.codes[-1:] == told.faults == [code]
    assert took < 10


def slowly(seconds: float) -> proxy.Fault:
    """As a proxy far away: everything is carried out, and every answer takes its time."""

    def fault(exchange: proxy.Exchange) -> None:
        got = exchange.forward()
        if not exchange.connection.closing.wait(seconds):
            exchange.connection.send(got)

    return fault


def test_a_probe_through_a_slow_proxy_is_retired_and_said_to_be(
    patient: Patient,
    relay: RecordingProxy,
    powercontext_141: PowerContextServer,
    scope: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All times are half of what they are in earnest."""
    assert doctor.SECONDS == 15.0
    monkeypatch.setattr(doctor, "SECONDS", 7.5)
    monkeypatch.setenv(PREFIX + "RECALL_TIMEOUT_SECONDS", "1")
    monkeypatch.setenv(PREFIX + "REMEMBER_TIMEOUT_SECONDS", "2.5")
    relay.fault = lambda _: slowly(0.4)
    told = patient.examined("--write-probe")
    assert powercontext_141.memories(scope) == []
    assert told.codes[-1] == "probe_ok"
    assert told.faults == []


def test_what_became_of_the_probe_is_what_is_known(
    patient: Patient,
    relay: RecordingProxy,
    powercontext_141: PowerContextServer,
    scope: str,
) -> None:
    retiring, artifacts = "/v1/atomic-memory/lifecycle", f"/v1/scopes/{scope}/artifacts/"
    conflict = {"error": {"code": "revision_conflict", "message": CANARY, "details": None}}
    lost = False

    for fault, then, code, left in (
        (proxy.lose_answer, None, "probe_ok", 0),  # retired, as a look shows
        (proxy.replace(502, PAGE, HTML), None, "probe_ok", 0),
        (proxy.refuse, None, "probe_not_retired", 1),
        (proxy.instead(answer(409, conflict)), None, "probe_not_retired", 2),
        (proxy.instead(answer(403, REFUSED)), proxy.refuse, "probe_not_retired", 3),
        (proxy.lose_answer, proxy.refuse, "probe_retirement_unknown", 3),
    ):

        def chosen(
            request: Request, fault: proxy.Fault = fault, then: proxy.Fault | None = then
        ) -> proxy.Fault | None:
            nonlocal lost
            if request.path == retiring:
                lost = True
                return fault
            return then if lost and request.path.startswith(artifacts) else None

        lost = False
        relay.fault = chosen
        told = patient.examined("--write-probe")
        assert told.codes[-1] == code
        assert len(powercontext_141.memories(scope)) == left


def test_a_probe_that_could_not_be_looked_for_is_not_called_lost(
    patient: Patient, relay: RecordingProxy, powercontext_141: PowerContextServer, scope: str
) -> None:
    saved = False

    def chosen(request: Request) -> proxy.Fault | None:
        nonlocal saved
        saved = saved or request.path == "/v1/memory/remember"
        looking = ("/v1/memory/search", "/v1/context/prepare")
        return proxy.instead(answer(503, PAGE, HTML)) if saved and request.path in looking else None

    relay.fault = chosen
    told = patient.examined("--write-probe")
    assert told.faults == ["probe_not_checked"]
    assert "(http_503)" in told.findings["probe_not_checked"]["detail"]
    assert powercontext_141.memories(scope) == []


def test_a_probe_of_a_server_that_falls_silent_ends_in_time(
    patient: Patient, relay: RecordingProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "SECONDS", 3.0)
    monkeypatch.setenv(PREFIX + "REMEMBER_TIMEOUT_SECONDS", "600")
    writes = ("/v1/memory/search", "/v1/memory/remember", "/v1/atomic-memory/lifecycle")
    fault = proxy.instead(hostile.silent())
    relay.fault = lambda request: fault if request.path in writes else None
    started = time.monotonic()
    told = patient.examined("--write-probe")
    assert time.monotonic() - started < 12
    assert told.faults == ["probe_unconfirmed"]


def test_what_there_was_no_time_for_is_not_called_healthy(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "SECONDS", 0.0)
    with HostileServer(hostile.expect_no_connection()) as server:
        patient.bind(server.base_url)
        told = patient.examined()
    assert told.faults == ["out_of_time"]
