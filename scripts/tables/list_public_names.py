"""Writes tests/runtime/public_names.txt: what code imports of the runtime and of tfmigrate.api.

python scripts/tables/list_public_names.py    half a minute; needs TensorFlow

A line that goes or changes is a change for programs: see docs/reference/compatibility.md.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from enum import EnumMeta
from pathlib import Path
from typing import Any

from tfmigrate.tables.runtime_api import PACKAGES

LIST = Path(__file__).parents[2] / "tests" / "runtime" / "public_names.txt"
API = "tfmigrate.api"
# What people call of the runtime besides the names that the migrator writes.
OTHERS = ("tfmigrate_runtime.verify",)
OWN = ("tfmigrate.", "tfmigrate_runtime.")

HEAD = """\
# Written by scripts/tables/list_public_names.py; docs/reference/compatibility.md says what a
# version promises. Names without arguments are constants, modules, or TensorFlow's own.
"""


def text() -> str:
    """Returns the text of the list."""
    parts = [HEAD]
    for module, names in sorted(_modules().items()):
        lines = "\n".join(line for name in sorted(names) for line in _lines(module, name))
        parts.append(f"\n## {module}\n{lines}\n")
    return "".join(parts)


def _modules() -> dict[str, set[str]]:
    """Returns the public names of each module."""
    found = {
        f"{package.target}.{path}".rstrip("."): set(names)
        for package in PACKAGES
        for path, names in package.modules.items()
        if names
    }
    for name in (API, *OTHERS):
        found[name] = set(importlib.import_module(name).__all__)
    return found


def _lines(module: str, name: str) -> Iterator[str]:
    """Yields a name with its arguments, and those of its methods."""
    value = getattr(importlib.import_module(module), name)
    yield name + _arguments(value)
    if inspect.isclass(value) and not issubclass(value, BaseException):
        own = [c for c in value.__mro__ if str(c.__module__).startswith(OWN)]
        members = {key: held for c in reversed(own) for key, held in vars(c).items()}
        for key in sorted(key for key in members if not key.startswith("_")):
            static = isinstance(members[key], (staticmethod, classmethod))
            held = members[key].__func__ if static else members[key]
            yield f"{name}.{key}" + (_arguments(held) if inspect.isfunction(held) else "")


def _arguments(value: Any) -> str:
    """Returns the arguments of what is the project's own, "" for other things."""
    if isinstance(value, EnumMeta):  # whose own arguments are Python's, by its version
        return ""
    if not str(getattr(value, "__module__", "")).startswith(OWN) or not callable(value):
        return ""
    maker = _maker(value) if inspect.isclass(value) else None
    if isinstance(maker, str):
        return maker
    try:
        parameters = [*inspect.signature(maker or value).parameters.values()][bool(maker) :]
    except ValueError:
        return ""
    plain = [p.replace(annotation=p.empty) for p in parameters]
    arguments = str(inspect.Signature(plain))
    return re.sub(r"<(\w+)[^<>]*( at 0x\w+)?>", r"<\1>", arguments)


def _maker(value: type) -> Any:
    """Returns the project's own constructor of a class; "" where it is another package's.

    The arguments of others differ between versions of TensorFlow. inspect takes them for those of
    the project before Python 3.11, where another package's ``__new__`` is in the way.
    """
    owners = {
        name: next(each for each in value.__mro__ if name in vars(each))
        for name in ("__init__", "__new__")
    }
    for name, owner in owners.items():
        if str(owner.__module__).startswith(OWN):
            return getattr(value, name)
    return None if set(owners.values()) == {object} else ""


if __name__ == "__main__":
    LIST.write_text(text(), "utf-8")
