# SPDX-License-Identifier: Apache-2.0
"""Every code that the doctor can say, with its level, its sentence and the next step: the one table.

A code that recall and saving report as an event (``dns_failed``, ``unauthorized``, ``over_budget``, ...) is the same
here. docs/*/doctor-codes.md repeats this table, and a test holds them equal.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

Level = Literal["ok", "note", "warning", "fault", "skipped"]

# [level], then `code: sentence -> next step`; a line that begins with -> belongs to the one above.
_TABLE: Final = """
[ok]
python_ok: The interpreter that runs this doctor.
packages_ok: The packages that this one needs are installed.
host_ok: DeerFlow is installed and has the contracts that this package needs.
entry_point_ok: DeerFlow's extension manager can see the plugin.
settings_ok: The settings are complete and usable.
dns_ok: The server's name resolves.
tcp_ok: The server accepts connections.
tls_ok: TLS works, and the certificate is trusted.
tls_not_used: Plain HTTP, to this machine only.
auth_ok: The server accepts the token.
server_ok: The server is PowerContext.
scope_ok: The bound Scope exists, and its id is ours byte for byte.
search_semantic: The server finds memories by meaning too.
recall_ok: A real recall returned context within the budget.
recall_empty: A real recall works; nothing matched the doctor's own question, as is usual.
probe_ok: A probe memory was saved, found by search and by recall, and retired.

[skipped]
host_absent: DeerFlow is not installed for this interpreter, so the host was not checked.
-> Run the doctor with the Gateway's own interpreter and environment.
search_modes_unknown: The server does not tell this principal how it searches.
probe_needs_newer_server: Nothing was written: this server cannot retire a memory by its citation.
-> Use PowerContext 1.3.0 or later to probe writing.

[note]
server_before_130: The server has no server-info: it is 1.2.0 or older, which is supported.
-> Upgrade PowerContext when convenient.
server_info_forbidden: This principal may not ask for the server's version, and need not.
search_lexical_only: The server finds memories by their words only.
-> Save text that names its subject, or give PowerContext an embedding model.
latency: How long that recall took, of its deadline.

[warning]
metadata_malformed: Installed metadata is malformed, so versions or entry points cannot be read from it.
-> Install the named packages again, or remove what is left of them.
budget_too_small_to_be_useful: The budget is so small that no memory fits in it. -> Raise MAX_BYTES to 8000.
recall_over_host_cap: The recall deadline is beyond DeerFlow's own 5 seconds. -> Lower RECALL_TIMEOUT_SECONDS.
remember_over_host_cap: The saving deadline is beyond DeerFlow's own 30 seconds. -> Lower REMEMBER_TIMEOUT_SECONDS.
server_untested: The server's API is a later generation than was tested. -> Look for a newer powercontext-deerflow.
content_closes_fence: A recalled memory closes DeerFlow's memory block; such context is discarded.
-> Find the memory that contains a closing memory tag, and edit or retire it.
latency_high: That recall took more than half of its deadline.
-> Move the server closer, relieve it, or raise RECALL_TIMEOUT_SECONDS (below 5).

[fault]
package_missing: A package that this one needs is absent. -> Install powercontext-deerflow again.
package_unusable: A package that this one needs cannot be imported. -> Install powercontext-deerflow again.
host_not_importable: DeerFlow is installed but cannot be imported.
-> Run the doctor with the Gateway's interpreter, environment and working directory.
host_too_old: DeerFlow's extension API is older than 0.2.2: there would be no remember tool. -> Upgrade DeerFlow.
host_too_new: DeerFlow's extension API is a later generation, which refuses this plugin.
-> Look for a newer powercontext-deerflow.
registry_without_plugin: DeerFlow's registry takes no plugins: there would be no remember tool. -> Upgrade DeerFlow.
manager_not_importable: Our memory manager cannot be imported, and would break every run of the host.
-> Set memory.manager_class back, and install powercontext-deerflow again.
host_passes_no_query: This DeerFlow never passes the user's message to recall, so memory stays silent.
-> Upgrade DeerFlow (2026-09 or later).
entry_point_missing: DeerFlow's extension manager cannot see the plugin.
-> Install the package with it: deerflow extensions install.

