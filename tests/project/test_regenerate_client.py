# SPDX-License-Identifier: Apache-2.0
"""The client is what the pin gives, a move of the pin says what changed, and no failure leaves a trace on disk."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts import regenerate_client
from scripts.openapi.changes import change_report
from scripts.openapi.pin import Pin, read_document, read_pin
from scripts.openapi.slice import MissingOperations, slice_document
from scripts.regenerate_client import CLIENT, OWNED, PIN, ROOT, SLICE, main, replace_all

WHEELS = ROOT / ".cache" / "wheels"
RELEASES = ("1.2.0", "1.3.0")
UNKNOWN_TO_120 = {
    "list_atomic_memories",
    "change_atomic_memory_lifecycle",
    "get_server_info",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    root = tmp_path / "tree"
    for name in OWNED:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.fixture(scope="session")
def wheels() -> Path:
    for release in RELEASES:
        if not (WHEELS / f"powercontext-{release}-py3-none-any.whl").is_file():
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--retries", "1"]
            command += ["--only-binary", ":all:", "-d", str(WHEELS), f"powercontext=={release}"]
            if subprocess.run(command, capture_output=True, check=False).returncode:
                pytest.skip(f"no package index gave powercontext {release}")
    return WHEELS


@pytest.fixture
def index(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pip finds the two older releases, and never asks the network."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))


@pytest.fixture
def no_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))


def contents(root: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(root)): file.read_bytes()
        for name in OWNED
        for file in sorted((root / name).rglob("*"))
        if file.is_file()
    }


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def refusal(capsys: pytest.CaptureFixture[str], root: Path, *arguments: str) -> str:
    """Run it; it must fail with one line and change nothing."""
    before = contents(root)
    assert main(arguments, root) == 1
    assert contents(root) == before
    assert not list((root / ".cache").glob("*"))
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err


# --- the checked-in files


def test_the_tree_is_what_the_pin_gives_without_network(no_index: None) -> None:
    assert main(["--check"]) == 0


def test_the_client_is_made_anew_from_the_pin_alone(tree: Path) -> None:
    before = contents(tree)
    shutil.rmtree(tree / CLIENT)
    (tree / SLICE).unlink()
    assert main([], tree) == 0
    assert contents(tree) == before


def change_one_byte(root: Path) -> str:
    name = f"{CLIENT}/models/prepared_context.py"
    edit(root / name, "content_bytes (int)", "content_bytes (inT)")
    return name


def add_a_file(root: Path) -> str:
    name = f"{CLIENT}/models/extra.py"
    (root / name).write_text("")
    return name


def add_a_package(root: Path) -> str:
    (root / "generated/other").mkdir()
    (root / "generated/other/__init__.py").write_text("")
    return "generated/other/__init__.py"


def remove_a_file(root: Path) -> str:
    name = f"{CLIENT}/api/memory/remember_memory.py"
    (root / name).unlink()
    return name


def change_the_slice(root: Path) -> str:
    edit(root / SLICE, '"maximum": 32768', '"maximum": 32769')
    return SLICE


def comment_the_pin(root: Path) -> str:
    with (root / PIN).open("a") as file:
        file.write("# by hand\n")
    return PIN


@pytest.mark.parametrize(
    "spoil",
    [
        change_one_byte,
        add_a_file,
        add_a_package,
        remove_a_file,
        change_the_slice,
        comment_the_pin,
    ],
)
def test_the_check_names_what_differs(
    spoil: Any, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert spoil(tree) in refusal(capsys, tree, "--check")


def test_the_check_names_the_first_of_several_and_a_run_repairs_all(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = contents(tree)
    change_one_byte(tree)
    add_a_file(tree)
    first = remove_a_file(tree)
    assert first in refusal(capsys, tree, "--check")
    assert main([], tree) == 0
    assert contents(tree) == good


def test_byte_code_is_no_difference(tree: Path) -> None:
    cache = tree / CLIENT / "__pycache__"
    cache.mkdir()
    (cache / "types.cpython-311.pyc").write_bytes(b"x")
    assert main(["--check"], tree) == 0


# --- refusals


def test_an_unpublished_version(
    index: None, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "9.9.9 is not published (newest: 1.2.0, 1.3.0)" in refusal(
        capsys, tree, "--version", "9.9.9"
    )


def test_no_index(no_index: None, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "install powercontext==1.3.0" in refusal(capsys, tree, "--version", "1.3.0")
    edit(tree / PIN, "1.4.1", "1.3.0")
    assert "install powercontext==1.3.0" in refusal(capsys, tree, "--check")


@pytest.mark.parametrize("arguments", [(), ("--check",), ("--version", "1.4.1")])
def test_a_document_with_another_hash(
    arguments: tuple[str, ...], tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pin = read_pin(tree / PIN)
    edit(tree / PIN, pin.sha256, "0" * 64)
    said = refusal(capsys, tree, *arguments)
    assert pin.sha256 in said
    assert "0" * 64 in said


def test_a_version_without_a_kept_operation(
    index: None, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refusal(capsys, tree, "--version", "1.2.0")
    assert all(name in said for name in UNKNOWN_TO_120)


def test_a_generator_warning(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_a_dangling_reference(document: Any, operations: Any) -> Any:
        sliced = slice_document(document, operations)
        del sliced["components"]["schemas"]["ScopeExternalReference"]
        return sliced

    monkeypatch.setattr(regenerate_client, "slice_document", with_a_dangling_reference)
    assert "(WARNING parsing POST /v1/scopes" in refusal(capsys, tree)


def test_a_document_with_a_reference_to_nothing(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(pin: Pin) -> tuple[Pin, Any]:
        pin, found = read_document(pin)
        del found["components"]["schemas"]["PreparedContext"]
        return pin, found

    monkeypatch.setattr(regenerate_client, "read_document", broken)
    assert "choose another version" in refusal(capsys, tree)


def test_another_generator(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    version = read_pin(tree / PIN).generator_version
    edit(tree / PIN, f'version = "{version}"', 'version = "0.1.0"')
    assert "install openapi-python-client==0.1.0" in refusal(capsys, tree)


@pytest.mark.parametrize("text", ["", "not toml", "[upstream]\nversion = '1.4.1'\n"])
def test_a_broken_pin(text: str, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / PIN).write_text(text)
    assert "restore openapi/pin.toml" in refusal(capsys, tree)


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_a_rename_that_fails_is_undone(
    step: int, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = tmp_path / "new"
    for name in OWNED:
        (new / name).mkdir(parents=True)
    before = contents(tree)
    renamed = fail_at(step, monkeypatch)
    with pytest.raises(PermissionError):
        replace_all(new, tree, tmp_path / "old")
    assert contents(tree) == before
    assert len(renamed) == 2 * (step - 1)  # every earlier step, and its undoing


def test_a_disk_that_refuses(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    comment_the_pin(tree)
    fail_at(4, monkeypatch)
    assert "Permission denied" in refusal(capsys, tree)


def fail_at(step: int, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Let one rename fail, once; the list fills with those that succeed."""
    renamed: list[Path] = []
    remaining = iter(range(1, 100))
    rename = Path.rename

    def failing(source: Path, target: Path) -> Path:
        if next(remaining) == step:
            raise PermissionError(13, "Permission denied", str(source))
        renamed.append(source)
        return rename(source, target)

    monkeypatch.setattr(Path, "rename", failing)
    return renamed


