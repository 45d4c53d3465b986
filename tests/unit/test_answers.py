# SPDX-License-Identifier: Apache-2.0
"""A usual head is read by one pattern, and exactly as h11 would have read it."""

from __future__ import annotations

import random
import re

import h11
import pytest

from powercontext_deerflow import TransportError
from powercontext_deerflow.transport import answers

REQUEST = h11.Request(method="POST", target="/", headers=[("Host", "h")])
USUAL = (
    b"HTTP/1.1 200 OK\r\ndate: Sun, 29 Nov 2026 20:21:03 GMT\r\nContent-Type:application/json \r\n"
    b"X-Empty:\r\nx-powercontext-request-id: 781cef3ee5ffa40b\r\ncontent-length: 7\r\n\r\n"
)
BODY = b'{"a":1}'
SPOILS = [
    *(
        b"\r\n",
        b"\n",
        b"\r",
        b"\0",
        b"\x0b",
        b"\x80",
        b"\xff",
        b" ",
        b"\t",
        b"\x7f",
        b":",
        b",",
        b"7",
        b"0",
    ),
    *(
        b"X: y\r\n",
        b"\r\n folded",
        b"Content-Length: 7\r\n",
        b"Content-Length: 3\r\n",
        b"Connection: close\r\n",
    ),
    *(
        b"Transfer-Encoding: chunked\r\n",
        b"Content-Encoding: gzip\r\n",
        b"HTTP/1.1 100 C\r\n\r\n",
        b"1048577",
    ),
]


async def never(_: int) -> None:
    raise AssertionError("there is no socket to wait for")


class Ended(Exception):
    """The server says nothing more, and does not close."""


def read(pieces: list[bytes], by_h11_only: bool) -> object:
    """What came of it: the answer and whether its connection may be used again, or the fault."""
    left = iter(pieces)

    async def next_piece(_: object = None) -> bytes:
        for piece in left:
            return piece
        raise Ended

    async def whole() -> tuple[answers.Answer, bool]:
        if by_h11_only:
            return await answers.read_by_h11(REQUEST, await next_piece(), next_piece, never)
        return await answers.read_answer(REQUEST, next_piece, never)

    try:
        whole().send(None)
    except StopIteration as done:
        return done.value
    except TransportError as error:
        return error.code
    except h11.RemoteProtocolError:
        return "protocol_error"
    except (Ended, ConnectionResetError) as error:
        return type(error)
    raise AssertionError("nobody else is waited for")


def spoiled(chance: random.Random) -> bytes:
    data = USUAL + BODY
    for _ in range(chance.randrange(4)):
        lines = [found.end() for found in re.finditer(b"\r\n", data)]
        at = chance.choice([chance.randrange(len(data) + 1), chance.choice(lines or [0])])
        data = data[:at] + chance.choice(SPOILS) + data[at + chance.choice((0, 0, 1, 4)) :]
    return data[: chance.choice((len(data), len(data), chance.randrange(len(data) + 1)))]


def test_the_pattern_decides_nothing_but_the_speed() -> None:
    chance = random.Random(1)
    for _ in range(5_000):
        data = spoiled(chance)
        at = chance.choice((len(data), chance.randrange(len(data) + 1)))
        pieces = [piece for piece in (data[:at], data[at:]) if piece]
        pieces += [b""] * chance.randrange(2)
        assert read(pieces, False) == read(pieces, True), pieces


@pytest.mark.parametrize("status", [b"200 OK", b"204 No Content", b"304 Not Modified", b"503 "])
def test_a_usual_head_of_any_status(status: bytes) -> None:
    pieces = [USUAL.replace(b"200 OK", status) + BODY]
    assert read(pieces, False) == read(pieces, True)


def test_what_is_usual_needs_no_h11(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = read([USUAL, BODY], True)
    monkeypatch.delattr(answers, "read_by_h11")
    assert read([USUAL, BODY], False) == expected
