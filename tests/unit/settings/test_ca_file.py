# SPDX-License-Identifier: Apache-2.0
"""The CA file: certificates in PEM, or a reason why not."""

from __future__ import annotations

from pathlib import Path

import pytest
import trustme

from powercontext_deerflow.settings import PREFIX, Settings
from tests.support.said import everything_said
from tests.unit.settings.environment import CANARY, environ, only_problem, refused


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def test_a_ca_file(tmp_path: Path, authority: trustme.CA) -> None:
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    assert Settings.from_environment(environ(CA_FILE=str(path))).ca_file == str(path)


def test_a_ca_bundle_with_prose_and_two_certificates(tmp_path: Path, authority: trustme.CA) -> None:
    path = tmp_path / "bundle.pem"
    second = trustme.CA().cert_pem.bytes()
    path.write_bytes(b"our roots\n" + authority.cert_pem.bytes() + b"\n# second\n" + second)
    assert Settings.from_environment(environ(CA_FILE=str(path))).ca_file == str(path)


@pytest.fixture(
    params=[
        "absent",
        "directory",
        "below-a-file",
        "endless-link",
        "name-too-long",
        "empty",
        "prose",
        "broken-pem",
        "key-only",
        "der",
    ]
)
def unusable_ca(request: pytest.FixtureRequest, tmp_path: Path, authority: trustme.CA) -> str:
    path = tmp_path / f"{CANARY}.pem"
    pem = authority.cert_pem.bytes()
    contents = {
        "empty": b"",
        "prose": b"no certificate here\n",
        "broken-pem": pem[: len(pem) // 2] + b"\n-----END CERTIFICATE-----\n",
        "key-only": authority.private_key_pem.bytes(),
        "der": b"\x30\x82\x01\x0a" + bytes(266),
    }
    match request.param:
        case "directory":
            path.mkdir()
        case "below-a-file":
            path.write_bytes(pem)
            path = path / "ca.pem"
        case "endless-link":
            path.symlink_to(path)
        case "name-too-long":
            path = tmp_path / (CANARY * 100)
        case "absent":
            pass
        case kind:
            path.write_bytes(contents[kind])
    return str(path)


def test_ca_files_that_are_none(unusable_ca: str) -> None:
    error = refused(environ(CA_FILE=unusable_ca))
    assert only_problem(error, PREFIX + "CA_FILE") == "ca_file_unreadable"
    assert CANARY not in everything_said(error)
