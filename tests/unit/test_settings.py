# SPDX-License-Identifier: Apache-2.0
"""Each unusable setting has its own error: it names the variable and the fix, never the value (RFC 5)."""

from __future__ import annotations

import copy
import dataclasses
import logging
import pickle
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import trustme
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from powercontext_deerflow.errors import ConfigurationError, InputError
from powercontext_deerflow.settings import PREFIX, Secret, Settings

CANARY = "zQ7canary"
TOKEN = "pct_zQ7secretzQ7"
VALID = {
    "BASE_URL": "https://memory.example.com",
    "OWNER_USER_ID": "4f0c2d9a",
    "SCOPE_ID": "scp_4ptadma9x1xgs873q4phqh4dnd",
    "TOKEN": TOKEN,
}


def environ(**changes: str | None) -> dict[str, str]:
    """A valid environment with ``changes``; None takes a variable away."""
    merged = {**VALID, **changes}
    return {PREFIX + name: value for name, value in merged.items() if value is not None}


def refused(given_environ: dict[str, str]) -> ConfigurationError:
    with pytest.raises(ConfigurationError) as raised:
        Settings.from_environment(given_environ)
    return raised.value


def everything_said(error: BaseException) -> str:
    """All that a log line or a debugger of exceptions can show of ``error`` and of what it came from."""
    said, pending, seen = [], [error], set()
    while pending:
        one = pending.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        said += [repr(one), str(one), repr(one.args), repr(getattr(one, "__dict__", ""))]
        pending += [other for other in (one.__cause__, one.__context__) if other is not None]
    said += traceback.format_exception(error)
    return "\n".join(said)


def only_problem(error: ConfigurationError, name: str) -> str:
    """The code of the one problem, which must name its variable and say what to do."""
    (problem,) = error.problems
    assert problem.setting == name
    assert error.code == problem.code
    assert name in str(error)
    assert len(problem.advice) >= 8
    assert problem.advice in str(error)
    return problem.code


# --- what is accepted ---------------------------------------------------------------------------------------------


def test_the_least_that_is_needed() -> None:
    settings = Settings.from_environment(environ())
    assert settings.base_url == "https://memory.example.com"
    assert settings.owner_user_id == "4f0c2d9a"
    assert settings.scope_id == "scp_4ptadma9x1xgs873q4phqh4dnd"
    assert settings.token.reveal() == TOKEN
    assert settings.max_bytes == 8000
    assert settings.recall_timeout_seconds == 2.0
    assert settings.remember_timeout_seconds == 5.0
    assert settings.ca_file is None
    assert settings.recall_focus is True
    assert settings.warnings == ()


def test_everything_set() -> None:
    settings = Settings.from_environment(
        environ(MAX_BYTES="700", RECALL_TIMEOUT_SECONDS="0.5", REMEMBER_TIMEOUT_SECONDS="7")
    )
    assert settings.max_bytes == 700
    assert settings.recall_timeout_seconds == 0.5
    assert settings.remember_timeout_seconds == 7.0
    assert type(settings.remember_timeout_seconds) is float


def test_other_variables_are_none_of_ours() -> None:
    assert Settings.from_environment({**environ(), "POWERCONTEXT_TOKEN": " ", "HOME": ""})


def test_the_environment_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environ(SCOPE_ID="scp_of_this_process").items():
        monkeypatch.setenv(name, value)
    assert Settings.from_environment().scope_id == "scp_of_this_process"
    monkeypatch.setenv(PREFIX + "MAX_BYTES", "512")
    assert Settings.from_environment().max_bytes == 512
    monkeypatch.delenv(PREFIX + "TOKEN")
    with pytest.raises(ConfigurationError) as raised:
        Settings.from_environment()
    assert only_problem(raised.value, PREFIX + "TOKEN") == "missing"


def test_what_is_no_environment_is_refused() -> None:
    for wrong in (5, "x", [PREFIX + "TOKEN"], {PREFIX + "TOKEN"}, object(), True):
        with pytest.raises(InputError) as raised:
            Settings.from_environment(wrong)  # type: ignore[arg-type]
        assert raised.value.field == "environ"
    mixed: dict[str, object] = {**environ(), "ENVIRONMENT": 5, "DEER_FLOW_AUTH_DISABLED": 1}
    assert Settings.from_environment(mixed)  # type: ignore[arg-type]


def test_an_empty_mapping_is_not_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environ().items():
        monkeypatch.setenv(name, value)
    assert {problem.code for problem in refused({}).problems} == {"missing"}