@pytest.mark.parametrize(
    "arguments", [["--check", "--version", "1.3.0"], ["--version", "a b"], ["x"]]
)
def test_bad_usage(arguments: list[str], tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(tree)
    with pytest.raises(SystemExit) as end:
        main(arguments, tree)
    assert end.value.code == 2
    assert contents(tree) == before


# --- moving the pin


def test_there_and_back(index: None, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = contents(tree)
    assert main(["--version", "1.3.0"], tree) == 0
    pin = read_pin(tree / PIN)
    assert pin.version == "1.3.0"
    assert pin.artifact == "powercontext-1.3.0-py3-none-any.whl"
    assert re.fullmatch("[0-9a-f]{64}", pin.sha256)
    assert pin.sha256 in capsys.readouterr().out
    assert "explain" not in (tree / CLIENT / "models/prepare_context_request.py").read_text()
    assert main(["--check"], tree) == 0
    capsys.readouterr()

    assert main(["--version", "1.4.1"], tree) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "get_artifact: response 200: + created_at, + created_by, + reason, + restored_from_revision",
        "prepare_context: request: + bootstrap_receipt_id, + explain",
        "prepare_context: response 200: + reason",
        "openapi/ and generated/ replaced",
    ]
    assert contents(tree) == good


def test_the_pinned_version_again_changes_nothing(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(tree)
    assert main(["--version", "1.4.1"], tree) == 0
    assert "no change in the kept operations" in capsys.readouterr().out
    assert contents(tree) == before


def test_the_report_names_the_moved_answer_of_remember(index: None) -> None:
    pin = read_pin(ROOT / PIN)
    known = [name for name in pin.operations if name not in UNKNOWN_TO_120]
    old = slice_document(read_document(pin.moved_to("1.2.0"))[1], known)
    new = slice_document(read_document(pin.moved_to("1.3.0"))[1], pin.operations)
    report = change_report(old, new)
    assert "remember_memory: response 200: - entry, - memory, + changed, + records" in report
    assert {line for line in report if line.endswith(": + operation")} == {
        f"{name}: + operation" for name in UNKNOWN_TO_120
    }
    assert not [line for line in report if line.startswith("prepare_context:")]


def document(**schema: Any) -> dict[str, Any]:
    """The smallest document: one operation whose body is the schema Body."""
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Body"}}}
    operation = {
        "operationId": "save",
        "summary": "prose",
        "x-extension": 1,
        "requestBody": {"content": content},
        "responses": {
            "200": {"description": "prose"},
            "default": {"$ref": "#/components/responses/Error"},
        },
    }
    schemas = {
        "Body": {"type": "object", **schema},
        "Part": {"type": "string", "maxLength": 8, "description": "prose"},
        "Unreached": {"type": "string"},
    }
    return {
        "openapi": "3.0.3",
        "info": {"title": "T", "version": "1", "description": "prose"},
        "paths": {"/save": {"post": operation}, "/other": {"get": {"operationId": "other"}}},
        "components": {
            "schemas": schemas,
            "responses": {"Error": {"description": "prose"}, "Unreached": {"description": "prose"}},
        },
    }


PART = {"$ref": "#/components/schemas/Part"}


def body(**schema: Any) -> Any:
    return slice_document(document(**schema), ["save"])["components"]["schemas"]["Body"]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ({"maximum": 5}, {"maximum": 6}, "request: ~ a (maximum 5 -> 6)"),
        ({"maximum": 5}, {}, "request: ~ a (maximum 5 -> none)"),
        ({"enum": ["x", "y"]}, {"enum": ["y", "z"]}, "request: ~ a (enum - x + z)"),
        ({}, {"nullable": True}, "request: ~ a (nullable none -> true)"),
        ({"type": "string"}, {"type": "integer"}, "request: ~ a (type string -> integer)"),
        (
            {"items": {}},
            {"items": PART},
            "request: ~ a[] (maxLength none -> 8; type none -> string)",
        ),
        (PART, {"allOf": [PART], "nullable": True}, "request: ~ a (nullable none -> true)"),
        ({}, {"properties": {"b": {"properties": {"c": {}}}}}, "request: + a.b"),
    ],
)
def test_the_report_of_one_field(old: Any, new: Any, line: str) -> None:
    before = slice_document(document(properties={"a": old}), ["save"])
    after = slice_document(document(properties={"a": new}), ["save"])
    assert change_report(before, after) == [f"save: {line}"]
    assert change_report(after, after) == []


