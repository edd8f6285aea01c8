"""Writes docs/reference/api.md: the public names of tfmigrate and its runtime, from their source.

python scripts/pages/api.py            writes the page
python scripts/pages/api.py --check    exit code 1 where the page is not up to date

The source of modules is parsed, not imported, so that no TensorFlow is needed.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tfmigrate_runtime import PUBLIC

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "api.md"
SOURCES = (ROOT / "migrator", ROOT / "runtime")
_HEAD = """# Python API

The public names of `tfmigrate`, for [rules of your own](../how_to/own_rules.md), and of
`tfmigrate_runtime`, which migrated programs import. The [glossary](glossary.md) has the terms. A
name that TensorFlow 1.x had too takes the same arguments; [the runtime](runtime.md) says
what differs.

<!-- Written by scripts/pages/api.py from the source. -->
"""
_Definition = ast.ClassDef | ast.FunctionDef


@cache
def parsed(module: str) -> ast.Module | None:
    """Returns the syntax tree of a module of ours; None for others."""
    for source in SOURCES:
        path = source.joinpath(*module.split("."))
        for file in (path / "__init__.py", path.with_suffix(".py")):
            if file.is_file():
                return ast.parse(file.read_text(encoding="utf-8"))
    return None


def public(tree: ast.Module) -> list[str]:
    """Returns the names of ``__all__``, or else those that a module defines or re-exports."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names = node.value.elts if isinstance(node.value, ast.List) else []
            return [name.value for name in names if isinstance(name, ast.Constant)]
    names = [node.name for node in tree.body if isinstance(node, _Definition)]
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    names += [a.asname for node in imports for a in node.names if a.asname == a.name]
    return sorted(name for name in names if name and not name.startswith("_"))


def definition(module: str, name: str) -> tuple[str, _Definition] | None:
    """Returns what a name of a module is defined by, through imports; None if not by us."""
    tree = parsed(module)
    for node in tree.body if tree is not None else ():
        if isinstance(node, _Definition) and node.name == name:
            return module, node
        if isinstance(node, ast.ImportFrom) and node.module and node.module != module:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return definition(node.module, alias.name)
    return None


def base(module: str, node: ast.ClassDef) -> tuple[str, _Definition] | None:
    """Returns the definition of the first base of a class, with its module."""
    named = node.bases[0] if node.bases else None
    if isinstance(named, ast.Name):
        return definition(module, named.id)
    tree = parsed(module)
    if isinstance(named, ast.Attribute) and tree is not None:
        for statement in tree.body:
            if isinstance(statement, ast.ImportFrom):
                for alias in statement.names:
                    if (alias.asname or alias.name) == ast.unparse(named.value):
                        return definition(f"{statement.module}.{alias.name}", named.attr)
    return None


def signature(module: str, node: _Definition) -> str:
    """Returns the arguments of a function or of a class, without their types."""
    function: ast.FunctionDef | None = None
    if isinstance(node, ast.FunctionDef):
        function = node
    else:
        methods = [m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"]
        function = methods[0] if methods else None
        if function is None and (inherited := base(module, node)):
            return signature(*inherited)
    if function is None:
        return ""
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    for argument in every:
        if argument is not None:
            argument.annotation = None
    shown = ast.unparse(given)
    if isinstance(node, ast.ClassDef):
        shown = shown.removeprefix("self").removeprefix(", ")
    return f"({shown})"


def summary(node: ast.AST) -> str:
    """Returns the first line of a docstring as Markdown."""
    text = ast.get_docstring(node) if isinstance(node, _Definition | ast.Module) else None
    line = (text or "").partition("\n")[0]
    return line.replace("``", "`").replace("|", "\\|")


def section(module: str) -> Iterator[str]:
    """Yields the lines about a module; one without definitions of ours has a sentence only."""
    tree = parsed(module)
    assert tree is not None, module
    yield f"## {module}\n"
    yield f"{summary(tree)}\n"
    found = [(name, definition(module, name)) for name in public(tree)]
    rows = [(name, node) for name, node in found if node is not None]
    if rows:
        yield "| name | |\n|---|---|"
        for name, (owner, node) in rows:
            shown = f"`{name}{signature(owner, node)}`".replace("|", "\\|")
            yield f"| {shown} | {summary(node)} |"
        yield ""


def page() -> str:
    """Returns the page."""
    parts = [_HEAD, *section("tfmigrate.api")]
    for name in PUBLIC:
        parts += section(f"tfmigrate_runtime.{name}")
    return "\n".join(parts).rstrip() + "\n"


def main() -> int:
    """Writes the page, or reports that it is not up to date."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    wanted = page()
    if not parser.parse_args().check:
        PAGE.write_text(wanted, encoding="utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == wanted:
        return 0
    print(f"docs/reference/{PAGE.name} is not up to date: python {sys.argv[0]}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
