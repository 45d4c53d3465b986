# SPDX-License-Identifier: Apache-2.0
"""The runner of the mutants, with a package of one line: what is a catch, and what is none. And the list itself."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts import mutants
from scripts.mutants import Misfit, Mutant, patched, survives, unsound
from tests.support.cases import each_case

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "def double(n):\n    return n + n\n"
TESTS = """
import pytest
from powercontext_deerflow.numbers import double


def test_two():
    assert double(2) == 4


def test_none():
    assert double(0) == 0


@pytest.mark.parametrize("n", [0, 3])
def test_each(n):
    assert double(n) == 2 * n


def test_hidden():
    try:
        found = double(2)
    except Exception:
        found = None
    assert found == 4


def test_wrapped():
    try:
        found = double(2)
    except Exception as error:
        raise RuntimeError("wrapped") from error
    assert found == 4


def test_group():
    errors = []
    try:
        assert double(2) == 4
    except Exception as error:
        errors.append(error)
    if errors:
        raise ExceptionGroup("several", errors)


@pytest.fixture
def made():
    assert double(2) == 4


def test_with_a_fixture(made):
    pass
"""
FILE = "tests/test_numbers.py::"
RETURNS = "    return n + n\n"


@pytest.fixture(autouse=True)
def plain_pytest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tiny package needs no plugin, and starts in half the time without."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tiny")
    (root / "powercontext_deerflow").mkdir()
    (root / "powercontext_deerflow" / "__init__.py").touch()
    (root / "powercontext_deerflow" / "numbers.py").write_text(PACKAGE)
    plugin = Path("tests/project/mutants/verdicts.py")
    (root / plugin).parent.mkdir(parents=True)
    shutil.copy(ROOT / plugin, root / plugin)
    (root / "tests" / "test_numbers.py").write_text(TESTS)
    (root / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["."]\n')
    return root


def broken(new: str, *tests: str, old: str = RETURNS, **given: object) -> Mutant:
    edits, names = ((old, new),), tuple(FILE + test for test in tests)
    return Mutant("tiny", "numbers.py", edits, names, **given)  # type: ignore[arg-type]


WRONG = "    return n + 1\n"
CAUGHT = {
    "by its test": broken(WRONG, "test_two"),
    "by both": broken(WRONG, "test_two", "test_none"),
    "by one of the parameters": broken("    return n + 1 if n else 0\n", "test_each", "test_two"),
    "by the one that it names": broken(WRONG, "test_each[3]"),
    "by those that begin so": broken(WRONG, "test_each[3", "test_two"),
    "in a fixture": broken(WRONG, "test_with_a_fixture"),
    "by an error that is no mistake": broken("    raise ValueError\n", "test_two"),
    "by its own error, as it says": broken(
        "    return n.double\n", "test_two", fails_with="AttributeError"
    ),
    "by hanging, as it says": broken("    while True: pass\n", "test_two", hangs=True, seconds=3.0),
}
NOT_CAUGHT = {
    "survives": (broken("    return 2 * n\n", "test_two"), "test_two passes"),
    "one of two": (broken("    return n * n\n", "test_each", "test_two"), "test_two passes"),
    "other parameters": (broken(WRONG, "test_each[1]"), "test_each[1] did not run"),
    "no such test": (broken(WRONG, "test_three"), "test_three did not run"),
    "TypeError": (broken("    return n + '1'\n", "test_two"), "TypeError"),
    "NameError": (broken("    return m\n", "test_two"), "NameError"),
    "UnboundLocalError": (broken("    n += m\n    m = n\n", "test_two"), "UnboundLocalError"),
    "AttributeError": (broken("    return n.double\n", "test_two"), "AttributeError"),
    "ImportError": (broken("    import nowhere\n", "test_two"), "ModuleNotFoundError"),
    "SyntaxError of its own code": (broken("    exec('?')\n", "test_two"), "SyntaxError"),
    "an argument too many": (
        broken("def double():\n", "test_two", old="def double(n):\n"),
        "Error",
    ),
    "wrapped": (broken("    return m\n", "test_wrapped"), "NameError"),
    "in a group": (broken("    return m\n", "test_group"), "NameError"),
    "in a fixture": (broken("    return m\n", "test_with_a_fixture"), "NameError"),
    "another one than it says": (
        broken("    return m\n", "test_two", fails_with="TypeError"),
        "NameError",
    ),
    "no Python": (broken("    return (\n", "test_two"), "did not run"),
    "breaks at import": (broken("    return n + n\n\nm\n", "test_two"), "did not run"),
    "hangs": (broken("    while True: pass\n", "test_two", seconds=3.0), "hangs"),
    "no longer fits": (broken(WRONG, "test_two", old="return m"), "no longer fits"),
    "no such file": (Mutant("tiny", "letters.py", (("a", "b"),), (FILE + "test_two",)), "letters"),
}


@pytest.mark.parametrize("mutant", CAUGHT.values(), ids=CAUGHT)
def test_it_is_caught(mutant: Mutant, tree: Path) -> None:
    assert survives(tree, mutant) is None


@pytest.mark.parametrize(("mutant", "says"), NOT_CAUGHT.values(), ids=NOT_CAUGHT)
def test_it_is_not_caught(mutant: Mutant, says: str, tree: Path) -> None:
    assert says in str(survives(tree, mutant))


def test_the_same_tests_must_pass_without_a_patch(tree: Path, tmp_path: Path) -> None:
    assert unsound(tree, [FILE + "test_two", FILE + "test_each"]) == {}
    assert unsound(tree, [FILE + "test_three"]) == {
        f"{FILE}test_three": f"{FILE}test_three did not run"
    }
    spoiled = tmp_path / "spoiled"
    shutil.copytree(tree, spoiled)
    (spoiled / "powercontext_deerflow" / "numbers.py").write_text("def double(n):\n    return 4\n")
    assert unsound(spoiled, [FILE + "test_two", FILE + "test_each"]) == {
        f"{FILE}test_each": f"{FILE}test_each[0] fails"
    }


def test_a_patch_fits_once_or_not_at_all() -> None:
    mutant = Mutant("tiny", "numbers.py", (("a", "b"),), ())
    assert patched("a c", mutant) == "b c"
    for text in ("", "a a"):
        with pytest.raises(Misfit):
            patched(text, mutant)


def test_only_some_can_be_chosen() -> None:
    listed = [Mutant(name, "numbers.py", (), ()) for name in "abc"]
    assert mutants.chosen(listed, ["c", "a"]) == [listed[0], listed[2]]
    assert mutants.chosen(listed, []) == listed
    with pytest.raises(SystemExit, match="no mutant is called d, e"):
        mutants.chosen(listed, ["e", "a", "d"])


# --- the list

LISTED = mutants.load(ROOT)


@each_case("mutant", LISTED, ids=[mutant.name for mutant in LISTED])
def test_a_listed_mutant_fits_and_names_tests_that_exist(mutant: Mutant) -> None:
    before = (ROOT / "powercontext_deerflow" / mutant.file).read_text()
    after = patched(before, mutant)
    compile(after, mutant.file, "exec")
    assert after != before
    assert mutant.tests
    for test in mutant.tests:
        file, _, function = test.partition("::")
        assert function.partition("[")[0] in _functions(ROOT / file), test


def test_each_has_a_name_of_its_own() -> None:
    names = [mutant.name for mutant in LISTED]
    assert sorted(set(names)) == sorted(names)


def _functions(file: Path) -> Iterator[str]:
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
