"""Nested containers of arrays, as JAX keeps parameters: names for the leaves, and back.

``{"dense": {"kernel": a, "bias": b}}`` has the leaves ``dense/kernel`` and ``dense/bias``; in
lists, tuples and named tuples a leaf is called by its position or field.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np


def leaves(tree: Any, prefix: str = "") -> dict[str, Any]:
    """Returns the arrays of a tree by their names, in order; None is not a leaf."""
    arrays: dict[str, Any] = {}
    for name, child in _children(tree):
        path = f"{prefix}/{name}" if prefix else name
        if _is_node(child):
            arrays.update(leaves(child, path))
        elif child is not None:
            arrays[path] = child
    return arrays


def with_leaves(tree: Any, values: Mapping[str, Any], prefix: str = "") -> Any:
    """Returns a tree of the same form, with other arrays where ``values`` has some."""
    new = []
    for name, child in _children(tree):
        path = f"{prefix}/{name}" if prefix else name
        if _is_node(child):
            new.append(with_leaves(child, values, path))
        else:
            new.append(values.get(path, child))
    if isinstance(tree, Mapping):
        pairs = zip(tree, new, strict=True)
        return type(tree)(dict(pairs))  # type: ignore[call-arg]
    if hasattr(tree, "_fields"):
        return type(tree)(*new)
    return type(tree)(new)


def as_numpy(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns arrays of any framework as arrays of NumPy."""
    return {name: np.asarray(value) for name, value in values.items()}


def _is_node(value: Any) -> bool:
    return isinstance(value, (Mapping, list, tuple))


def _children(tree: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(tree, Mapping):
        yield from ((str(key), tree[key]) for key in tree)
    else:
        names = getattr(tree, "_fields", range(len(tree)))
        yield from ((str(name), child) for name, child in zip(names, tree, strict=True))
