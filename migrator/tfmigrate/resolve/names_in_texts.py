"""Names that a file reads by its texts: ``__all__``, doctests, ``globals()["x"]``, annotations."""

import ast
import contextlib
import doctest
from collections.abc import Iterator

from tfmigrate.resolve.syntax import Syntax

_NAMESPACES = ("globals", "locals", "vars")
_RUNS_TEXT = ("eval", "exec")


def names_in_texts(syntax: Syntax) -> frozenset[str]:
    """Returns the names that code in a file's texts, or ``__all__``, reads."""
    read_names: set[str] = set()
    for node in syntax.nodes:
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            read_names |= _names_of_doctests(ast.get_docstring(node, clean=False) or "")
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(annotation, ast.expr):
                read_names |= {name for text in texts_in(annotation) for name in _names(text)}
        if isinstance(node, ast.Call):
            read_names |= _names_of_run_texts(node)
        elif isinstance(node, ast.Subscript) and _is_call_of(node.value, _NAMESPACES):
            read_names |= set(texts_in(node.slice))
        elif _is_of_all(node):
            read_names |= set(texts_in(node))
    return frozenset(read_names)


def _is_of_all(node: ast.AST) -> bool:
    """Returns whether a statement gives ``__all__`` names."""
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        targets = [node.target]
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        targets = [node.value.func]
    else:
        return False
    names = (name for target in targets for name in ast.walk(target))
    return any(isinstance(name, ast.Name) and name.id == "__all__" for name in names)


def texts_in(node: ast.AST) -> Iterator[str]:
    """Yields the strings that are written in code."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


def _names(code: str) -> set[str]:
    """Returns the names that code reads and does not bind itself."""
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        names = [n for n in ast.walk(ast.parse(code)) if isinstance(n, ast.Name)]
        return {n.id for n in names if isinstance(n.ctx, ast.Load)}
    return set()


def _names_of_doctests(text: str) -> set[str]:
    if ">>>" not in text:
        return set()
    with contextlib.suppress(ValueError):  # a prompt without a blank behind it
        examples = doctest.DocTestParser().get_examples(text)
        return {name for example in examples for name in _names(example.source)}
    return set()


def _names_of_run_texts(call: ast.Call) -> set[str]:
    """Returns the names in texts for ``eval`` and ``exec``, and in ``globals().get(...)``."""
    if isinstance(call.func, ast.Name) and call.func.id in _RUNS_TEXT:
        parts = {text for argument in call.args for text in texts_in(argument)}
        return {name for part in parts for name in _names(part.rstrip("."))}  # "ops." + kind
    if isinstance(call.func, ast.Attribute) and _is_call_of(call.func.value, _NAMESPACES):
        return {text for argument in call.args[:1] for text in texts_in(argument)}
    return set()


def _is_call_of(node: ast.expr, names: tuple[str, ...]) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
