"""Gives sets of texts and tuples one order in the program that is recorded.

``list(set(text))`` is the vocabulary of many programs that learn characters or words. Its order
depends on how Python hashes texts, which PYTHONHASHSEED does not pin across versions: 3.7 and 3.11
hash them differently, and tuples too. A right migration was called different at its first batch.
Any order is one that Python may choose.

Only the name ``set`` in the program's own files is replaced: sets of libraries, and those that
a program writes as ``{...}``, have Python's order.
"""

import functools
import importlib.machinery
import os
from typing import Any, Callable, Iterator

from . import wrapping

_UNPINNED = (str, bytes, tuple)
_OPERATORS = (
    *("__and__", "__or__", "__sub__", "__xor__", "__rand__", "__ror__", "__rsub__", "__rxor__"),
    *("copy", "difference", "intersection", "symmetric_difference", "union"),
)


class _Kind(type):
    """Lets ``isinstance(value, set)`` be true of all sets, as the program expects."""

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, set)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, set)


class OrderedSet(set, metaclass=_Kind):  # type: ignore[type-arg]  # Python 3.6 has no set[Any]
    """A set that is iterated in order where its items are texts or tuples."""

    def __iter__(self) -> Iterator[Any]:
        """Returns the items, sorted where Python's order is not pinned."""
        items = super().__iter__()
        if not isinstance(next(super().__iter__(), None), _UNPINNED):
            return items
        try:
            return iter(sorted(items))
        except TypeError:  # texts and numbers, say
            return super().__iter__()

    def pop(self) -> Any:
        """Removes the first item and returns it."""
        for item in self:
            self.remove(item)
            return item
        return super().pop()  # which raises that it is empty

    def __repr__(self) -> str:
        """Returns the text of a plain set."""
        items = ", ".join(map(repr, self))
        return f"{{{items}}}" if items else "set()"

    def __reduce__(self) -> Any:
        """Lets other processes, which have no recorder, have it as a plain set."""
        return set, (list(self),)


def _returning_ordered(name: str) -> Callable[..., Any]:
    original = getattr(set, name)

    @functools.wraps(original)
    def method(*arguments: Any) -> Any:
        result = original(*arguments)
        return result if result is NotImplemented else OrderedSet(result)

    return method


for _name in _OPERATORS:
    setattr(OrderedSet, _name, _returning_ordered(_name))


def install(folder: str) -> None:
    """Has the modules of a folder see OrderedSet as ``set``.

    Args:
        folder: of the program, with its packages.
    """
    loader: Any = importlib.machinery.SourceFileLoader
    inside = os.path.join(os.path.realpath(folder), "")

    def name_set(_loader: Any, module: Any) -> None:
        path = os.path.realpath(getattr(module, "__file__", None) or os.devnull)
        if path.startswith(inside) and "site-packages" not in path:
            module.__dict__.setdefault("set", OrderedSet)

    wrapping.before(loader, "exec_module", name_set)
