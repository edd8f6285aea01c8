"""Rules of other packages, which name them in the entry point group ``tfmigrate.rules``."""

from __future__ import annotations

import importlib.util
import pkgutil
import sys
from collections.abc import Iterator
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path

from tfmigrate.files.discover import UsageError

GROUP = "tfmigrate.rules"


@cache
def modules() -> tuple[str, ...]:
    """Returns the names of the modules with rules, those of packages one by one.

    Raises:
        UsageError: A module that a package names cannot be found.
    """
    if not _are_any_installed():
        return ()
    from importlib.metadata import entry_points

    found = []
    for point in entry_points(group=GROUP):
        spec = _spec(point.value)
        if spec is None:
            raise UsageError(
                f"the entry point {point.name} of {GROUP} names the module {point.value}, which is "
                "not installed; reinstall its package"
            )
        inside = spec.submodule_search_locations
        if inside is None:
            found.append(point.value)
        else:
            found += [f"{point.value}.{info.name}" for info in pkgutil.iter_modules(inside)]
    return tuple(found)


def texts() -> Iterator[str]:
    """Yields the source of each module with rules, without importing it."""
    for name in modules():
        spec = _spec(name)
        if spec is not None and spec.origin is not None:
            yield Path(spec.origin).read_text("utf-8")


def _are_any_installed() -> bool:
    """Returns whether a package names rules; importlib.metadata takes longer than a small run."""
    section = f"[{GROUP}]".encode()
    for folder in dict.fromkeys(sys.path):
        for file in Path(folder or ".").glob("*.dist-info/entry_points.txt"):
            if section in file.read_bytes():
                return True
    return False


def _spec(name: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError:  # the package around it
        return None
