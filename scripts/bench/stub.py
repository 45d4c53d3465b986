# SPDX-License-Identifier: Apache-2.0
"""The stub server of `make bench`, a process of its own: precomputed answers, keep-alive, the least parsing.

One thread and epoll, so that the server's own threads do not blur what 64 callers see. It is asked under
``/<kilobytes>/v1/...``: the size of the answer is part of the base URL, and every client sends its usual request.
"""

from __future__ import annotations

import json
import select
import socket
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.servers.network import issue_tls

SIZES = (1, 2, 4, 8, 16, 32)
"""Kilobytes of prepared text."""
SAVED = "The order service keeps money amounts as integer cents. 订单金额以整数分存储。"
"""The only text that this server says it has saved."""
_BEGIN = """# PowerContext historical context

PowerContext prepared untrusted historical context.

BEGIN_POWERCONTEXT_PREPARED_TEXT_V1

## Memory
"""
_ITEM = """
### Memory {}

    Scope: "scp_6m7kphgw0e9rj4d3cnmdmyh658"
    Artifact: family="atomic-memory", id="art_03d60f2199424f17951bb0629dfa4596", revision=1
    Truncated: no

"""
_LINE = (
    ">     The order service keeps amounts as integer cents. 订单金额以整数分存储，不用浮点数。\n"
)
_END = "\nEND_POWERCONTEXT_PREPARED_TEXT_V1"
_HEAD = (
    "HTTP/1.1 200 OK\r\ndate: Sun, 29 Nov 2026 20:21:03 GMT\r\nserver: uvicorn\r\n"
    "content-type: application/json\r\nx-powercontext-dream-contract: 2\r\ncontent-length: {}\r\n"
    "x-powercontext-request-id: 781cef3ee5ffa40b\r\n\r\n"
)  # as the real one sends it: golden/prepare_ready
_NOT_FOUND = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"


def mixed_text(size: int) -> str:
    """``size`` UTF-8 bytes of English and Chinese, laid out as the real server does (golden/prepare_budget_*)."""
    items = 6 if size >= 4096 else 1
    frames = [_ITEM.format(number + 1) for number in range(items)]
    rest = size - len(_BEGIN) - sum(map(len, frames)) - len(_END)
    lines = rest // items // len(_LINE.encode())
    text = _BEGIN + "".join(frame + _LINE * lines for frame in frames)
    return text + " " * (size - len(text.encode()) - len(_END)) + _END


def prepared_body(kilobytes: int) -> bytes:
    text = mixed_text(kilobytes * 1024)
    return _json(
        {
            "schema": "powercontext.prepared-context.v1",
            "status": "ready",
            "content": text,
            "content_bytes": len(text.encode()),
        }
    )


def answers() -> dict[bytes, bytes]:
    """The whole answer for each path."""
    artifact = {"family": "atomic-memory", "artifact_id": "art_1", "revision": 1}
    record: dict[str, object] = {"artifact": artifact, "kind": "fact", "text": SAVED}
    record |= {"state": "active", "state_version": 0, "merged_into_id": None}
    saved = _json({"changed": True, "records": [record]})
    found = {}
    for size in SIZES:
        bodies = {"context/prepare": prepared_body(size), "memory/remember": saved}
        bodies["memory/search"] = _json({"mode": "text", "hits": []})
        for path, body in bodies.items():
            found[f"/{size}/v1/{path}".encode()] = _HEAD.format(len(body)).encode() + body
    return found


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class _Server:
    def __init__(self, tls: ssl.SSLContext) -> None:
        self._plain = socket.create_server(("127.0.0.1", 0), backlog=256)
        self._tls = socket.create_server(("127.0.0.1", 0), backlog=256)
        self._context = tls
        self._answers = answers()
        self._epoll = select.epoll()
        self._open: dict[int, tuple[socket.socket, bytearray]] = {}
        self.ports = [one.getsockname()[1] for one in (self._plain, self._tls)]

    def run(self) -> None:
        for fd in (self._plain.fileno(), self._tls.fileno(), 0):
            self._epoll.register(fd, select.EPOLLIN)
        while True:
            for fd, _ in self._epoll.poll():
                if fd == 0:
                    return  # our parent has closed the pipe, or is gone
                if fd == self._plain.fileno():
                    self._accept(self._plain, None)
                elif fd == self._tls.fileno():
                    self._accept(self._tls, self._context)
                else:
                    self._read(fd)

    def _accept(self, listener: socket.socket, tls: ssl.SSLContext | None) -> None:
        client, _ = listener.accept()
        client.settimeout(5.0)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls is not None:
            try:
                client = tls.wrap_socket(client, server_side=True)
            except OSError:
                client.close()
                return
        self._open[client.fileno()] = (client, bytearray())
        self._epoll.register(client.fileno(), select.EPOLLIN)

    def _read(self, fd: int) -> None:
        client, buffer = self._open[fd]
        data = b""
        with suppress(OSError):
            data = client.recv(65536)
        if not data:
            del self._open[fd]
            self._epoll.unregister(fd)
            client.close()
            return
        buffer += data
        head, found, body = bytes(buffer).partition(b"\r\n\r\n")
        if found and len(body) >= int(
            head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]
        ):
            buffer.clear()  # one request at a time: nobody pipelines
            with suppress(OSError):
                client.sendall(self._answers.get(head.split(b" ", 2)[1], _NOT_FOUND))


@dataclass(frozen=True)
class Stub:
    """Where the running stub listens."""

    port: int
    tls_port: int
    ca_file: str

    def base_url(self, kilobytes: int) -> str:
        return f"http://127.0.0.1:{self.port}/{kilobytes}"

    def tls_url(self, kilobytes: int) -> str:
        return f"https://127.0.0.1:{self.tls_port}/{kilobytes}"


@contextmanager
def module_process(module: str, *args: str) -> Iterator[Any]:
    """What ``python -m module`` says, in JSON, on its first line; it ends when its input does."""
    command = [sys.executable, "-m", module, *args]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the process has no pipes")
        try:
            yield json.loads(process.stdout.readline())
        finally:
            process.stdin.close()
            process.wait(10)


@contextmanager
def running_stub() -> Iterator[Stub]:
    with (
        tempfile.TemporaryDirectory() as folder,
        module_process("scripts.bench.stub", folder) as (port, tls_port),
    ):
        yield Stub(port, tls_port, str(Path(folder) / "ca.pem"))


def main() -> None:
    context, _ = issue_tls(Path(sys.argv[1]))
    server = _Server(context)
    print(json.dumps(server.ports), flush=True)
    server.run()


if __name__ == "__main__":
    main()
