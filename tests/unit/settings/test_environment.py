# SPDX-License-Identifier: Apache-2.0
"""Each unusable setting has its own error: it names the variable and the fix, never the value."""

from __future__ import annotations

import pickle
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from powercontext_deerflow.errors import ConfigurationError, InputError
from powercontext_deerflow.settings import PREFIX, Settings
from tests.support.bound import TOKEN
from tests.support.cases import each_case
from tests.support.said import everything_said
from tests.unit.settings.environment import ALL, CANARY, VALID, environ, only_problem, refused

# --- what is accepted


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
    assert settings.tools == ("remember", "find", "correct", "forget")
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


# --- what is refused


@each_case("name", VALID)
def test_missing(name: str) -> None:
    assert only_problem(refused(environ(**{name: None})), PREFIX + name) == "missing"


# --- authentication of the host


@each_case(
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


@each_case(
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


# --- all at once


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


# --- properties


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
