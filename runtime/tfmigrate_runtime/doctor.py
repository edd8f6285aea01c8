"""Lists names that the installed packages do not have; ``tfmigrate doctor`` runs it as a process.

It reads JSON from its standard input, ``{"names": [[module, member, attributes], ...]}``, and
prints ``{"versions": {...}, "missing": [...]}``: for every name "" or why it is not there. A name
represents ``import module``, ``from module import member`` (where member is not ""), and the chain
of attributes ("train.Saver") below that. Only the packages named are imported, no user code.

``--python`` may be an old Python, on which annotations are not to be evaluated.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from types import ModuleType
from typing import Any

_MODULES = ("tensorflow", "tf_keras")


def main() -> None:
    """Answers one question, as the module says."""
    # What packages print while they are imported must not come between the lines of JSON.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answer:
        os.dup2(2, 1)
        names = json.load(sys.stdin)["names"]
        missing = [why_missing(module, member, below) for module, member, below in names]
        json.dump({"versions": _versions(), "missing": missing}, answer)


def why_missing(module: str, member: str, attributes: str) -> str:
    """Returns why a name is not there; "" where it is.

    Args:
        module: what is imported ("tensorflow.compat.v1").
        member: what is imported from it; "" for the module itself.
        attributes: the chain of attributes of what was imported ("train.Saver"); "" for none. What
            stands below a function or another value is not looked at.
    """
    try:
        value: Any = importlib.import_module(module)
        if member:
            value = _imported_from(value, module, member)
    except Exception as error:  # an import may fail in any way, and each means: it is not there
        return _told(error)
    for attribute in attributes.split(".") if attributes else ():
        if not isinstance(value, (ModuleType, type)):
            return ""
        try:
            value = getattr(value, attribute)
        except Exception as error:  # lazy modules import when they are asked, and fail as imports
            return _told(error)
    return ""


def _imported_from(value: ModuleType, module: str, member: str) -> Any:
    try:
        return getattr(value, member)
    except AttributeError as error:
        try:
            return importlib.import_module(f"{module}.{member}")
        except ModuleNotFoundError as missing:
            if missing.name == f"{module}.{member}":
                raise error from missing
            raise


def _told(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, (ImportError, AttributeError)) else f"{error!r}"


def _versions() -> dict[str, str]:
    """Returns the versions of the modules that are there; TensorFlow goes by several names."""
    versions = {}
    for name in _MODULES:
        if importlib.util.find_spec(name) is not None:
            try:
                versions[name] = str(importlib.import_module(name).__version__)
            except Exception as error:  # installed, and broken
                versions[name] = f"does not import: {_told(error)}"
    return versions


if __name__ == "__main__":
    main()
