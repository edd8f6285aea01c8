"""Modules of tf.contrib whose names are in other places, as ``data/contrib_names.txt`` has them."""

import importlib
import importlib.util
import pkgutil
from functools import cache
from importlib import resources
from types import ModuleType
from typing import Any

from tfmigrate_runtime.compat.tf_slim_loader import load_tf_slim

WRITTEN = "tfmigrate_runtime.tf1_shim.contrib."
"""Where the modules are that are written here."""
_CONTRIB = "tensorflow.contrib."
_V1 = "tensorflow.compat.v1"


class ListedModule(ModuleType):
    """One of them. Its names are looked up when they are asked for.

    Attributes:
        roots: packages whose modules are its own too: those of tf.contrib.slim are in tf_slim.
    """

    def __init__(self, name: str, places: list[list[str]]) -> None:
        """Makes the module, by its name and by its lines of the file."""
        super().__init__(name)
        self.roots = [place for place, *names in places if names == ["/"]]
        self._whole = [place for place, *names in places if names == ["*"]]
        self._places = {
            ours: (place, theirs or ours)
            for place, *names in places
            for ours, _, theirs in (name.partition("=") for name in names)
            if ours not in "*/"
        }

    def __getattr__(self, name: str) -> Any:
        """Returns what a name is in its place.

        Raises:
            AttributeError: there is none.
        """
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if name in self._places:
            place, theirs = self._places[name]
            if place.startswith(_CONTRIB):  # a module, which asks for its names here itself
                return importlib.import_module(f"{place}.{theirs}")
            return getattr(_at(place), theirs)
        for module in map(_at, self._whole):
            if hasattr(module, name) and not _is_imported(module, getattr(module, name)):
                return getattr(module, name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        whole = {
            name
            for module in map(_at, self._whole)
            for name in getattr(module, "__all__", None) or dir(module)
            if not name.startswith("_") and not _is_imported(module, getattr(module, name))
        }
        return sorted({*self._places, *whole})


def emulated(below: str) -> ModuleType | None:
    """Returns the module with the names of ``tensorflow.contrib.<below>``; None for none."""
    return _listed(below) if below in lines() else imported(WRITTEN + below)


def imported(name: str) -> ModuleType | None:
    """Returns a module of the runtime or of tf_slim; None if there is none of this name."""
    if name.startswith("tf_slim."):
        load_tf_slim()
    try:
        exists = importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return None  # its parent is not a package
    return importlib.import_module(name) if exists else None


@cache
def lines() -> dict[str, list[list[str]]]:
    """Returns the words of the lines of each module, by what is behind tensorflow.contrib."""
    data = resources.files("tfmigrate_runtime.tf1_shim").joinpath("data/contrib_names.txt")
    modules: dict[str, list[list[str]]] = {}
    below = ""
    for line in data.read_text("utf-8").splitlines():
        if line.startswith("    "):
            modules[below][-1] += line.split()
        elif line.startswith("  "):
            modules[below].append(line.split())
        elif not line.startswith("#"):
            below = line
            modules[below] = []
    return modules


@cache
def _listed(below: str) -> ListedModule:
    return ListedModule(WRITTEN + below, lines()[below])


@cache
def _at(place: str) -> Any:
    """Returns the module, or what else has names, of a place in the file."""
    root, _, inner = place.partition(".")
    if root == "tf":
        return pkgutil.resolve_name(f"{_V1}:{inner}")
    if root == "tf_slim":
        load_tf_slim()
    below = place.removeprefix(WRITTEN)
    return _listed(below) if below != place and below in lines() else pkgutil.resolve_name(place)


def _is_imported(module: ModuleType, value: Any) -> bool:
    """Returns whether a value is a module of another project (``os`` in tf_slim)."""
    if not isinstance(value, ModuleType):
        return False
    return value.__name__.partition(".")[0] != module.__name__.partition(".")[0]