def test_the_report_of_routes_statuses_parameters_and_required_fields() -> None:
    old = slice_document(document(properties={"a": {}}), ["save"])
    changed = document(properties={"a": {}}, required=["a"])
    operation = changed["paths"]["/save"].pop("post")
    operation["responses"]["404"] = operation["responses"].pop("200")
    operation["parameters"] = [{"name": "id", "in": "query", "required": True, "schema": PART}]
    changed["paths"]["/saved"] = {"put": operation}
    assert change_report(old, slice_document(changed, ["save"])) == [
        "save: - POST /save, - response 200, + PUT /saved, + response 404",
        "save: parameters: + id (query)",
        "save: request: ~ a (required none -> true)",
    ]


# --- the slice


def test_only_what_is_reached_stays() -> None:
    sliced = slice_document(document(properties={"part": PART}), ["save"])
    assert list(sliced["paths"]) == ["/save"]
    assert sliced["components"] == {
        "schemas": {
            "Body": {"type": "object", "properties": {"part": PART}},
            "Part": {"type": "string", "maxLength": 8},
        },
        "responses": {"Error": {"description": ""}},
    }


def test_prose_and_defaults_go_but_properties_of_that_name_stay() -> None:
    properties = {
        name: {"type": "string"} for name in ("description", "summary", "example", "default")
    }
    spoken = {
        name: {**schema, "description": "prose", "example": "prose", "default": "x"}
        for name, schema in properties.items()
    }
    required = ["description", "summary"]
    assert body(properties=spoken, required=required, summary="prose") == {
        "type": "object",
        "properties": properties,
        "required": required,
    }


