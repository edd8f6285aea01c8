"""Writes the public names of what is in tensorflow.python.keras, where they are others.

Programs of TensorFlow 1.x import Keras from TensorFlow's own modules
(``from tensorflow.python.keras.layers.core import Dense``). Most names are found below ``tf.keras``
under the same path; the list holds the others. Run it with the interpreter of TensorFlow 1.15:

    PYTHON_1_15 scripts/tables/list_internal_keras.py
"""

import datetime
import importlib
import inspect
import pkgutil
import re
import types
import warnings
from pathlib import Path

TARGET = Path(__file__).resolve().parents[2] / "migrator/tfmigrate/data/internal_keras.txt"
SKIPPED = re.compile(r"_test|test_|testing|\.tools|_pb2|keras\.api")


def public_names(module, prefix, by_name, seen):
    """Collects what tf.keras shows, by its name below it."""
    if id(module) in seen:
        return
    seen.add(id(module))
    for name in sorted(n for n in dir(module) if not n.startswith("_")):
        value = getattr(module, name, None)
        if isinstance(value, types.ModuleType):
            public_names(value, prefix + name + ".", by_name, seen)
        elif callable(value):
            by_name[prefix + name] = value


def lines(package, by_name):
    """Yields a line for each name whose public name differs or names a different object."""
    public = {}
    for name, value in by_name.items():
        public.setdefault(id(value), []).append(name)
    for info in pkgutil.walk_packages(
        package.__path__, package.__name__ + ".", onerror=lambda name: None
    ):
        if SKIPPED.search(info.name):
            continue
        module = importlib.import_module(info.name)
        for attribute in dir(module):
            value = getattr(module, attribute, None)
            if attribute.startswith("_") or not (
                inspect.isfunction(value) or inspect.isclass(value)
            ):
                continue
            if not getattr(value, "__module__", "").startswith("tensorflow"):
                continue
            name = info.name[len(package.__name__) + 1 :] + "." + attribute
            found = sorted(
                public.get(id(value), []),
                key=lambda n, last=attribute: (n.rpartition(".")[2] != last, n.count("."), n),
            )
            own = value.__module__ == info.name or hasattr(module, "__path__")
            if found and name not in found and own:
                yield f"moved {name} {found[0]}"
            elif not found and name in by_name:
                yield f"differs {name}"


def main():
    """Writes the table."""
    import tensorflow as tf
    from tensorflow.python import keras

    by_name = {}
    public_names(tf.keras, "", by_name, set())
    header = (
        "# Names below tensorflow.python.keras and their names below tf.keras, where they differ,\n"
        "# and names that are other objects there.\n"
        f"# Made by scripts/tables/list_internal_keras.py from TensorFlow {tf.__version__}, "
        f"{datetime.date.today().isoformat()}.\n"
    )
    text = header + "".join(sorted(line + "\n" for line in lines(keras, by_name)))
    with TARGET.open("w") as stream:
        stream.write(text)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
