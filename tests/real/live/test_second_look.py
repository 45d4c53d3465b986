# SPDX-License-Identifier: Apache-2.0
"""A second look on real servers: three requests on 1.4.1, short pieces where no wide search is promised."""

from __future__ import annotations

import re

from powercontext_deerflow import NothingRecalled, PowerContext, Recalled, Secret, Settings
from tests.support.servers.proxy import Exchange, RecordingProxy
from tests.support.servers.real import PowerContextServer

MEMORIES = (
    "Pelican throttles the label API through the setting maxLabelRps, which is 35.",
    "Staging is reached through the WireGuard profile tw-stage; Henrik adds new keys.",
    "ファームウェアは署名鍵で署名したものだけを工場の出荷ラインに流す。",
    "周报每周四下午五点前写进飞书文档，先写风险再写进展。",
    "Договоры дороже трёх миллионов согласует юрист Айгуль.",
    *(f"Beehive {at} is inspected twice a year by the same craftsman." for at in range(12)),
)
ASKED = {
    "max label rps, what is it set to?": 0,
    "how do i get on the wiregaurd for stagign": 1,
    "ファームウェアの署名って必要?": 2,
    "周报啥时候交": 3,
    "к кому идти с договором?": 4,
}
LONG = (
    "Hello! The morning batch of the warehouse takes too long, so I raised the number of workers and turned off the"
    " throttle of Pelican on my machine, and now half of the requests to the label API fail. How far may I go?"
)
WIDE = re.compile(r"/v1/scopes/[^/]+/artifacts/atomic-memory/search")


def bound(proxy: RecordingProxy, server: PowerContextServer) -> PowerContext:
    scope_id = server.create_scope("second look")
    for text in MEMORIES:
        server.remember(scope_id, text)
    server.warm_han(scope_id)
    return PowerContext(
        Settings(
            base_url=proxy.base_url,
            scope_id=scope_id,
            token=Secret(server.token),
            recall_timeout_seconds=10.0,
        )
    )


def test_what_words_of_another_form_mean_is_found_with_three_requests(
    powercontext_141: PowerContextServer,
) -> None:
    with RecordingProxy(powercontext_141.base_url) as proxy, bound(proxy, powercontext_141) as it:
        for message, wanted in {**ASKED, LONG: 0}.items():
            proxy.clear()
            recalled = it.recall(message)
            assert isinstance(recalled, Recalled), message
            assert MEMORIES[wanted] in recalled.content, message
            assert len(recalled.citations) == 1, message
            assert len(proxy.requests) <= 3, message
        proxy.clear()
        poem = it.recall("write a short poem about a pelican and the sea for my daughter")
        assert isinstance(poem, NothingRecalled)
        assert len(proxy.requests) <= 2


def test_without_the_promise_of_a_wide_search_short_pieces_are_looked_up(
    powercontext_141: PowerContextServer,
) -> None:
    def hides(exchange: Exchange) -> None:
        said = exchange.forward()
        exchange.connection.send(re.sub(rb"(?i)x-powercontext-dream-contract: 2\r\n", b"", said))

    with RecordingProxy(powercontext_141.base_url) as proxy, bound(proxy, powercontext_141) as it:
        proxy.fault = lambda _: hides
        recalled = it.recall(LONG)
        assert isinstance(recalled, Recalled)
        assert MEMORIES[0] in recalled.content
        assert len(proxy.requests) <= 12
        assert not any(WIDE.fullmatch(request.path) for request in proxy.requests)


def test_an_older_server_is_never_asked_for_what_it_has_not(
    powercontext_120: PowerContextServer,
) -> None:
    with RecordingProxy(powercontext_120.base_url) as proxy, bound(proxy, powercontext_120) as it:
        assert isinstance(it.recall(LONG), NothingRecalled)
        assert not any(WIDE.fullmatch(request.path) for request in proxy.requests)
        assert len(proxy.requests) == 2