@pytest.mark.parametrize(
    ("given_url", "kept"),
    [
        ("https://memory.example.com", "https://memory.example.com"),
        ("https://memory.example.com/", "https://memory.example.com"),
        ("https://memory.example.com//", "https://memory.example.com"),
        ("https://memory.example.com:8443/team/a-b_c.d~e/", None),
        ("https://10.0.0.1:8765", "https://10.0.0.1:8765"),
        ("https://[2001:db8::1]:8765", "https://[2001:db8::1]:8765"),
        ("https://memory:65535", "https://memory:65535"),
        ("http://localhost", "http://localhost"),
        ("http://LocalHost:8765", "http://LocalHost:8765"),
        ("http://127.0.0.1:8765", "http://127.0.0.1:8765"),
        ("http://127.255.255.254", "http://127.255.255.254"),
        ("http://[::1]", "http://[::1]"),
        ("http://[::1]:8765/prefix", "http://[::1]:8765/prefix"),
        ("http://[0:0:0:0:0:0:0:1]:8765", "http://[0:0:0:0:0:0:0:1]:8765"),
    ],
)
def test_base_urls(given_url: str, kept: str | None) -> None:
    settings = Settings.from_environment(environ(BASE_URL=given_url))
    assert settings.base_url == (kept or given_url.rstrip("/"))


@pytest.mark.parametrize(
    "scope", ["Alpha", "alpha", "default", "s", "a b", "Zo\u00eb", "Zoe\u0308", "界" * 256]
)
def test_a_scope_is_kept_byte_for_byte(scope: str) -> None:
    """Facts: failure-classes B12, a store that folds case leaks one Scope into another."""
    assert Settings.from_environment(environ(SCOPE_ID=scope)).scope_id == scope


@pytest.mark.parametrize(("text", "number"), [("512", 512), ("32768", 32768), ("8000", 8000)])
def test_budgets(text: str, number: int) -> None:
    assert Settings.from_environment(environ(MAX_BYTES=text)).max_bytes == number


@pytest.mark.parametrize("text", ["0.001", "1", "1.5", "1e1", ".5"])
def test_timeouts(text: str) -> None:
    for name in ("RECALL_TIMEOUT_SECONDS", "REMEMBER_TIMEOUT_SECONDS"):
        settings = Settings.from_environment(environ(**{name: text}))
        assert getattr(settings, name.lower()) == float(text)


@pytest.mark.parametrize("token", ["t", "pct_abc-DEF.123~+/=", "!\"#$%&'()*,:;<>?@[\\]^`{|}"])
def test_tokens(token: str) -> None:
    assert Settings.from_environment(environ(TOKEN=token)).token.reveal() == token


# --- what is refused ----------------------------------------------------------------------------------------------

BLANK = {"empty": "", "space": " ", "newline": "\n", "ideographic": "\u3000"}
PADDED = {
    "before": " {}",
    "after": "{} ",
    "newline": "{}\n",
    "tab": "\t{}",
    "no-break": "{}\u00a0",
}
CONTROL = {
    "nul": "{}\x00x",
    "newline-inside": "{}\nx",
    "escape": "\x1b{}",
    "delete": "{}\x7f",
    "next-line-inside": "{}\x85x",
    "zero-width": "{}\u200bx",
    "bidi": "\u202e{}",
    "lone-surrogate": "{}\udc80",  # what os.environ makes of a byte that is not UTF-8
}
ALL = [PREFIX + field.name.upper() for field in dataclasses.fields(Settings)]
TEXTS = [*VALID, "CA_FILE"]


@pytest.mark.parametrize("name", VALID)
def test_missing(name: str) -> None:
    assert only_problem(refused(environ(**{name: None})), PREFIX + name) == "missing"


@pytest.mark.parametrize("value", BLANK.values(), ids=BLANK)
@pytest.mark.parametrize("name", TEXTS)
def test_blank(name: str, value: str) -> None:
    assert only_problem(refused(environ(**{name: value})), PREFIX + name) == "blank"


@pytest.mark.parametrize("pattern", PADDED.values(), ids=PADDED)
@pytest.mark.parametrize("name", TEXTS)
def test_padded(name: str, pattern: str) -> None:
    error = refused(environ(**{name: pattern.format(VALID.get(name, "file") + CANARY)}))
    assert only_problem(error, PREFIX + name) == "padded"
    assert CANARY not in everything_said(error)


@pytest.mark.parametrize("pattern", CONTROL.values(), ids=CONTROL)
@pytest.mark.parametrize("name", TEXTS)
def test_control_characters(name: str, pattern: str) -> None:
    error = refused(environ(**{name: pattern.format(VALID.get(name, "file") + CANARY)}))
    assert only_problem(error, PREFIX + name) == "control_characters"
    assert CANARY not in everything_said(error)


@pytest.mark.parametrize(
    "value",
    [
        "default",
        "Default",
        "DEFAULT",
        "dEfAuLt",
        "\uff44\uff45\uff46\uff41\uff55\uff4c\uff54",
        "\uff24efault",
        "\U0001d41default",
    ],
)
def test_an_owner_that_is_nobody(value: str) -> None:
    error = refused(environ(OWNER_USER_ID=value))
    assert only_problem(error, PREFIX + "OWNER_USER_ID") == "owner_is_fallback"


