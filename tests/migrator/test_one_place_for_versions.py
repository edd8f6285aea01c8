"""Each version of TensorFlow stands in one place; what cannot read it there agrees with it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tfmigrate.model.tensorflow_versions import NEWEST, OLDEST, bounds, supported, version_of
from tfmigrate.tables import symbol_table

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "migrator/tfmigrate/model/tensorflow_versions.py"
SUPPORTED = ROOT / "runtime/tfmigrate_runtime/supported.py"
# Versions that a script tries or names on purpose; the tests below compare those that matter.
SCRIPTS = {
    "gpu/pack.py",
    "release/matrix.py",
    "report/legacy_matrix.py",
    "report/compat_v1/report.py",
}
OTHERS = {PLACE, SUPPORTED, *(ROOT / "scripts" / name for name in SCRIPTS)}


def test_versions_from_the_oldest_to_the_newest() -> None:
    assert supported()[0] == OLDEST
    assert supported()[-1] == NEWEST
    assert bounds().startswith(f">={OLDEST},<2.")


def test_the_runtime_supports_the_same() -> None:
    numbers = re.search(r"^OLDEST, NEWEST = (.+)$", SUPPORTED.read_text("utf-8"), re.MULTILINE)
    assert numbers
    assert ast.literal_eval(numbers[1]) == (version_of(OLDEST), version_of(NEWEST))


@pytest.mark.parametrize("name", ["pyproject.toml", "runtime/pyproject.toml"])
def test_requirements_allow_them(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    required = re.findall(r'"(?:tensorflow|tf-keras)(?:\[[\w-]+\])?([<>=][^"]+)"', text)
    assert set(required) <= {bounds()} | {text for text in required if text.startswith("==")}
    assert bounds() in required


def test_ci_and_the_release_try_both_ends() -> None:
    workflow = (ROOT / ".github/workflows/ci.yml").read_text("utf-8")
    tried = re.search(r"^ +tensorflow: \[(.+)\]$", workflow, re.MULTILINE)
    assert tried
    matrix = (ROOT / "scripts/release/matrix.py").read_text("utf-8")
    legacy = (ROOT / "scripts/report/legacy_matrix.py").read_text("utf-8")
    packed = (ROOT / "scripts/gpu/pack.py").read_text("utf-8")
    for version in (OLDEST, NEWEST):
        assert f'"{version}"' in tried[1]
        assert f'"{version}")' in matrix
        assert f'"{version}.' in legacy
    assert f'TENSORFLOW = "{NEWEST}"' in packed


def test_the_tables_of_names_are_of_both_ends() -> None:
    first = symbol_table.versions()
    assert any(version.startswith(f"{OLDEST}.") for version in first)
    assert first[-1].startswith(f"{NEWEST}.")


def test_no_code_has_another_copy() -> None:
    newest = re.compile(rf"\b{re.escape(NEWEST)}\b|\b2, {version_of(NEWEST)[1]}\b")
    copies = [
        f"{path.relative_to(ROOT)}:{line}"
        for folder in ("migrator", "runtime/tfmigrate_runtime", "scripts")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if path not in OTHERS
        for line in lines_of_code_with(newest, path.read_text("utf-8"))
    ]
    assert copies == [], "take it from tfmigrate.model.tensorflow_versions, or supported.py"


def lines_of_code_with(pattern: re.Pattern[str], text: str) -> list[int]:
    """Returns the lines of strings, docstrings apart, and of tuples that a pattern matches."""
    tree = ast.parse(text)
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        node.lineno
        for node in ast.walk(tree)
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in documentation
            and pattern.search(node.value)
        )
        or (isinstance(node, ast.Tuple) and pattern.search(ast.unparse(node)))
    ]


def test_a_copy_is_noticed() -> None:
    copies = f'"""Of TensorFlow {NEWEST}."""\nx = "{NEWEST}.0"\ny = (2, {version_of(NEWEST)[1]})\n'
    assert lines_of_code_with(re.compile(rf"{NEWEST}|2, {version_of(NEWEST)[1]}"), copies) == [2, 3]
