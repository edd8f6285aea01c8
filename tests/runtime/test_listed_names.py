"""No name that programs import goes, and no argument of one, without a line in a diff."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "tables" / "list_public_names.py"
HINT = "see docs/reference/compatibility.md; scripts/tables/list_public_names.py writes the list"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("list_public_names", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def entries(text: str) -> set[tuple[str, str]]:
    """Returns the lines of the list, each with its module."""
    parts = [part.partition("\n") for part in text.split("\n## ")[1:]]
    return {(module, line) for module, _, lines in parts for line in lines.splitlines() if line}


def test_the_list_is_what_the_code_has(script: ModuleType) -> None:
    listed, present = entries(script.LIST.read_text("utf-8")), entries(script.text())
    assert len(listed) > 1500
    assert sorted(listed - present) == [], f"these are gone or changed; {HINT}"
    assert sorted(present - listed) == [], f"these are new; {HINT}"


def test_a_function_without_an_argument_is_another_line(script: ModuleType) -> None:
    def before(a: int, b: int = 1) -> None: ...

    def after(a: int) -> None: ...

    for function in (before, after):
        function.__module__ = "tfmigrate_runtime.example"
    assert script._arguments(before) == "(a, b=1)"
    assert script._arguments(after) == "(a)"
    assert script._arguments(print) == ""