def test_a_reference_keeps_what_stands_beside_it() -> None:
    assert body(properties={"part": {**PART, "nullable": True, "description": "prose"}}) == {
        "type": "object",
        "properties": {"part": {"allOf": [PART], "nullable": True}},
    }
    assert body(properties={"part": {**PART, "default": "x"}})["properties"] == {"part": PART}


def test_recursive_schemas_end() -> None:
    again = {"$ref": "#/components/schemas/Body"}
    sliced = slice_document(document(properties={"again": again}), ["save"])
    assert change_report(sliced, sliced) == []


def test_an_unknown_operation_is_named() -> None:
    with pytest.raises(MissingOperations, match="nowhere"):
        slice_document(document(), ["save", "nowhere"])


def test_the_checked_in_slice_is_facts_in_stable_order() -> None:
    text = (ROOT / SLICE).read_text(encoding="utf-8")
    sliced = json.loads(text)
    assert text == json.dumps(sliced, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    assert '"nullable"' in text
    assert '"default"' not in text
    assert set(re.findall(r'"description": (?!\{)(.*)', text)) <= {'""', '"",'}


def test_one_more_operation_reads_nullable_references(tree: Path) -> None:
    """Their answers crashed the generated code before the rewrite: `$ref` beside `nullable: true`."""
    edit(
        tree / PIN, "operations = [", 'operations = [\n    "get_capabilities",\n    "list_sources",'
    )
    assert main([], tree) == 0
    for case, model in (("capabilities", "Capabilities"), ("source_list", "SourcePage")):
        golden = json.loads((ROOT / "tests" / "support" / "golden" / f"{case}.json").read_text())
        program = (
            "import json, sys; from powercontext_openapi import models;"
            f"print(json.dumps(models.{model}.from_dict(json.load(sys.stdin)).to_dict()))"
        )
        done = subprocess.run(
            [sys.executable, "-c", program],
            input=golden["response"]["body"],
            env={"PYTHONPATH": str(tree / "generated")},
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(done.stdout) == json.loads(golden["response"]["body"])