NO_BUDGET = {
    "out_of_range": ["511", "32769", "0", "-8000", "9" * 400, "-" + "9" * 400],
    "not_a_number": [
        *["9" * 5000, "8000.0", "8e3", "8_000", "8,000", "0x1f40", "nan", "true", f"8{CANARY}"],
        *["", " 8000", "8000\n", "8000\x00", "８０００", "\u0668\u0660\u0660\u0660"],
    ],
}
NO_TIMEOUT = {
    "not_positive": [
        *["0", "0.0", "-0", "-1", "-0.001", "1e-999", "nan", "NaN", "-nan"],
        *["inf", "-inf", "Infinity", "1e999", "9" * 1000],
    ],
    "not_a_number": [
        *["", " 2", "2\n", "2s", "2,5", "1_0", "two", "0x2", "true", "２", "\u0662.\u0665"],
        *["9" * 5000, f"2{CANARY}"],
    ],
}


def short(value: str) -> str:
    return repr(value)[:30]


def flat(table: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    return [(value, code) for code, values in table.items() for value in values]


@pytest.mark.parametrize(("value", "code"), flat(NO_BUDGET), ids=short)
def test_budgets_that_are_none(value: str, code: str) -> None:
    error = refused(environ(MAX_BYTES=value))
    assert only_problem(error, PREFIX + "MAX_BYTES") == code
    assert CANARY not in everything_said(error)


@pytest.mark.parametrize(("value", "code"), flat(NO_TIMEOUT), ids=short)
@pytest.mark.parametrize("name", ["RECALL_TIMEOUT_SECONDS", "REMEMBER_TIMEOUT_SECONDS"])
def test_timeouts_that_are_none(name: str, value: str, code: str) -> None:
    error = refused(environ(**{name: value}))
    assert only_problem(error, PREFIX + name) == code
    assert CANARY not in everything_said(error)


@pytest.mark.parametrize("value", ["1e10", "1e300"])
@pytest.mark.parametrize("name", ["RECALL_TIMEOUT_SECONDS", "REMEMBER_TIMEOUT_SECONDS"])
def test_timeouts_that_no_socket_can_keep(name: str, value: str) -> None:
    """``settimeout`` and ``wait_for`` raise OverflowError for these, at the first request instead of at the start."""
    with socket.socket() as probe, pytest.raises(OverflowError):
        probe.settimeout(float(value))
    only_problem(refused(environ(**{name: value})), PREFIX + name)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        # plain http to a host that is not loopback, or only looks like it
        (f"http://{CANARY}.example.com", "insecure_transport"),
        ("http://memory", "insecure_transport"),
        (f"http://127.0.0.1.{CANARY}.com", "insecure_transport"),
        (f"http://localhost.{CANARY}.com", "insecure_transport"),
        (f"http://{CANARY}.localhost.com", "insecure_transport"),
        ("http://localhost.localdomain", "insecure_transport"),
        (f"http://{CANARY}-localhost", "insecure_transport"),
        ("http://0.0.0.0:8765", "insecure_transport"),
        ("http://10.0.0.1", "insecure_transport"),
        ("http://192.168.1.1:8765", "insecure_transport"),
        ("http://169.254.169.254", "insecure_transport"),
        ("http://128.0.0.1", "insecure_transport"),
        ("http://126.255.255.255", "insecure_transport"),
        ("http://[::]:8765", "insecure_transport"),
        ("http://[::2]", "insecure_transport"),
        ("http://[fe80::1]", "insecure_transport"),
        ("http://[2001:db8::1]", "insecure_transport"),
        ("http://[::ffff:10.0.0.1]", "insecure_transport"),
        ("http://127.1", "insecure_transport"),
        ("http://2130706433", "insecure_transport"),
        ("http://0x7f000001", "insecure_transport"),
        ("http://0177.0.0.1", "insecure_transport"),
        ("http://127.0.0.1.", "insecure_transport"),
        # a user part
        (f"https://{CANARY}@memory.example.com", "url_with_credentials"),
        (f"https://{CANARY}:{CANARY}@memory.example.com", "url_with_credentials"),
        (f"https://:{CANARY}@memory.example.com", "url_with_credentials"),
        ("https://@memory.example.com", "url_with_credentials"),
        (f"http://localhost@{CANARY}.com", "url_with_credentials"),
        (f"http://127.0.0.1:80@{CANARY}.com", "url_with_credentials"),
        (f"http://127.0.0.1\\@{CANARY}.com", "url_with_credentials"),
        (f"http://user:{CANARY}@localhost", "url_with_credentials"),
        # a query or a fragment
        (f"https://memory.example.com?token={CANARY}", "url_with_query"),
        (f"https://memory.example.com/a?{CANARY}", "url_with_query"),
        ("https://memory.example.com/?", "url_with_query"),
        (f"https://memory.example.com/#{CANARY}", "url_with_query"),
        ("https://memory.example.com#", "url_with_query"),
        (f"http://{CANARY}.com#@localhost", "url_with_query"),
        (f"http://{CANARY}.com?@localhost", "url_with_query"),
        # a bad port
        ("https://memory.example.com:", "not_a_url"),
        ("https://memory.example.com:0", "not_a_url"),
        ("https://memory.example.com:65536", "not_a_url"),
        ("https://memory.example.com:-1", "not_a_url"),
        ("https://memory.example.com:80:80", "not_a_url"),
        (f"https://memory.example.com:{CANARY}", "not_a_url"),
        ("https://memory.example.com:" + "9" * 5000, "not_a_url"),
        ("https://memory.example.com:\uff18\uff10", "not_a_url"),
        ("https://memory.example.com:\u0668\u0660", "not_a_url"),
        ("https://memory.example.com:80 80", "not_a_url"),
        # other tricks with hosts and paths
        (f"https://memory.example.com\\{CANARY}", "not_a_url"),
        (f"http://localhost\\.{CANARY}.com", "not_a_url"),
        (f"http://localhost%2e{CANARY}.com", "not_a_url"),
        (f"http://localhost%00.{CANARY}.com", "not_a_url"),
        (f"http://localhost,{CANARY}.com", "not_a_url"),
        (f"http://localhost;{CANARY}", "not_a_url"),
        ("http://\u24dbocalhost", "not_a_url"),
        ("http://127\u30020\u30020\u30021", "not_a_url"),
        ("http://\uff11\uff12\uff17.0.0.1", "not_a_url"),
        (f"https://{CANARY}\u2100.com", "not_a_url"),  # its NFKC holds a slash: urlsplit quotes it
        ("https://b\u00fccher.example", "not_a_url"),
        ("http://[::1", "not_a_url"),
        ("http://::1", "not_a_url"),
        ("http://[::1]x", "not_a_url"),
        ("http://[::1%25lo]", "not_a_url"),
        ("http://[127.0.0.1]", "not_a_url"),
        (f"http://[{CANARY}]", "not_a_url"),
        ("https://", "not_a_url"),
        ("https:///path", "not_a_url"),
        ("https://:443", "not_a_url"),
        ("https:memory.example.com", "not_a_url"),
        ("//memory.example.com", "not_a_url"),
        ("memory.example.com", "not_a_url"),
        ("localhost:8765", "not_a_url"),
        (f"ftp://{CANARY}.com", "not_a_url"),
        (f"file:///{CANARY}", "not_a_url"),
        ("unix:///run/socket", "not_a_url"),
        (f"javascript:{CANARY}", "not_a_url"),
        ("https://memory .example.com", "not_a_url"),
        (f"https://memory.example.com/{CANARY} x", "not_a_url"),
        ("https://memory.example.com/%2e%2e", "not_a_url"),
        ("https://memory.example.com//prefix", "not_a_url"),
        (f"https://memory.example.com https://{CANARY}.com", "not_a_url"),
    ],
    ids=short,
)
def test_base_urls_that_are_refused(value: str, code: str) -> None:
    error = refused(environ(BASE_URL=value))
    assert only_problem(error, PREFIX + "BASE_URL") == code
    assert CANARY not in everything_said(error)
    assert code != "not_a_url" or value == "https://" or value not in str(error)


