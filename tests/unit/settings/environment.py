# SPDX-License-Identifier: Apache-2.0
"""A valid environment, the same with one thing wrong, and what is said of it."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from powercontext_deerflow.errors import ConfigurationError
from powercontext_deerflow.settings import PREFIX, Settings
from tests.support.bound import TOKEN, environment, settings

CANARY = "zQ7canary"
VALID = {
    "BASE_URL": "https://memory.example.com",
    "OWNER_USER_ID": "4f0c2d9a",
    "SCOPE_ID": "scp_4ptadma9x1xgs873q4phqh4dnd",
    "TOKEN": TOKEN,
}


def environ(**changes: str | None) -> dict[str, str]:
    """A valid environment with ``changes``; None takes a variable away."""
    return environment(**{name.lower(): value for name, value in {**VALID, **changes}.items()})


def refused(given_environ: dict[str, str]) -> ConfigurationError:
    with pytest.raises(ConfigurationError) as raised:
        Settings.from_environment(given_environ)
    return raised.value


def only_problem(error: ConfigurationError, name: str) -> str:
    """The code of the one problem, which must name its variable and say what to do."""
    (problem,) = error.problems
    assert problem.setting == name
    assert error.code == problem.code
    assert name in str(error)
    assert len(problem.advice) >= 8
    assert problem.advice in str(error)
    return problem.code


ALL = [PREFIX + field.name.upper() for field in dataclasses.fields(Settings)]


def explicit(**changes: Any) -> Settings:  # as loose as the keywords of Settings
    return settings(**{"base_url": "https://memory.example.com/", **changes})
