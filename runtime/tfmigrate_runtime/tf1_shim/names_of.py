"""Modules that take their names from other modules."""

from collections.abc import Callable
from types import ModuleType
from typing import Any


def names_of(package: str, *modules: ModuleType) -> tuple[Callable[[str], Any], list[str]]:
    """Returns what a module needs to have the names of others, without what those import.

    Args:
        package: the name of the module, for its errors.
        modules: where a name is looked up, in this order.

    Returns:
        The module's ``__getattr__``, and its ``__all__``: the public names of all of them.
    """

    def look_up(name: str) -> Any:
        for module in () if name.startswith("__") else modules:
            if hasattr(module, name) and not _is_imported(module, getattr(module, name)):
                return getattr(module, name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    public = {
        name
        for module in modules
        for name in getattr(module, "__all__", None) or dir(module)
        if not name.startswith("_") and not _is_imported(module, getattr(module, name))
    }
    return look_up, sorted(public)


def taken(source: Any, names: str) -> dict[str, Any]:
    """Returns some names of a module, separated by spaces, with what they mean."""
    return {name: getattr(source, name) for name in names.split()}


def _is_imported(module: ModuleType, value: Any) -> bool:
    """Returns whether a value is a module of another project (``os`` in tf_slim)."""
    if not isinstance(value, ModuleType):
        return False
    return value.__name__.partition(".")[0] != module.__name__.partition(".")[0]
