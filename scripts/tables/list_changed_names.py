"""Writes the names and parameters that only TensorFlow 2 has, and names that mean another thing.

The migrator reads them to keep away from files of TensorFlow 2, and to know which files of a
TensorFlow 1.x program mean TensorFlow 1.x though every name in them is still there. Run it with the
newest supported TensorFlow installed:

    python scripts/tables/list_changed_names.py
"""

from __future__ import annotations

import datetime
import inspect
import os
import types
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")  # tf.losses is Keras's

import tensorflow as tf

TARGET = Path(__file__).parents[2] / "migrator/tfmigrate/data/changed_names.txt"
# Keras and compat hold both generations; python and tools are not public, and both generations have
# them; None has no counterpart to compare.
SKIPPED = {"compat", "keras", "python", "tools", "newaxis"}
DEPTH = 4


def names_of_v2(
    new: types.ModuleType, old: types.ModuleType, prefix: str = ""
) -> Iterator[tuple[str, str]]:
    """Yields ("only", "changed" or "keyword", dotted name), each at its shortest."""
    for name in sorted(n for n in dir(new) if not n.startswith("_") and n not in SKIPPED):
        try:
            value = getattr(new, name)
        except (AttributeError, ImportError):  # a lazy module whose package is not installed
            continue
        counterpart = getattr(old, name, None)
        if counterpart is None:
            yield "only", prefix + name
        elif isinstance(value, types.ModuleType):
            if value is not new and value is not counterpart and prefix.count(".") < DEPTH:
                yield from names_of_v2(value, counterpart, f"{prefix}{name}.")
        elif value is not counterpart and _differs(value, counterpart):
            yield "changed", prefix + name
            for parameter in _added_parameters(value, counterpart):
                yield "keyword", f"{prefix}{name}.{parameter}"


def _differs(new: object, old: object) -> bool:
    """Returns whether two things of one name are called differently, or are different classes."""
    if inspect.isclass(new) or not (callable(new) and callable(old)):
        return True
    return list(inspect.signature(new).parameters) != list(inspect.signature(old).parameters)


def _added_parameters(new: object, old: object) -> list[str]:
    """Returns the parameters that only the new one has; none where the old one takes any."""
    if not (callable(new) and callable(old)):
        return []
    try:
        parameters, before = inspect.signature(new).parameters, inspect.signature(old).parameters
    except ValueError:  # a class of C++
        return []
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    if any(parameter.kind is variadic[1] for parameter in before.values()):
        return []
    return [n for n, p in parameters.items() if n not in before and p.kind not in variadic]


def main() -> None:
    """Writes the lists, with the version they were taken from."""
    names = list(names_of_v2(tf, tf.compat.v1))
    header = (
        '# Names of TensorFlow 2\'s top level that compat.v1 has not ("only"), or has with other\n'
        '# parameters or as another class ("changed"); "keyword": a parameter it lacks there.\n'
        f"# Made by scripts/tables/list_changed_names.py from TensorFlow {tf.__version__}, "
        f"{datetime.date.today().isoformat()}.\n"
    )
    lines = [f"{kind} {name}\n" for kind, name in sorted(names)]
    TARGET.write_text(header + "".join(lines), encoding="utf-8")
    print(f"{len(names)} names written to {TARGET}")


if __name__ == "__main__":
    main()
