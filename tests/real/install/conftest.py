# SPDX-License-Identifier: Apache-2.0
"""The clean copy of the repository that is built and installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.install.tree import clean_copy


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return clean_copy(tmp_path_factory.mktemp("tree") / "powercontext-deerflow")
