"""The list of tests that `make test` leaves to the nightly run names tests that exist."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
LISTED = (ROOT / "tests" / "covered_elsewhere.txt").read_text("utf-8").splitlines()


@cache
def _tests_of(path: Path) -> frozenset[str]:
    """Returns the names of the test functions in a file, of those in classes with their class."""
    names = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}::{x.name}" for x in node.body if isinstance(x, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            names.add(node.name)
    return frozenset(names)


def test_every_line_is_a_test() -> None:
    gone = []
    for line in LISTED:
        path, _, name = line.partition("::")
        file = ROOT / path
        if not file.exists() or name.partition("[")[0] not in _tests_of(file):
            gone.append(line)
    assert not gone, "not there any more: remove these lines, or rename them with their tests"


def test_the_list_is_sorted_and_names_each_test_once() -> None:
    assert sorted(set(LISTED)) == LISTED