missing: A setting is missing. -> Set it for the Gateway, and run the doctor there.
blank: A setting is empty. -> Set it.
not_a_string: A setting is not text. -> Set it to a string.
padded: A setting has white space around it. -> Remove the white space.
control_characters: A setting has control characters. -> Remove them.
not_a_url: The base URL is not one. -> Use https://host[:port][/prefix].
url_with_credentials: The base URL has a user part, which host tools can read. -> Remove it; use TOKEN.
url_with_query: The base URL has a query or fragment. -> Give host and prefix only.
insecure_transport: Plain HTTP to another machine would show the token and the memories. -> Use https.
too_long: A setting is too long. -> A Scope id has at most 256 characters, an owner 1024, any other text 8192.
dot_segment: The Scope id is '.' or '..', which lead elsewhere in a path. -> Use the id of an existing Scope.
token_with_scheme: The token starts with 'Bearer'. -> Give the bare token.
token_not_plain: The token has spaces or is not ASCII. -> Copy the token again.
owner_is_fallback: The owner is DeerFlow's name for nobody. -> Bind a signed-in user's id (GET /api/v1/auth/me).
out_of_range: The budget is out of range. -> Use 512 to 32768 bytes; 8000 is the default.
not_positive: A deadline is not positive. -> Use a positive number of seconds.
timeout_too_long: A deadline is longer than any that makes sense. -> Use the default, or a few seconds more.
not_a_number: A setting is not a number. -> Use digits.
not_on_or_off: A switch is neither on nor off. -> Use on or off.
ca_file_unreadable: The CA file, or certifi's own without one, cannot be used.
-> Point CA_FILE to a readable PEM file with a certificate, or install certifi again.
auth_disabled: DeerFlow runs without authentication, so no user can be the owner. -> Remove DEER_FLOW_AUTH_DISABLED.

dns_failed: The server's name does not resolve. -> Correct BASE_URL, or the name server.
dns_timeout: The name server did not answer in time. -> Check the machine's resolver.
connect_failed: Nothing accepts connections there. -> Start PowerContext; check host and port in BASE_URL.
connect_timeout: The connection was not answered in time. -> Check firewall and route.
tls_failed: TLS failed in another way than those below. -> Check the certificate, and what listens on that port.
tls_expired: The server's certificate has expired. -> Renew it; check this machine's clock.
tls_not_yet_valid: The server's certificate is not valid yet. -> Check this machine's clock; wait, or issue it anew.
tls_unknown_issuer: The server's certificate is signed by nobody that is trusted here.
-> For a private authority set CA_FILE; let the server send its intermediate certificates, too.
tls_root_missing: CA_FILE holds an intermediate authority and not the root above it. -> Put the root into CA_FILE.
tls_wrong_name: The server's certificate is for another name. -> Use the name in the certificate in BASE_URL.
tls_not_tls: What listens on that port does not speak TLS. -> Correct the port in BASE_URL.
tls_client_certificate: The server wants a client certificate, which this package does not have.
-> Let the token be enough there, or pass a proxy that brings the certificate.
tls_timeout: The TLS handshake did not end in time. -> Check what listens on that port.
answer_timeout: The server took the request and did not answer in time. -> Check its load and its database.
connection_lost: The connection broke before a whole answer. -> Check the server and the proxies before it.
protocol_error: The answer broke off, or was not HTTP. -> Check the server and the proxies before it.
answer_too_large: The answer was larger than 1 MiB. -> Check what listens on that port.
answer_encoded: The answer was compressed, though nobody asked. -> Turn that off in the proxy.
no_connection_free: All connections were in use. -> Run the doctor again.
saves_ahead: The save only waited behind others until its deadline. -> Save less at once, or see why saving is slow.
no_thread: The system gave no thread. -> Raise the limit of processes and threads, or run fewer.
no_descriptor: The system gave no file descriptor. -> Raise the limit of open files, or look for what leaks them.
out_of_memory: The system gave no memory. -> Raise the memory limit, or run less beside it.
out_of_time: The doctor's time was over, and the rest was not checked. -> See what above is slow.

