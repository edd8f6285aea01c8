"""Finding calls in a program's source by what they call, and putting something in their place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Found = Iterator[tuple[ast.expr, str]]  # a node, and what stands in its place


def replaced(text: str, node: ast.expr, new: str) -> str:
    """Returns a file with other source in the place of one expression."""
    lines = text.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    assert node.end_lineno is not None and node.end_col_offset is not None
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    whole = text.encode()
    return (whole[:start] + new.encode() + whole[end:]).decode()


def source(node: ast.AST, text: str) -> str:
    """Returns the source of a node, in parentheses where it has several lines."""
    found = ast.get_source_segment(text, node) or ast.unparse(node)
    return f"({found})" if "\n" in found else found


def last_name(function: ast.expr) -> str | None:
    """Returns ``c`` for ``a.b.c`` and for ``c``."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else None


def calls(tree: ast.AST, *names: str) -> Iterator[ast.Call]:
    """Returns calls of functions and methods with these last names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and last_name(node.func) in names:
            yield node


def keyword(call: ast.Call, *names: str) -> ast.expr | None:
    """Returns an argument that is given by one of these names."""
    return next((k.value for k in call.keywords if k.arg in names), None)


def argument(call: ast.Call, position: int, *names: str) -> ast.expr | None:
    """Returns an argument by its name or, where it has none, its position."""
    named = keyword(call, *names)
    if named is not None or position >= len(call.args):
        return named
    return call.args[position]


def with_keyword(call: ast.Call, name: str, value: str, positions: int | None = None) -> str:
    """Returns a call with one keyword argument more, or another value for it.

    Args:
        call: the call.
        name: the argument.
        value: its new source.
        positions: how many positional arguments are kept, None for all.
    """
    changed = ast.Call(
        call.func, list(call.args[:positions]), [k for k in call.keywords if k.arg != name]
    )
    changed.keywords.append(ast.keyword(name, ast.parse(value, mode="eval").body))
    return ast.unparse(changed)


def is_none(node: ast.expr) -> bool:
    """Returns whether it is the constant None."""
    return isinstance(node, ast.Constant) and node.value is None
