# SPDX-License-Identifier: Apache-2.0
"""A deadline is made of seconds and shares, and of nothing that only looks like them."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest

from powercontext_deerflow import Deadline, InputError
from tests.support.lookalikes import Alike, Whole


def test_a_deadline_is_so_many_seconds_away() -> None:
    wrong: list[object] = ["x", "1", None, True, b"1", [1], math.nan]
    wrong += [Decimal(1), Fraction(1), 1j, Whole(1), object(), Alike()]
    for value in wrong:
        for make, field in ((Deadline.after, "seconds"), (Deadline, "at")):
            with pytest.raises(InputError) as refused:
                make(value)  # type: ignore[arg-type]
            assert (refused.value.code, refused.value.field) == (f"{field}_not_seconds", field)
    for far in (10**400, 1e308, 3e6, math.inf):
        assert Deadline.after(far).remaining() == 86_400
        assert not Deadline.after(far).sooner(0.5).expired
    for none in (0, -0.0, -1, -0.001, -(10**400), -math.inf):
        assert Deadline.after(none).expired
        assert Deadline.after(none).remaining() == 0


def test_a_share_of_a_deadline_is_a_part_of_it() -> None:
    for wrong in ("x", None, True, math.nan, -0.1, 1.1, 2, math.inf, Decimal("0.5"), [0.5]):
        with pytest.raises(InputError) as refused:
            Deadline.after(1).sooner(wrong)  # type: ignore[arg-type]
        assert (refused.value.code, refused.value.field) == ("share_out_of_range", "share")
    assert Deadline.after(10).sooner(1).remaining() > 5
    assert Deadline.after(10).sooner(0).expired