unauthorized: The server refused the token. -> Set the current TOKEN, and restart the Gateway.
forbidden: The token is valid, but may not do this in the Scope. -> Grant it scope.contributor on the Scope.
scope_not_found: The Scope does not exist. -> Correct SCOPE_ID, or create the Scope.
scope_id_differs: The server answered with a Scope whose id is not ours byte for byte. -> Copy SCOPE_ID exactly.
not_powercontext: What answers there is not PowerContext. -> Correct BASE_URL.
http_404: The server does not know the path. -> Correct the path prefix in BASE_URL.
http_401: A proxy, not PowerContext, asks for a login. -> Let the token pass the proxy.
http_403: A proxy, not PowerContext, refused. -> Let the Gateway pass the proxy.
http_408: The server, or a proxy before it, gave up waiting for the request. -> Check the network and the proxies.
http_413: The request is larger than the server, or a proxy before it, takes. -> Raise that limit to 64 KiB at least.
http_429: A rate limit refused the request. -> Raise it in the proxy before the server, or ask less often.
http_502: A proxy had no usable answer of the server behind it. -> See that PowerContext runs; check its address there.
http_503: The server, or the proxy before it, is not available now. -> Start PowerContext, or wait; check /health/ready.
http_504: A proxy waited in vain for the server behind it. -> Check PowerContext's load and the proxy's time limit.
http_3xx: The server redirects, which is not followed. -> Set BASE_URL to the target.
http_4xx: The request was refused. -> Compare the server's version with the supported ones; check proxies.
http_5xx: The server, or a proxy before it, failed. -> Look into their logs; check /health/ready.
internal_error: PowerContext failed inside. -> Look into its log.
runtime_not_ready: PowerContext is not ready. -> Wait, or look into /health/ready.
server_overloaded: PowerContext is overloaded. -> Relieve it, or try again later.
access_unavailable: PowerContext cannot check rights now. -> Look into its log.
authentication_unavailable: PowerContext cannot check tokens now. -> Look into its log.
malformed: The answer is not of the expected shape. -> Compare versions; check proxies.
status_mismatch: The answer contradicts itself. -> Compare versions; check proxies.
byte_count_mismatch: The recalled text was altered on its way. -> Check the proxies before the server.
over_budget: The recalled text is larger than was asked for. -> Compare versions; check proxies.
unexpected_status: The server answered with a success other than 200. -> Check the proxies before the server.
unexpected_failure: A check failed in a way without a name. -> Report this, with the versions above.

probe_not_saved: The probe memory was not saved, for the reason in brackets. -> Look that code up.
probe_unconfirmed: The probe may or may not have been saved.
-> Look for 'powercontext-deerflow doctor probe' in the Scope, and retire it.
probe_not_found: The probe was saved, but search does not find it. -> Check the server's index.
probe_not_recalled: The probe was saved, but recall does not return it. -> Raise MAX_BYTES; check the server's index.
probe_not_checked: The probe was saved, but looking for it failed, for the reason in brackets. -> Look that code up.
probe_not_retired: The probe was saved, and is still active.
-> Retire 'powercontext-deerflow doctor probe' in the Scope by hand.
probe_retirement_unknown: The probe was saved, and may or may not have been retired.
-> Look for 'powercontext-deerflow doctor probe' in the Scope, and retire it if it is active.
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check came to. Nothing in it is secret, recalled, or a server's prose."""

    check: str
    code: str
    level: Level
    detail: str
    next_step: str


def _rows() -> Iterator[tuple[str, tuple[Level, str, str]]]:
    levels = {f"[{level}]": level for level in get_args(Level)}
    level: Level = "ok"
    for line in _TABLE.replace("\n->", " ->").split("\n"):
        if line in levels:
            level = levels[line]
        elif line:
            code, _, said = line.partition(": ")
            sentence, _, next_step = said.partition(" -> ")
            yield code, (level, sentence, next_step)


CODES: Final = dict(_rows())
"""Code -> level, sentence, next step (empty if all is well)."""


def finding(check: str, code: str, particulars: str = "") -> Finding:
    """``code`` as the table says it; ``particulars`` are ours: numbers, versions, names of settings."""
    level, sentence, next_step = CODES[code]
    detail = f"{sentence} ({particulars})" if particulars else sentence
    return Finding(check, code, level, detail, next_step)


def found_by(check: str, look: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """What ``look`` finds until it breaks off, which is a finding, too. Never raises."""
    found = []
    try:
        for one in look():
            found.append(one)  # noqa: PERF402 - what was found before it broke off stays
    except MemoryError:
        found.append(finding(check, "out_of_memory"))
    except Exception as error:  # noqa: BLE001 - its type is all that is said: a text may hold anything
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            found.append(finding(check, "no_descriptor"))
        else:
            found.append(finding(check, "unexpected_failure", type(error).__name__))
    return found