@pytest.mark.parametrize(("value", "focus"), [("on", True), ("off", False)])
def test_recall_focus(value: str, focus: bool) -> None:
    assert Settings.from_environment(environ(RECALL_FOCUS=value)).recall_focus is focus


@pytest.mark.parametrize(
    "value", ["", " ", "On", "OFF", "off ", "true", "false", "1", "0", "no", "\uff4f\uff4e", CANARY]
)
def test_recall_focus_that_is_neither(value: str) -> None:
    error = refused(environ(RECALL_FOCUS=value))
    assert only_problem(error, PREFIX + "RECALL_FOCUS") == "not_on_or_off"
    assert CANARY not in everything_said(error)


def test_a_scope_that_is_too_long() -> None:
    error = refused(environ(SCOPE_ID=CANARY.ljust(257, "x")))
    assert only_problem(error, PREFIX + "SCOPE_ID") == "too_long"
    assert CANARY not in everything_said(error)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("Bearer {}", "token_with_scheme"),
        ("bearer {}", "token_with_scheme"),
        ("BEARER  {}", "token_with_scheme"),
        ("bEaReR:{}", "token_with_scheme"),
        ("Bearer", "token_with_scheme"),
        ("{} x", "token_not_plain"),
        ("Basic {}", "token_not_plain"),
        ("Authorization: Bearer {}", "token_not_plain"),
        ("{}\u00e9", "token_not_plain"),
        ("{}界", "token_not_plain"),
        ("\uff42\uff45\uff41\uff52\uff45\uff52{}", "token_not_plain"),
        ("{}\r\nX-Evil: 1", "control_characters"),
        ("{}\tx", "control_characters"),
        ("{}\u00a0x", "control_characters"),
    ],
)
def test_tokens_that_are_refused(value: str, code: str) -> None:
    error = refused(environ(TOKEN=value.format(TOKEN)))
    assert only_problem(error, PREFIX + "TOKEN") == code
    assert TOKEN not in everything_said(error)


