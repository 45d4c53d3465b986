# SPDX-License-Identifier: Apache-2.0
"""The base URL: https, or http to this machine, and nothing hidden in it."""

from __future__ import annotations

import pytest

from powercontext_deerflow.errors import ConfigurationError
from powercontext_deerflow.settings import PREFIX, Settings
from tests.support.cases import each_case
from tests.support.said import everything_said
from tests.unit.settings.environment import CANARY, environ, explicit, only_problem, refused

# --- what is accepted


@each_case(
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


# --- what is refused


@each_case(
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
)
def test_base_urls_that_are_refused(value: str, code: str) -> None:
    error = refused(environ(BASE_URL=value))
    assert only_problem(error, PREFIX + "BASE_URL") == code
    assert CANARY not in everything_said(error)
    assert code != "not_a_url" or value == "https://" or value not in str(error)


# --- explicit values


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
