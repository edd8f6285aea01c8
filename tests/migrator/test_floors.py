"""Packages import from floors below only, and no modules import each other in a circle.

The floors are the table in ARCHITECTURE.md. Packages whose modules are found by listing them
(rules, tables, commands, formats of reports) are looked up with importlib, which counts as no
import.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import tfmigrate

PACKAGE = Path(tfmigrate.__file__).parent
ARCHITECTURE = Path(__file__).resolve().parents[2] / "ARCHITECTURE.md"
ROOT = {"__init__", "__main__", "api", "cli"}
LARGEST = 60  # modules of a package, those of rules/ and tables/ apart
SHOWN = re.compile(r"^\| `([a-z0-9_/]+)/` \|", re.MULTILINE)


def floors() -> list[str]:
    """Returns the packages from the ground up, as dotted names below tfmigrate."""
    text = ARCHITECTURE.read_text(encoding="utf-8").partition("## The packages of the runtime")[0]
    return [name.replace("/", ".") for name in SHOWN.findall(text)]


def modules() -> dict[str, Path]:
    """Returns the modules by their dotted names below tfmigrate."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts) or "__init__"] = path
    return found


def imported(path: Path, known: dict[str, Path]) -> Iterator[tuple[int, str]]:
    """Yields the modules of tfmigrate that a module imports, wherever it does."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            base = f"{node.module}.".removeprefix("tfmigrate.")
            if f"{node.module}.".startswith("tfmigrate."):
                for alias in node.names:
                    name = base + alias.name
                    yield node.lineno, name if name in known else base.rstrip(".") or "__init__"


def floor(name: str, order: list[str]) -> int:
    """Returns the floor of a module; the command line itself is above all."""
    packages = [p for p in order if name == p or name.startswith(f"{p}.")]
    if packages:
        return order.index(max(packages, key=len))
    assert name in ROOT | {"families"}, f"{name} is on no floor of ARCHITECTURE.md"
    return -1 if name in ("__init__", "families") else len(order)


@pytest.mark.parametrize("name", modules())
def test_a_module_imports_from_its_floor_and_those_below(name: str) -> None:
    known, order = modules(), floors()
    own = floor(name, order)
    up = [
        f"line {line}: {other}"
        for line, other in imported(known[name], known)
        if floor(other, order) > own
    ]
    assert up == []


def test_every_floor_is_a_package_and_says_what_it_is() -> None:
    known, order = modules(), floors()
    assert len(order) == len(set(order)) > 10
    for package in order:
        assert known[package].name == "__init__.py"
        assert ast.get_docstring(ast.parse(known[package].read_text(encoding="utf-8")))


def test_no_modules_import_each_other_in_a_circle() -> None:
    known = modules()
    edges = {name: {other for _, other in imported(p, known)} for name, p in known.items()}
    done: set[str] = set()

    def circle(name: str, way: tuple[str, ...]) -> tuple[str, ...]:
        if name in way:
            return (*way[way.index(name) :], name)
        if name in done:
            return ()
        found = next((c for o in sorted(edges[name]) if (c := circle(o, (*way, name)))), ())
        done.add(name)
        return found

    assert [c for name in sorted(known) if (c := circle(name, ()))] == []


def test_the_root_holds_the_command_line_and_no_more() -> None:
    assert {path.stem for path in PACKAGE.glob("*.py")} == ROOT


def test_no_package_grows_into_a_heap() -> None:
    for package in floors():
        folder = PACKAGE / package.replace(".", "/")
        if package not in ("rules", "tables"):
            assert len([*folder.glob("*.py")]) <= LARGEST, package
