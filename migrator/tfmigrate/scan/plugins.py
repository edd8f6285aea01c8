"""Rules of other packages, which name them in the entry point group ``tfmigrate.rules``.

Those of ``--target keras`` are among them: the package tfmigrate_keras is not imported by this one.
"""

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
    module_names = []
    for name, value in _entry_points().items():
        if (spec := _spec(value)) is None:
            raise UsageError(
                f"the entry point {name} of {GROUP} names the module {value}, which is not "
                "installed; reinstall its package"
            )
        if (inside := spec.submodule_search_locations) is None:
            module_names.append(value)
        else:
            module_names += [f"{value}.{info.name}" for info in pkgutil.iter_modules(inside)]
    return tuple(module_names)


def texts() -> Iterator[str]:
    """Yields the source of each module with rules, without importing it."""
    for name in modules():
        if (spec := _spec(name)) is not None and spec.origin is not None:
            yield Path(spec.origin).read_text("utf-8")


def files() -> Iterator[Path]:
    """Yields the files that rules may be made of: all of their packages, or their module alone."""
    for name in sorted({name.partition(".")[0] for name in modules()}):
        spec = _spec(name)
        assert spec is not None, name
        if spec.submodule_search_locations is None:
            yield Path(str(spec.origin))
        for folder in spec.submodule_search_locations or ():
            yield from Path(folder).rglob("*")


def _entry_points() -> dict[str, str]:
    """Returns the modules of the group by the names of their entry points.

    Read from the files: importlib.metadata takes longer than a small run.
    """
    modules_by_name: dict[str, str] = {}
    for folder in dict.fromkeys(sys.path):
        for file in sorted(Path(folder or ".").glob("*.dist-info/entry_points.txt")):
            _, _, section = file.read_text("utf-8").partition(f"[{GROUP}]\n")
            for line in section.partition("\n[")[0].splitlines():
                name, is_point, value = line.partition("=")
                if is_point:
                    modules_by_name.setdefault(name.strip(), value.strip())
    return modules_by_name


def _spec(name: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError:  # the package around it
        return None
