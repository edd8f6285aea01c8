"""Writes the list of names that compat.v1 has and TensorFlow 2's top level has not.

The migrator reads it to tell a TensorFlow 1.x file from a TensorFlow 2 one without importing
tensorflow. Run it with the newest supported TensorFlow installed:

    python scripts/list_compat_v1_names.py
"""

from __future__ import annotations

import datetime
import os
import types
from pathlib import Path

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")  # tf.layers is only there with Keras 2

import tensorflow as tf

TARGET = Path(__file__).parents[1] / "migrator/tfmigrate/data/compat_v1_only.txt"
# Keras and compat hold both generations; python is not public.
SKIPPED = {"compat", "keras", "python"}
DEPTH = 4


def names_missing_in_v2(old: types.ModuleType, new: object, prefix: str = "") -> list[str]:
    """Returns the dotted names of ``old`` that ``new`` lacks, each at its shortest."""
    missing = []
    for name in sorted(n for n in dir(old) if not n.startswith("_")):
        try:
            value = getattr(old, name)
        except (AttributeError, ImportError):  # a lazy module whose package is not installed
            continue
        counterpart = getattr(new, name, None)
        if counterpart is None and value is not None:
            missing.append(prefix + name)
        elif (
            isinstance(value, types.ModuleType)
            and name not in SKIPPED
            and value is not old
            and prefix.count(".") < DEPTH
        ):
            missing += names_missing_in_v2(value, counterpart, f"{prefix}{name}.")
    return missing


def main() -> None:
    """Writes the list, with the version it was taken from."""
    names = sorted(names_missing_in_v2(tf.compat.v1, tf))
    header = (
        "# Names of tf.compat.v1 that TensorFlow 2's top level does not have.\n"
        f"# Made by scripts/list_compat_v1_names.py from TensorFlow {tf.__version__}, "
        f"{datetime.date.today().isoformat()}.\n"
    )
    TARGET.write_text(header + "\n".join(names) + "\n", encoding="utf-8")
    print(f"{len(names)} names written to {TARGET}")


if __name__ == "__main__":
    main()
