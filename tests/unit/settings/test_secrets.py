# SPDX-License-Identifier: Apache-2.0
"""The token is shown, pickled and guessed nowhere."""

from __future__ import annotations

import copy
import dataclasses
import logging
import pickle
import traceback
from collections.abc import Callable

import pytest

from powercontext_deerflow.errors import ConfigurationError
from powercontext_deerflow.settings import PREFIX, Secret, Settings
from tests.support.bound import TOKEN
from tests.support.cases import each_case
from tests.support.said import everything_said
from tests.unit.settings.environment import environ, explicit


@each_case("token", [Secret(TOKEN), TOKEN], ids=["secret", "bare"])
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


@each_case("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
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


@each_case("wrong", ["max_bytes", "base_url", "ca_file", "token"])
def test_no_frame_of_ours_holds_what_was_refused(wrong: str) -> None:
    """Error reporters send the locals of every frame."""
    bad = {"max_bytes": "1", "base_url": f"http://{TOKEN}.com", "ca_file": f"{TOKEN}.pem"}
    given_environ = {**environ(), PREFIX + wrong.upper(): bad.get(wrong, f"Bearer {TOKEN}")}
    values = {
        name.removeprefix(PREFIX).lower(): value
        for name, value in given_environ.items()
        if name != PREFIX + "OWNER_USER_ID"
    }
    ways: list[Callable[[], object]] = [
        lambda: Settings(**values),  # type: ignore[arg-type]
        lambda: dataclasses.replace(explicit(), **{wrong: values[wrong]}),  # type: ignore[arg-type]
        lambda: Settings.from_environment(given_environ),
        lambda: Settings.from_environment({**given_environ, PREFIX + "SCOPE_ID": ""}),
    ]
    for make in ways:
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
