# SPDX-License-Identifier: Apache-2.0
"""openapi/pin.toml, and the upstream document that it names.

The document is a Python file in PowerContext's wheel, and an installed package carries it byte for byte. It is
never imported or run: its bytes are compared with the pin, then one literal is read out of its syntax tree.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path

from scripts.openapi.slice import Json

PACKAGE = "powercontext"
GENERATOR = "openapi-python-client"

TEMPLATE = """\
# SPDX-License-Identifier: Apache-2.0
# What openapi/powercontext.json and generated/ are made from.
# Another release: `python -m scripts.regenerate_client --version X`. One more operation: add its name, `make client`.

[upstream] # Apache-2.0, from PyPI
package = "{package}"
version = "{pin.version}"
artifact = "{pin.artifact}"
document = "{pin.document}"
sha256 = "{pin.sha256}" # of the document

[generator]
package = "{generator}"
version = "{pin.generator_version}"

[slice]
operations = [
{operations}
]
"""


class Refused(Exception):
    """Raised when the client cannot be made, with nothing on disk changed; one line that says what to do next."""


@dataclass(frozen=True)
class Pin:
    version: str
    artifact: str
    document: str
    sha256: str  # empty while moving to a release that was never pinned
    generator_version: str
    operations: tuple[str, ...]

    def moved_to(self, version: str) -> Pin:
        if version == self.version:
            return self
        artifact = self.artifact.replace(self.version, version)
        return replace(self, version=version, artifact=artifact, sha256="")

    def render(self) -> str:
        operations = "\n".join(f'    "{name}",' for name in self.operations)
        return TEMPLATE.format(
            package=PACKAGE, generator=GENERATOR, pin=self, operations=operations
        )


def read_pin(path: Path) -> Pin:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        upstream = {key: str(data["upstream"][key]) for key in ("version", "artifact", "document")}
        return Pin(
            **upstream,
            sha256=str(data["upstream"]["sha256"]),
            generator_version=str(data["generator"]["version"]),
            operations=tuple(str(name) for name in data["slice"]["operations"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Refused(
            f"{path.name} is missing or incomplete: restore openapi/pin.toml from version control"
        ) from error


def read_document(pin: Pin) -> tuple[Pin, Json]:
    """The pinned document, and the pin with its hash (recorded now if it had none)."""
    source = _installed(pin) or _fetched(pin)
    sha256 = hashlib.sha256(source).hexdigest()
    if pin.sha256 and sha256 != pin.sha256:
        raise Refused(
            f"{pin.document} of {PACKAGE} {pin.version} has sha256 {sha256}, the pin says {pin.sha256}:"
            f" reinstall {PACKAGE}=={pin.version}, and if it stays so do not trust it"
        )
    try:
        return replace(pin, sha256=sha256), _literal(source, pin.version)
    except (KeyError, TypeError, ValueError, SyntaxError) as error:
        raise Refused(
            f"{pin.document} of {PACKAGE} {pin.version} is not the OpenAPI document of that version:"
            " choose another --version"
        ) from error


def _literal(source: bytes, version: str) -> Json:
    for statement in ast.parse(source).body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id="OPENAPI_SCHEMA"), value=ast.expr() as value):
                document: Json = ast.literal_eval(value)
                if document["info"]["version"] == version:
                    return document
    raise ValueError


def _installed(pin: Pin) -> bytes | None:
    try:
        distribution = importlib.metadata.distribution(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return None
    file = Path(str(distribution.locate_file(pin.document)))
    return file.read_bytes() if distribution.version == pin.version and file.is_file() else None


def _fetched(pin: Pin) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input"]
        command += ["--disable-pip-version-check", "--retries", "1", "--no-deps"]
        command += ["--only-binary", ":all:", "--dest", folder, f"{PACKAGE}=={pin.version}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Refused(_why_not_fetched(pin, done.stderr))
        try:
            with zipfile.ZipFile(Path(folder, pin.artifact)) as wheel:
                return wheel.read(pin.document)
        except (OSError, KeyError, zipfile.BadZipFile) as error:
            raise Refused(
                f"{PACKAGE} {pin.version} has no {pin.artifact} with {pin.document} in it: choose another --version"
            ) from error


def _why_not_fetched(pin: Pin, pip_said: str) -> str:
    # Only the list of versions is taken from pip: its other lines may name an index with its password.
    known = re.search(r"from versions: ([\w., ]+)\)", pip_said)
    if known and known[1] != "none":
        newest = ", ".join(known[1].split(", ")[-3:])
        return f"{PACKAGE} {pin.version} is not published (newest: {newest}): choose one that is"
    return (
        f"{PACKAGE} {pin.version} is not installed and no package index gave it:"
        f" connect to one, or install {PACKAGE}=={pin.version} here"
    )
