"""Writes the names that only TensorFlow 2 has, and those that mean another thing there.

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
# Keras and compat hold both generations; python is not public; None has no counterpart to compare.
SKIPPED = {"compat", "keras", "python", "newaxis"}
DEPTH = 4


def names_of_v2(
    new: types.ModuleType, old: types.ModuleType, prefix: str = ""
) -> Iterator[tuple[str, str]]:
    """Yields ("only" or "changed", dotted name), each at its shortest."""
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


def _differs(new: object, old: object) -> bool:
    """Says whether two things of one name are called differently, or are different classes."""
    if inspect.isclass(new) or not (callable(new) and callable(old)):
        return True
    return list(inspect.signature(new).parameters) != list(inspect.signature(old).parameters)


def main() -> None:
    """Writes both lists, with the version they were taken from."""
    names = list(names_of_v2(tf, tf.compat.v1))
    header = (
        '# Names of TensorFlow 2\'s top level that compat.v1 has not ("only"), or has with other\n'
        '# parameters or as another class ("changed").\n'
        f"# Made by scripts/tables/list_changed_names.py from TensorFlow {tf.__version__}, "
        f"{datetime.date.today().isoformat()}.\n"
    )
    lines = [f"{kind} {name}\n" for kind, name in sorted(names)]
    TARGET.write_text(header + "".join(lines), encoding="utf-8")
    print(f"{len(names)} names written to {TARGET}")


if __name__ == "__main__":
    main()
