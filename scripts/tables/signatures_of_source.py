"""Writes the parameters of functions, classes and methods of a package by its source, as JSON.

For TensorFlows that no Python here can import. It reads a list of dotted names as JSON from
standard input; the result is that of signatures.py:

    python scripts/tables/signatures_of_source.py FOLDER RESULT.json < NAMES.json

FOLDER has the packages, as in an unpacked wheel.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Place:
    """Something in the source: a module, or a definition in one."""

    module: str
    node: ast.FunctionDef | ast.ClassDef | None = None


class Source:
    """The modules of a folder, which are read and never run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: set[tuple[str, str]] = set()

    def found(self, dotted: str) -> Place | None:
        """Returns what a dotted name is; None for what is not in the source."""
        root, *parts = dotted.split(".")
        place: Place | None = Place(root)
        for part in parts:
            if place is None:
                return None
            place = self.member(place.module, part) if place.node is None else None
        return place

    def member(self, module: str, name: str) -> Place | None:
        """Returns what a module binds a name to, the last statement first."""
        tree = self._tree(module)
        if tree is None or (module, name) in self._open:
            return None
        self._open.add((module, name))
        try:
            for statement in reversed(list(_statements(tree.body))):
                place = self._bound(module, statement, name)
                if place is not None:
                    return place
        finally:
            self._open.discard((module, name))
        return Place(f"{module}.{name}") if self._path(f"{module}.{name}") else None

    def _bound(self, module: str, statement: ast.stmt, name: str) -> Place | None:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            return Place(module, statement) if statement.name == name else None
        if isinstance(statement, ast.ImportFrom) and not statement.level and statement.module:
            for alias in statement.names:
                if alias.name == "*" and not name.startswith("_"):
                    if self._path(statement.module):
                        return self.member(statement.module, name)
                elif (alias.asname or alias.name) == name:
                    return self.member(statement.module, alias.name)
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.asname == name:
                    return self.found(alias.name)
        if isinstance(statement, ast.Assign):
            (target, *_) = statement.targets
            if isinstance(target, ast.Name) and target.id == name:
                return self.value(module, statement.value)
        return None

    def value(self, module: str, node: ast.expr) -> Place | None:
        """Returns what an expression is that only names something."""
        if isinstance(node, ast.Name):
            return self.member(module, node.id)
        if isinstance(node, ast.Attribute):
            held = self.value(module, node.value)
            return self.member(held.module, node.attr) if held and held.node is None else None
        return None

    def methods(self, place: Place) -> dict[str, list[str]]:
        """Returns the methods of a class, inherited ones too, without their self."""
        found: dict[str, list[str]] = {}
        assert isinstance(place.node, ast.ClassDef)
        for base in reversed(place.node.bases):
            held = self.value(place.module, base)
            if held is not None and isinstance(held.node, ast.ClassDef):
                found.update(self.methods(held))
        for statement in place.node.body:
            if isinstance(statement, ast.FunctionDef):
                kinds = {d.id for d in statement.decorator_list if isinstance(d, ast.Name)}
                if not kinds & {"property", "staticmethod", "classmethod"}:
                    found[statement.name] = _parameters(statement)[1:]
        return found

    @cache  # noqa: B019 - one object for the whole run
    def _tree(self, module: str) -> ast.Module | None:
        path = self._path(module)
        return ast.parse(path.read_text("utf-8")) if path else None

    def _path(self, module: str) -> Path | None:
        path = self._folder.joinpath(*module.split("."))
        files = (path / "__init__.py", path.with_suffix(".py"))
        return next((file for file in files if file.exists()), None)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yields the statements of a module, those in `if` and `try` too."""
    for statement in body:
        if isinstance(statement, (ast.If, ast.Try)):
            yield from _statements(statement.body)
        yield statement


def _parameters(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    named = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return named + [f"{a.arg}*" for a in (arguments.vararg, arguments.kwarg) if a is not None]


def main() -> None:
    """Looks all names up."""
    source = Source(Path(sys.argv[1]))
    result: dict[str, list[str]] = {}
    for name in json.load(sys.stdin):
        place = source.found(name)
        if place is None or place.node is None:
            continue
        if isinstance(place.node, ast.FunctionDef):
            result[name] = _parameters(place.node)
            continue
        methods = source.methods(place)
        result[name] = methods.pop("__init__", [])
        result.update({f"{name}.{m}": p for m, p in methods.items() if not m.startswith("_")})
    Path(sys.argv[2]).write_text(json.dumps(result), "utf-8")


if __name__ == "__main__":
    main()
