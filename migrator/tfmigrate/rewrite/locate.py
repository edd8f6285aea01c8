"""Finds the LibCST node of an ``ast`` node.

Rules read ``ast``, which is faster and is what Python itself means; only libcst keeps the layout.
An edit of the wrong node would change other code without an error, so an expression is found by its
kind and both ends, or not at all.
"""

import ast
from collections import defaultdict

import libcst as cst
from libcst.metadata import CodeRange

from tfmigrate.resolve.module import Module


class RewriteError(Exception):
    """An edit could not be carried out; the file is left as it was."""


class Locator:
    """Finds the LibCST node of an ``ast`` node, by its kind and place."""

    def __init__(self, module: Module, ranges: dict[cst.CSTNode, CodeRange]) -> None:
        self._module = module
        self._by_start: dict[tuple[int, int], list[tuple[cst.CSTNode, tuple[int, int]]]]
        self._by_start = defaultdict(list)
        for node, place in ranges.items():
            first, last = place.start, place.end
            # The parentheses of a tuple are part of it for ast, and no others are.
            if isinstance(node, (cst.Tuple, cst.GeneratorExp)) and node.lpar:
                first, last = ranges[node.lpar[-1]].start, ranges[node.rpar[0]].end
            start, end = (first.line, first.column), (last.line, last.column)
            self._by_start[start].append((node, end))

    def find(self, node: ast.AST) -> cst.CSTNode:
        """Returns the node of the same kind that begins at the same place.

        Raises:
            RewriteError: there is none.
        """
        line, column = self._module.position(node)
        wanted = _libcst_kind(node)
        candidates = [
            (candidate, end)
            for candidate, end in self._by_start[line, column - 1]
            if type(candidate).__name__ in wanted
        ]
        if len(candidates) > 1 or isinstance(node, ast.expr):
            exact = [(candidate, end) for candidate, end in candidates if end == self._end(node)]
            # `f(x)(y)` and `f(x)` are both calls that begin here: the end decides.
            candidates = exact if isinstance(node, ast.expr) else exact or candidates
        if not candidates:
            raise RewriteError(
                f"cannot find {type(node).__name__} at {line}:{column} in the LibCST tree"
            )
        return candidates[0][0]

    def _end(self, node: ast.AST) -> tuple[int, int]:
        line: int = node.end_lineno  # type: ignore[attr-defined]
        offset: int = node.end_col_offset  # type: ignore[attr-defined]
        return line, self._module.column(line, offset)


_RENAMED_KINDS = {
    "Constant": (
        "SimpleString",
        "ConcatenatedString",
        "Integer",
        "Float",
        "Imaginary",
        "Name",
        "Ellipsis",
    ),
    "JoinedStr": ("FormattedString", "ConcatenatedString"),
    "Delete": ("Del",),
    "BoolOp": ("BooleanOperation",),
    "BinOp": ("BinaryOperation",),
    "UnaryOp": ("UnaryOperation",),
    "Compare": ("Comparison",),
    "AsyncFunctionDef": ("FunctionDef",),
    "AsyncFor": ("For",),
    "AsyncWith": ("With",),
    "Starred": ("StarredElement",),
}


def _libcst_kind(node: ast.AST) -> tuple[str, ...]:
    name = type(node).__name__
    return _RENAMED_KINDS.get(name, (name,))
