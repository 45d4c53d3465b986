# SPDX-License-Identifier: Apache-2.0
"""Make openapi/powercontext.json and generated/ from openapi/pin.toml, or prove that they are what the pin gives.

All is built beside the tree and then renamed into place: after any failure the disk is as it was.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from scripts.openapi.changes import change_report
from scripts.openapi.pin import GENERATOR, PACKAGE, Pin, Refused, read_document, read_pin
from scripts.openapi.slice import Json, MissingOperations, slice_document

ROOT = Path(__file__).resolve().parent.parent
PIN = "openapi/pin.toml"
SLICE = "openapi/powercontext.json"
CLIENT = "generated/powercontext_openapi"
OWNED = ("openapi", "generated")  # whole directories: nothing else may live in them

# No post hooks: they would run whatever `ruff` is on PATH, and what it rewrites fails mypy --strict.
# Literals instead of enum classes: a model then holds, and sends, the plain string of the wire.
CONFIG = {
    "project_name_override": "powercontext_openapi",
    "package_name_override": "powercontext_openapi",
    "literal_enums": True,
    "post_hooks": [],
}


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    options = _options(arguments)
    try:
        if options.check:
            print(check(root))
        else:
            print("\n".join(regenerate(root, options.version)))
    except Refused as refusal:
        print(f"regenerate_client: {refusal}", file=sys.stderr)
        return 1
    except OSError as error:
        what = f"{error.strerror or 'disk error'} ({error.filename})"
        print(
            f"regenerate_client: {what}: nothing changed; make room or access, then run it again",
            file=sys.stderr,
        )
        return 1
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="regenerate_client", description=__doc__)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="write nothing; fail on any difference")
    mode.add_argument("--version", metavar="X", help=f"move the pin to {PACKAGE} X")
    options = parser.parse_args(arguments)
    if options.version is not None and not options.version.replace(".", "").isalnum():
        parser.error("--version takes a release such as 1.4.1")
    return options


def check(root: Path) -> str:
    pin = read_pin(root / PIN)
    with tempfile.TemporaryDirectory() as folder:
        build(pin, Path(folder))
        if difference := first_difference(Path(folder), root):
            raise Refused(f"{difference}: run `make client`, and never edit it by hand")
    return f"{PACKAGE} {pin.version}: openapi/ and generated/ are what the pin gives"


def regenerate(root: Path, version: str | None) -> list[str]:
    """Replace what differs; the lines to print."""
    pin = read_pin(root / PIN)
    stage = root / ".cache"  # beside the tree, so that a rename is enough; ignored by git
    stage.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=stage) as folder:
        built = Path(folder, "new")
        new = build(pin.moved_to(version or pin.version), built)
        said = [f"{PACKAGE} {new.version}, document sha256 {new.sha256}"]
        if version:
            said += _changes(root / SLICE, built / SLICE)
        if first_difference(built, root):
            replace_all(built, root, Path(folder, "old"))
            return [*said, "openapi/ and generated/ replaced"]
        return [*said, "openapi/ and generated/ were up to date"]


def _changes(old: Path, new: Path) -> list[str]:
    try:
        before: Json = json.loads(old.read_bytes())
    except (OSError, ValueError) as error:
        raise Refused(
            f"{SLICE} cannot be read: run `make client` without --version first"
        ) from error
    lines = change_report(before, json.loads(new.read_bytes()))
    return lines or ["no change in the kept operations"]


def build(pin: Pin, into: Path) -> Pin:
    """Write openapi/ and generated/ below `into`; the pin comes back with the hash of its document."""
    _require_generator(pin)
    pin, document = read_document(pin)
    try:
        sliced = slice_document(document, pin.operations)
    except MissingOperations as missing:
        raise Refused(
            f"{PACKAGE} {pin.version} has no operation {missing}:"
            f" choose another version, or take it out of {PIN}"
        ) from missing
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Refused(
            f"{pin.document} of {PACKAGE} {pin.version} is built in a way that scripts/openapi/slice.py"
            " does not know: choose another version, or teach it"
        ) from error
    (into / SLICE).parent.mkdir(parents=True)
    (into / PIN).write_text(pin.render(), encoding="utf-8")
    (into / SLICE).write_text(
        json.dumps(sliced, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    generate(into / SLICE, into / CLIENT)
    if lost := [
        name for name in pin.operations if not list((into / CLIENT).glob(f"api/*/{name}.py"))
    ]:
        raise Refused(f"{GENERATOR} left out {', '.join(lost)}: take it out of {PIN}")
    return pin


def _require_generator(pin: Pin) -> None:
    try:
        installed = importlib.metadata.version(GENERATOR)
    except importlib.metadata.PackageNotFoundError:
        installed = "none"
    if installed != pin.generator_version:
        raise Refused(
            f"{GENERATOR} {pin.generator_version} is pinned, {installed} is installed:"
            f" install {GENERATOR}=={pin.generator_version}"
        )


def generate(document: Path, package: Path) -> None:
    package.parent.mkdir()
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "config.json")
        config.write_text(json.dumps(CONFIG), encoding="utf-8")
        command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
        command += ["--fail-on-warning", "--config", str(config), "--path", str(document)]
        command += ["--output-path", str(package)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()] or ["no reason given"]
        first = next((line for line in said if line.startswith(("WARNING", "ERROR"))), said[-1])
        raise Refused(
            f"{GENERATOR} could not turn all of the slice into code ({first}):"
            " choose another version, or teach scripts/openapi/slice.py this case"
        )
    version = importlib.metadata.version(GENERATOR)
    header = f"# Generated from {SLICE} by {GENERATOR} {version}; do not edit.\n"
    for file in package.rglob("*.py"):
        file.write_text(header + file.read_text(encoding="utf-8"), encoding="utf-8")
    (package / "py.typed").touch()


def first_difference(expected: Path, root: Path) -> str | None:
    """The first file, by name, that is not as expected, and how it differs."""
    want, have = _files(expected), _files(root)
    for name in sorted(want.keys() | have.keys()):
        if name not in have:
            return f"{name} is missing"
        if name not in want:
            return f"{name} does not belong here"
        if want[name].read_bytes() != have[name].read_bytes():
            return f"{name} differs from what {PIN} gives"
    return None


def _files(root: Path) -> dict[str, Path]:
    found = (file for owned in OWNED for file in (root / owned).rglob("*") if not file.is_dir())
    return {
        file.relative_to(root).as_posix(): file for file in found if "__pycache__" not in file.parts
    }


def replace_all(new: Path, root: Path, aside: Path) -> None:
    """Rename the new directories into place, or none of them: every step is a rename, undone in reverse."""
    aside.mkdir()
    done: list[tuple[Path, Path]] = []
    steps = [(root / name, aside / name) for name in OWNED if (root / name).exists()]
    steps += [(new / name, root / name) for name in OWNED]
    try:
        for source, target in steps:
            source.rename(target)
            done.append((source, target))
    except BaseException:
        for source, target in reversed(done):
            target.rename(source)
        raise


if __name__ == "__main__":
    sys.exit(main())
