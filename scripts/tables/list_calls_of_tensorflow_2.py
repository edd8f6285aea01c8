"""Writes a call of each public function and class of TensorFlow 2, by its signature.

tests/migrator/test_programs_of_tensorflow_2.py makes programs of them, which no rule may change.
Run it with the newest supported TensorFlow installed:

    python scripts/tables/list_calls_of_tensorflow_2.py
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator
from pathlib import Path

import tensorflow as tf

TARGET = Path(__file__).parents[2] / "tests/migrator/calls_of_tensorflow_2.txt"
# compat holds TensorFlow 1.x too, python is not public, raw_ops are the operations themselves.
SKIPPED = {"compat", "python", "raw_ops"}
DEPTH = 4


def calls_in(module: types.ModuleType, prefix: str) -> Iterator[str]:
    """Yields two calls of each function and class that takes arguments: by position, by name."""
    for name in sorted(n for n in dir(module) if not n.startswith("_") and n not in SKIPPED):
        try:
            value = getattr(module, name)
        except (AttributeError, ImportError):  # a lazy module whose package is not installed
            continue
        if isinstance(value, types.ModuleType):
            if value is not module and prefix.count(".") < DEPTH:
                yield from calls_in(value, f"{prefix}{name}.")
        elif callable(value):
            yield from _calls(f"{prefix}{name}", value)


def _calls(name: str, function: object) -> Iterator[str]:
    assert callable(function)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:  # a class of C++
        return
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    named = [p for p in parameters if p.kind not in variadic]
    by_position = [p for p in named if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    if named:
        given = [p.name for p in by_position if p.default is inspect.Parameter.empty]
        rest = [f"{p.name}={p.name}" for p in named if p.name not in given]
        yield f"{name}({', '.join([*given, *rest[:1]])})"
        keywords = [p for p in named if p.kind is not inspect.Parameter.POSITIONAL_ONLY]
        yield f"{name}({', '.join(f'{p.name}={p.name}' for p in keywords)})"


def main() -> None:
    """Writes the list, with the version it was made from."""
    calls = sorted(set(calls_in(tf, "tf.")))
    header = (
        "# Calls of the public names of TensorFlow 2, by position and by name.\n"
        "# Made by scripts/tables/list_calls_of_tensorflow_2.py from TensorFlow "
        f"{tf.__version__}.\n"
    )
    TARGET.write_text(header + "".join(f"{call}\n" for call in calls), encoding="utf-8")
    print(f"{len(calls)} calls")


if __name__ == "__main__":
    main()