# --- the CA file --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def test_a_ca_file(tmp_path: Path, authority: trustme.CA) -> None:
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    assert Settings.from_environment(environ(CA_FILE=str(path))).ca_file == str(path)


def test_a_ca_bundle_with_prose_and_two_certificates(tmp_path: Path, authority: trustme.CA) -> None:
    path = tmp_path / "bundle.pem"
    second = trustme.CA().cert_pem.bytes()
    path.write_bytes(b"our roots\n" + authority.cert_pem.bytes() + b"\n# second\n" + second)
    assert Settings.from_environment(environ(CA_FILE=str(path))).ca_file == str(path)


@pytest.fixture(
    params=[
        "absent",
        "directory",
        "below-a-file",
        "endless-link",
        "name-too-long",
        "empty",
        "prose",
        "broken-pem",
        "key-only",
        "der",
    ]
)
def unusable_ca(request: pytest.FixtureRequest, tmp_path: Path, authority: trustme.CA) -> str:
    path = tmp_path / f"{CANARY}.pem"
    pem = authority.cert_pem.bytes()
    contents = {
        "empty": b"",
        "prose": b"no certificate here\n",
        "broken-pem": pem[: len(pem) // 2] + b"\n-----END CERTIFICATE-----\n",
        "key-only": authority.private_key_pem.bytes(),
        "der": b"\x30\x82\x01\x0a" + bytes(266),
    }
    match request.param:
        case "directory":
            path.mkdir()
        case "below-a-file":
            path.write_bytes(pem)
            path = path / "ca.pem"
        case "endless-link":
            path.symlink_to(path)
        case "name-too-long":
            path = tmp_path / (CANARY * 100)
        case "absent":
            pass
        case kind:
            path.write_bytes(contents[kind])
    return str(path)


def test_ca_files_that_are_none(unusable_ca: str) -> None:
    error = refused(environ(CA_FILE=unusable_ca))
    assert only_problem(error, PREFIX + "CA_FILE") == "ca_file_unreadable"
    assert CANARY not in everything_said(error)


# --- authentication of the host -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "others",
    [
        {},
        {"DEER_FLOW_ENV": ""},
        {"DEER_FLOW_ENV": "dev"},
        {"DEER_FLOW_ENV": "preproduction", "ENVIRONMENT": "staging"},
    ],
)
def test_a_host_without_authentication(others: dict[str, str]) -> None:
    error = refused({**environ(), "DEER_FLOW_AUTH_DISABLED": "1", **others})
    assert only_problem(error, "DEER_FLOW_AUTH_DISABLED") == "auth_disabled"


@pytest.mark.parametrize(
    "host",
    [
        {"DEER_FLOW_AUTH_DISABLED": "0"},
        {"DEER_FLOW_AUTH_DISABLED": ""},
        {"DEER_FLOW_AUTH_DISABLED": "1", "DEER_FLOW_ENV": "production"},
        {"DEER_FLOW_AUTH_DISABLED": "1", "DEER_FLOW_ENV": " Prod "},
        {"DEER_FLOW_AUTH_DISABLED": "1", "ENVIRONMENT": "PRODUCTION"},
        {"DEER_FLOW_AUTH_DISABLED": "1", "DEER_FLOW_ENV": "dev", "ENVIRONMENT": "prod"},
    ],
)
def test_a_host_that_ignores_or_lacks_the_switch(host: dict[str, str]) -> None:
    assert Settings.from_environment({**environ(), **host}).owner_user_id == "4f0c2d9a"


# --- all at once --------------------------------------------------------------------------------------------------


def test_every_problem_is_named_at_once() -> None:
    wrong = {
        "BASE_URL": (f"http://{CANARY}.com", "insecure_transport"),
        "OWNER_USER_ID": ("default", "owner_is_fallback"),
        "SCOPE_ID": (f" {CANARY}", "padded"),
        "TOKEN": (f"Bearer {CANARY}", "token_with_scheme"),
        "MAX_BYTES": (f"{CANARY}", "not_a_number"),
        "RECALL_TIMEOUT_SECONDS": ("0", "not_positive"),
        "REMEMBER_TIMEOUT_SECONDS": ("nan", "not_positive"),
        "CA_FILE": (f"{CANARY}/absent.pem", "ca_file_unreadable"),
    }
    given_environ = environ(**{name: value for name, (value, _) in wrong.items()})
    error = refused({**given_environ, "DEER_FLOW_AUTH_DISABLED": "1"})

    found = {problem.setting: problem.code for problem in error.problems}
    assert len(error.problems) == 9
    assert found == {PREFIX + name: code for name, (_, code) in wrong.items()} | {
        "DEER_FLOW_AUTH_DISABLED": "auth_disabled"
    }
    assert all(setting in str(error) for setting in found)
    assert CANARY not in everything_said(error)


