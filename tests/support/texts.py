# SPDX-License-Identifier: Apache-2.0
"""Texts that are work to read, whatever reads them."""

from __future__ import annotations

from hypothesis import strategies as st

adversarial = st.sampled_from(
    [
        "word " * 20_000,
        "a" * 100_000,
        "，。！？" * 25_000,
        "中" * 100_000,
        "订单服务的退款计算" * 10_000,
        "x中" * 50_000,
        "\u200d\ufeff\x00" * 1000,
        " ".join(f"term{number}" for number in range(15_000)),
    ]
)
SLOW = (
    *(
        "a" + "\u0301\u0327" * 4096,
        "ab\u0301\u0327" * 2048,
        "\u0130" * 8192,
        "\ufb03 " * 4096,
        "x中" * 4096,
    ),
    *("订单服务的退款计算" * 911, "\n" * 8192, "A_" * 4096, "中" * 8192, "\U0001d160" * 8192),
    " ".join(f"term{number}" for number in range(1200)),
    " ".join(
        f"{chr(97 + at % 26)}{chr(97 + at // 26 % 26)}{chr(97 + at // 676)}" for at in range(2048)
    ),
)
