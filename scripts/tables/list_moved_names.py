"""Writes where names of tensorflow.python are today, from installed TensorFlows.

Programs import from the inside of TensorFlow 1.x, which has been moved about since. A name that a
module has no more is looked for by the name under which TensorFlow 1.15 exported it, in the module
in which 1.15 defined it, and in the one module that defines a function or class of this name:

    python scripts/tables/list_moved_names.py PYTHON_1_15 PYTHON_2_X [PYTHON_2_X ...]

Names that are in different places in the newer TensorFlows are left out, and so are those without
a single place. Modules that are gone are listed though none of their names is found, and so are all
of Keras and tf.estimator, which are packages of their own today.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[2] / "runtime/tfmigrate_runtime/tf1_shim/data/moved_names.txt"
_OTHERS = ("python.keras", "python.estimator", "python.debug.examples")  # other packages today
_IMPLEMENTATION = ("python", "python._pywrap_tensorflow_internal")  # all names again, and C++'s
_HELPERS = ("python.util.deprecation", "python.util.lazy_loader", "python.util.tf_export")

# Runs in the interpreters: every module, and for each of its names [defined in, name, exported as].
_INSPECT = """
import importlib, json, os, sys, types, warnings
warnings.simplefilter("ignore")
import tensorflow
from tensorflow.python.framework import ops
from tensorflow.python.util import tf_decorator
root = os.path.dirname(os.path.dirname(os.path.dirname(ops.__file__)))
top = os.path.basename(root)
modules, names = set(), {}
for folder, folders, files in os.walk(os.path.join(root, "python")):
    below = os.path.relpath(folder, root).replace(os.sep, ".")
    for file in files:
        if file == "__init__.py":
            modules.add(below)
        elif file.endswith((".py", ".so")) and not file.endswith("_test.py"):
            modules.add(below + "." + file.split(".")[0])
for module in sorted(modules):
    if module.startswith(("python.keras.api", "python.debug.examples", "python.tools")):
        continue
    try:
        found = vars(importlib.import_module("tensorflow." + module))
    except (ImportError, RuntimeError):
        continue
    names[module] = {}
    for name, value in list(found.items()):
        kind = None
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            home = str(getattr(value, "__module__", "")).replace(top + ".", "", 1)
            exported = getattr(tf_decorator.unwrap(value)[1], "_tf_api_names_v1", ())
            kind = [home.replace("tensorflow.", "", 1), value.__name__, list(exported)]
        if not name.startswith("__") and not isinstance(value, types.ModuleType):
            names[module][name] = kind
api = set()
def walk(module, path):
    for name in dir(module):
        if not name.startswith("_"):
            value = getattr(module, name, None)
            if not isinstance(value, types.ModuleType):
                api.add(path + name)
            elif path.count(".") < 3 and value.__name__.startswith("tensorflow._api"):
                walk(value, path + name + ".")
walk(tensorflow.compat.v1, "")
with open(sys.argv[1], "w") as file:
    json.dump({"version": tensorflow.__version__, "modules": sorted(modules), "names": names,
               "api": sorted(api)}, file)
"""


def inspected(python: str, scratch: Path) -> dict[str, Any]:
    """Returns what an interpreter's TensorFlow has: version, modules, names and exported names."""
    environment = {**os.environ, "TF_USE_LEGACY_KERAS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [python, "-W", "ignore", "-c", _INSPECT, str(scratch)]
    subprocess.run(command, check=True, env=environment, stderr=subprocess.DEVNULL)
    found: dict[str, Any] = json.loads(scratch.read_text("utf-8"))
    scratch.unlink()
    return found


class Today:
    """One of the newer TensorFlows."""

    def __init__(self, found: dict[str, Any]) -> None:
        """Sorts the modules by the functions and classes that they define."""
        self.names: dict[str, dict[str, Any]] = found["names"]
        self.modules = set(found["modules"])
        self.api = set(found["api"])
        self.defined = defaultdict(list)
        for module, names in self.names.items():
            for name, kind in names.items():
                if kind and kind[0] == module and not module.startswith(_OTHERS):
                    self.defined[name].append(module)

    def place_of(self, name: str, kind: list[Any]) -> str | None:
        """Returns "module:name" for a function or class of TensorFlow 1.15."""
        home, own_name, exported = kind
        for symbol in exported:
            if symbol in self.api:
                return f"compat.v1:{symbol}"
        if name in self.names.get(home, {}):
            return f"{home}:{name}"
        places = self.defined.get(own_name, [])
        beside = [p for p in places if p.rpartition(".")[0] == home.rpartition(".")[0]]
        only = places if len(places) == 1 else beside
        return f"{only[0]}:{own_name}" if len(only) == 1 else None


def moved(old: dict[str, Any], today: list[Today]) -> dict[str, dict[str, str]]:
    """Returns the place today of names, by the module that had them in TensorFlow 1.15."""
    found: dict[str, dict[str, str]] = {}
    for module in old["modules"]:
        gone = any(module not in tensorflow.modules for tensorflow in today)
        if gone or module.startswith(_OTHERS):
            found[module] = {}
        if module.startswith(_OTHERS) or module in _IMPLEMENTATION:
            continue
        for name, kind in old["names"].get(module, {}).items():
            without = [t for t in today if name not in t.names.get(module, {})]
            if kind and without and kind[0].startswith("python.") and kind[0] not in _HELPERS:
                places = {tensorflow.place_of(name, kind) for tensorflow in without}
                place = places.pop()
                if not places and place and place != f"{module}:{name}":
                    found.setdefault(module, {})[name] = place
    return found


def main(pythons: list[str]) -> int:
    """Writes the table; returns 0, or 2 where interpreters are missing."""
    if len(pythons) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    scratch = TARGET.with_suffix(".json")
    old, *new = [inspected(python, scratch) for python in pythons]
    table = moved(old, [Today(found) for found in new])
    lines = [
        "# Where names of tensorflow.python are today: a module of 1.15, then its names that it",
        "# has no more. Modules without names are gone. Made by "
        "scripts/tables/list_moved_names.py from",
        f"# TensorFlow {old['version']} and {', '.join(found['version'] for found in new)}.",
    ]
    for module in sorted(table):
        if not module.startswith("python.debug.examples"):
            lines.append(module)
            lines += [f"  {name} {place}" for name, place in sorted(table[module].items())]
    TARGET.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    print(f"{TARGET}: {len(table)} modules, {sum(map(len, table.values()))} names")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