def test_missing_and_wrong_together() -> None:
    error = refused(environ(TOKEN=None, BASE_URL=None, SCOPE_ID="", MAX_BYTES="1"))
    assert {problem.setting.removeprefix(PREFIX): problem.code for problem in error.problems} == {
        "TOKEN": "missing",
        "BASE_URL": "missing",
        "SCOPE_ID": "blank",
        "MAX_BYTES": "out_of_range",
    }


def test_a_configuration_error_survives_pickling() -> None:
    error = refused(environ(TOKEN=None, MAX_BYTES="1"))
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.code) == (ConfigurationError, str(error), error.code)
    assert again.problems == error.problems


# --- explicit values ----------------------------------------------------------------------------------------------


def explicit(**changes: object) -> Settings:
    values: dict[str, object] = {
        "base_url": "https://memory.example.com/",
        "scope_id": "scp_1",
        "token": Secret(TOKEN),
    }
    return Settings(**{**values, **changes})  # type: ignore[arg-type]


def test_explicit_values_need_no_owner() -> None:
    settings = explicit()
    assert settings.owner_user_id is None
    assert settings.base_url == "https://memory.example.com"


def test_explicit_values_pass_the_same_checks() -> None:
    with pytest.raises(ConfigurationError) as raised:
        explicit(base_url=f"http://{CANARY}.com", owner_user_id="default", max_bytes=511)
    assert [problem.code for problem in raised.value.problems] == [
        "insecure_transport",
        "owner_is_fallback",
        "out_of_range",
    ]


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("base_url", None, "not_a_string"),
        ("base_url", b"https://memory.example.com", "not_a_string"),
        ("scope_id", 7, "not_a_string"),
        ("token", None, "not_a_string"),
        ("token", TOKEN.encode(), "not_a_string"),
        ("token", Secret(f"Bearer {TOKEN}"), "token_with_scheme"),
        ("token", Secret(""), "blank"),
        ("owner_user_id", 7, "not_a_string"),
        ("max_bytes", 8000.0, "not_a_number"),
        ("max_bytes", True, "not_a_number"),
        ("max_bytes", None, "not_a_number"),
        ("max_bytes", 32769, "out_of_range"),
        ("recall_timeout_seconds", 0, "not_positive"),
        ("recall_timeout_seconds", -1.5, "not_positive"),
        ("recall_timeout_seconds", True, "not_a_number"),
        ("recall_timeout_seconds", None, "not_a_number"),
        ("remember_timeout_seconds", float("nan"), "not_positive"),
        ("remember_timeout_seconds", float("inf"), "not_positive"),
        ("remember_timeout_seconds", [5], "not_a_number"),
        ("ca_file", 7, "not_a_string"),
        ("recall_focus", 1, "not_on_or_off"),
        ("recall_focus", None, "not_on_or_off"),
        ("recall_focus", ["on"], "not_on_or_off"),
    ],
)
def test_explicit_values_that_are_refused(name: str, value: object, code: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        explicit(**{name: value})
    assert only_problem(raised.value, PREFIX + name.upper()) == code
    assert TOKEN not in everything_said(raised.value)


@pytest.mark.parametrize("name", ["recall_timeout_seconds", "remember_timeout_seconds"])
def test_a_huge_whole_timeout_is_refused(name: str) -> None:
    """``float(10**400)`` raises OverflowError, which is no ConfigurationError."""
    for value in (10**10, 10**400, -(10**10), -(10**400)):
        with pytest.raises(ConfigurationError) as raised:
            explicit(**{name: value})
        code = only_problem(raised.value, PREFIX + name.upper())
        assert code == ("timeout_too_long" if value > 0 else "not_positive")


class Contrary:
    """As an array: it can be compared with anything, and then has no truth."""

    def __eq__(self, other: object) -> object:  # type: ignore[override]
        return self

    def __hash__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        raise ValueError(CANARY)

    def __float__(self) -> float:
        return 2.0

    def __int__(self) -> int:
        return 8000

    def __str__(self) -> str:
        return "on"


def test_numbers_and_switches_of_other_types_are_refused() -> None:
    for name, most in (
        ("max_bytes", "8000"),
        ("recall_timeout_seconds", "2"),
        ("recall_focus", "on"),
    ):
        values: list[object] = [Decimal(8000), Fraction(8000), 8000j, Contrary(), [most], {most}]
        values += [most.encode(), Text(most), Whole(8000), Float(2.0), range(8000)]
        for value in values:
            with pytest.raises(ConfigurationError) as raised:
                explicit(**{name: value})
            code = only_problem(raised.value, PREFIX + name.upper())
            assert code in ("not_a_number", "not_on_or_off")
            assert CANARY not in everything_said(raised.value)


class Text(str):
    __slots__ = ()


class Whole(int):
    __slots__ = ()


class Float(float):
    __slots__ = ()


@pytest.mark.parametrize("name", ALL)
def test_no_value_costs_more_time_than_it_may_be_long(name: str) -> None:
    """Reading a million digits takes seconds where the interpreter's own limit is lifted."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        for unit in ("9", "a", " ", "\u3000", "\u0301\u0327", "/a", "."):
            started = time.process_time()
            error = refused(environ(**{name.removeprefix(PREFIX): unit * (10**6 // len(unit))}))
            assert time.process_time() - started < 0.5
            assert only_problem(error, name) in ("too_long", "not_a_number", "not_on_or_off")
    finally:
        sys.set_int_max_str_digits(limit)


def test_the_longest_of_each_text_is_accepted() -> None:
    settings = explicit(token="t" * 8192, scope_id="s" * 256, owner_user_id="o" * 1024)
    assert len(settings.token.reveal()) == 8192
    for name, size in (("token", 8193), ("scope_id", 257), ("owner_user_id", 1025)):
        with pytest.raises(ConfigurationError) as raised:
            explicit(**{name: "x" * size})
        assert only_problem(raised.value, PREFIX + name.upper()) == "too_long"


def test_a_name_that_cannot_be_looked_up_is_no_url() -> None:
    long = "a" * 63
    full = ".".join([long, long, long, "a" * 61])
    for host in ("memory.example.com.", f"{long}.com", full, full + ".", "a-b.c", "10.0.0.1", "a."):
        for end in ("", ":8443", "/prefix"):
            assert explicit(base_url=f"https://{host}{end}").base_url == f"https://{host}{end}"
    wrong = ("..", ".", ".example.com", "a..b", "a...", "example.com..", f"{long}a.com", full + "a")
    for host in (*wrong, "a." * 127 + "a", f"{full}a.", "a:65536", "a:-1", "a:0", "a:1:2", ""):
        with pytest.raises(ConfigurationError) as raised:
            explicit(base_url=f"https://{host}")
        assert only_problem(raised.value, PREFIX + "BASE_URL") == "not_a_url"


def test_a_scope_that_leads_elsewhere_in_a_path_is_refused() -> None:
    for scope in (".", ".."):
        with pytest.raises(ConfigurationError) as raised:
            explicit(scope_id=scope)
        assert only_problem(raised.value, PREFIX + "SCOPE_ID") == "dot_segment"
    for scope in ("...", ".a", "a..", "../a"):
        assert explicit(scope_id=scope).scope_id == scope


def test_settings_are_frozen() -> None:
    settings = explicit()
    for field in dataclasses.fields(settings):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(settings, field.name, getattr(settings, field.name))
    with pytest.raises((AttributeError, TypeError)):
        settings.extra = 1  # type: ignore[attr-defined]


def test_a_changed_copy_is_checked_again() -> None:
    assert dataclasses.replace(explicit(), max_bytes=512).max_bytes == 512
    with pytest.raises(ConfigurationError):
        dataclasses.replace(explicit(), max_bytes=511)


# --- the token ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", [Secret(TOKEN), TOKEN], ids=["secret", "bare"])
def test_the_token_is_shown_nowhere(token: object, caplog: pytest.LogCaptureFixture) -> None:
    settings = explicit(token=token)
    shown = [
        repr(settings),
        str(settings),
        f"{settings}",
        f"{settings.token} {settings.token!r}",
        repr([settings]),
        repr(copy.copy(settings)),
        str(settings.warnings),
    ]
    logging.getLogger("test").warning("%s %r", settings, settings.token)
    assert TOKEN not in "\n".join(shown) + caplog.text
    assert copy.copy(settings).token.reveal() == TOKEN


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_the_token_is_not_pickled(protocol: int) -> None:
    settings = explicit()
    for held in (settings, settings.token, {"settings": [settings]}):
        with pytest.raises(TypeError) as raised:
            pickle.dumps(held, protocol)
        assert TOKEN not in everything_said(raised.value)


def test_a_copy_is_equal_and_shows_no_token() -> None:
    settings = explicit()
    copies = [copy.copy(settings), copy.deepcopy(settings), dataclasses.replace(settings)]
    copies += copy.deepcopy([settings, settings])
    for one in copies:
        assert one == settings
        assert hash(one) == hash(settings)
        assert one.token.reveal() == TOKEN
    for shown in (dataclasses.asdict(settings), dataclasses.astuple(settings)):
        assert TOKEN not in repr(shown)
    assert dataclasses.asdict(settings)["token"] == Secret(TOKEN)
    assert {settings: 1}[explicit()] == 1
    assert settings != dataclasses.replace(settings, token=Secret(TOKEN + "x"))
    assert settings != dataclasses.replace(settings, max_bytes=700)


@pytest.mark.parametrize("wrong", ["max_bytes", "base_url", "ca_file", "token"])
def test_no_frame_of_ours_holds_what_was_refused(wrong: str) -> None:
    """Error reporters send the locals of every frame."""
    bad = {"max_bytes": "1", "base_url": f"http://{TOKEN}.com", "ca_file": f"{TOKEN}.pem"}
    given_environ = {**environ(), PREFIX + wrong.upper(): bad.get(wrong, f"Bearer {TOKEN}")}
    values = {
        name.removeprefix(PREFIX).lower(): value
        for name, value in given_environ.items()
        if name != PREFIX + "OWNER_USER_ID"
    }
    changed: dict[str, Any] = {wrong: values[wrong]}
    makers: tuple[Callable[[], Settings], ...] = (
        lambda: Settings(**values),  # type: ignore[arg-type]
        lambda: dataclasses.replace(explicit(), **changed),
        lambda: Settings.from_environment(given_environ),
        lambda: Settings.from_environment({**given_environ, PREFIX + "SCOPE_ID": ""}),
    )
    for make in makers:
        with pytest.raises(ConfigurationError) as raised:
            make()
        captured = traceback.TracebackException.from_exception(raised.value, capture_locals=True)
        ours = [frame for frame in captured.stack if "powercontext_deerflow" in frame.filename]
        assert ours
        assert all(TOKEN not in repr(frame.locals) for frame in ours)


def test_secrets_are_equal_by_value_and_to_nothing_else() -> None:
    assert Secret(TOKEN) == Secret(TOKEN)
    assert Secret("\ud800") == Secret("\ud800")
    for other in (Secret(TOKEN + "x"), Secret(""), Secret("\u00e9"), TOKEN, TOKEN.encode(), None):
        assert Secret(TOKEN) != other
        assert other != Secret(TOKEN)
    assert hash(Secret(TOKEN)) == hash(Secret(TOKEN))


def test_the_hash_of_a_secret_tells_nothing() -> None:
    """Without a salt, whoever sees a hash can try tokens against it."""
    script = "from powercontext_deerflow import Secret; print(hash(Secret('t')))"
    told = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": "0"},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            check=True,
        ).stdout
        for _ in range(2)
    }
    assert len(told) == 2


# --- warnings -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("MAX_BYTES", "699", "budget_too_small_to_be_useful"),
        ("MAX_BYTES", "512", "budget_too_small_to_be_useful"),
        ("MAX_BYTES", "700", None),
        ("RECALL_TIMEOUT_SECONDS", "5", "recall_over_host_cap"),
        ("RECALL_TIMEOUT_SECONDS", "60", "recall_over_host_cap"),
        ("RECALL_TIMEOUT_SECONDS", "4.999", None),
        ("REMEMBER_TIMEOUT_SECONDS", "30", "remember_over_host_cap"),
        ("REMEMBER_TIMEOUT_SECONDS", "29.999", None),
    ],
)
def test_warnings(name: str, value: str, code: str | None) -> None:
    warnings = Settings.from_environment(environ(**{name: value})).warnings
    assert [(warning.setting, warning.code) for warning in warnings] == (
        [(PREFIX + name, code)] if code else []
    )


def test_all_warnings_at_once() -> None:
    settings = Settings.from_environment(
        environ(MAX_BYTES="600", RECALL_TIMEOUT_SECONDS="9", REMEMBER_TIMEOUT_SECONDS="90")
    )
    assert len({warning.code for warning in settings.warnings}) == 3
    assert all(str(warning).startswith(warning.setting) for warning in settings.warnings)


# --- properties ---------------------------------------------------------------------------------------------------

ANY_TEXT = st.one_of(
    st.text(max_size=20),
    st.text(alphabet=st.characters(), max_size=20),  # also lone surrogates
    st.sampled_from(
        ["https://", "http://localhost", "http://", "8000", "2.5", "Bearer ", "[", "@"]
    ),
)
PLANTED = st.tuples(ANY_TEXT, st.sampled_from(["", CANARY]), ANY_TEXT).map("".join)


def read(environment: Mapping[str, str]) -> Settings | ConfigurationError:
    try:
        return Settings.from_environment(environment)
    except ConfigurationError as error:
        return error


@examples(deadline=None, max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(ALL), PLANTED))
def test_any_environment_gives_settings_or_a_silent_error(changes: dict[str, str]) -> None:
    outcome = read({**environ(), **changes})
    if isinstance(outcome, Settings):
        assert "token=Secret(...)," in repr(outcome)
        assert 512 <= outcome.max_bytes <= 32768
    else:
        assert outcome.problems
        assert {problem.setting for problem in outcome.problems} <= changes.keys()
        assert CANARY not in everything_said(outcome)


@examples(deadline=None, max_examples=100)
@given(st.dictionaries(st.text(max_size=12), st.text(max_size=12)))
def test_any_mapping_at_all(mapping: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError) as raised:
        Settings.from_environment(mapping)
    assert [problem.code for problem in raised.value.problems] == ["missing"] * 4


@examples(deadline=None, max_examples=200)
@given(st.one_of(st.none(), st.integers(), st.floats(), st.text(), st.binary(), st.booleans()))
def test_any_value_for_any_field_gives_settings_or_a_configuration_error(value: object) -> None:
    for field in dataclasses.fields(Settings):
        try:
            explicit(**{field.name: value})
        except ConfigurationError as error:
            only_problem(error, PREFIX + field.name.upper())
