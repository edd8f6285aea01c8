"""Raise statements of Python 2, which the fixer of fissix converts once they are in its form."""

import builtins
import importlib
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any


def raised(match: Callable[[Any], Any], node: Any) -> Any:
    """Returns the match of a raise statement, which is edited where fissix would fail or be wrong.

    fissix takes all parentheses for those of a tuple, `ValueError, None, traceback` for an
    exception that is there, and the exception in `type(e), e, traceback` for the text of a new one.
    """
    if not (captures := match(node)):
        return captures
    exception = _first_of_tuples(node, captures)
    if str(exception).strip()[:1] in ("'", '"') or str(exception).strip() == "()":
        _drop_from(node, 2)  # a TypeError since Python 2.6, whatever follows
        return False
    if (value := captures.get("val")) is not None and _is_of_class(exception, value, node):
        exception = captures["exc"] = _replaced(exception, value)
        value.replace(none := _leaf("None"))
        captures["val"] = value = none
    if value is None:
        return False
    if str(value).strip() != "None":
        return captures
    if "tb" not in captures:
        _drop_from(node, 2)
        return False
    if _is_class(exception):
        utilities: Any = importlib.import_module("fissix.fixer_util")
        captures["exc"] = _replaced(exception, utilities.Call(exception.clone()))
    return captures


def _first_of_tuples(node: Any, captures: dict[str, Any]) -> Any:
    """Returns what is raised, without parentheses: of a tuple, the first part, as Python 2."""
    outer = exception = captures["exc"]
    is_tuple = False
    while [str(part).strip() for part in exception.children[::2]] == ["(", ")"]:
        exception = exception.children[1]
        if "," in [str(part).strip() for part in exception.children[1:2]]:
            exception, is_tuple = exception.children[0], True
    if exception is outer or not (is_tuple or "val" in captures):
        return exception
    captures["exc"] = exception = _replaced(outer, exception)
    return exception


def _replaced(old: Any, new: Any) -> Any:
    new = new.clone()
    new.prefix = " "
    old.replace(new)
    return new


def _drop_from(node: Any, index: int) -> None:
    for part in node.children[index:]:
        part.remove()


def _leaf(name: str) -> Any:
    utilities: Any = importlib.import_module("fissix.fixer_util")
    return utilities.Name(name, prefix=" ")


def _is_class(exception: Any) -> bool:
    known = getattr(builtins, str(exception).strip(), None)
    return isinstance(known, type) and issubclass(known, BaseException)


def _is_of_class(exception: Any, value: Any, node: Any) -> bool:
    """Returns whether a value is an exception of the class before it: `type(e), e`."""
    kind, name = str(exception).strip(), str(value).strip()
    owner = kind.removesuffix("[0]")
    called = "".join(map(str, value.children[:-1])).strip()
    return (
        kind in (f"type({name})", f"{name}.__class__")
        or (owner != kind and name == f"{owner}[1]")
        or (called == kind and str(value.children[-1]).startswith("("))
        or (kind, name) in _caught(node)
    )


def _caught(node: Any) -> Iterator[tuple[str, str]]:
    """Yields the first two names of each `kind, value, traceback = sys.exc_info()` of the file."""
    while node.parent is not None:
        node = node.parent
    for statement in node.pre_order():
        parts = [str(part).strip() for part in statement.children]
        if parts[1:] == ["=", "sys.exc_info()"]:
            names = [str(leaf).strip() for leaf in statement.children[0].leaves()]
            yield from list(pairwise(n for n in names if n not in ("(", ")", ",")))[:1]
