"""Writes which names of tensorflow.python are gone, and the public names of those that have one.

Programs import TensorFlow's own modules (``from tensorflow.python.ops import math_ops``). Most of
those are there still; the migrator has to know the others without importing tensorflow. Run it with
the interpreters of TensorFlow 1.15 and of the oldest and newest supported TensorFlow:

    python scripts/tables/list_internal_names.py PYTHON_1_15 PYTHON_2_16 PYTHON_2_21
"""

from __future__ import annotations

import datetime
import importlib
import inspect
import json
import os
import pkgutil
import re
import subprocess
import sys
import types
import warnings
from pathlib import Path

TARGET = Path(__file__).resolve().parents[2] / "migrator/tfmigrate/data/internal_names.txt"
PACKAGE = "tensorflow.python"
# Not what programs are made of; Keras has its own packages since.
SKIPPED = re.compile(r"_test|test_|testing|testdata|\.debug\.|\.tools|\.benchmarks|\.keras\b|_pb2")


def names_of_v1():
    """Returns the modules of tensorflow.python, and what is in them with its public names.

    Runs on TensorFlow 1.15. Public names are those of the same object, the shortest first.
    """
    import tensorflow as tf
    from tensorflow import python as package

    public = {}
    _collect_public(tf, "", public, set())
    # The package itself has most of TensorFlow's top level.
    same = (n for n in dir(tf) if not n.startswith("_") and hasattr(package, n))
    same = (n for n in same if getattr(package, n) is getattr(tf, n))
    top = {n: [n] for n in same if not isinstance(getattr(tf, n), types.ModuleType)}
    modules, names = [PACKAGE], {PACKAGE + "." + name: found for name, found in top.items()}
    for info in pkgutil.walk_packages(package.__path__, PACKAGE + ".", onerror=lambda name: None):
        if SKIPPED.search(info.name):
            continue
        try:
            module = importlib.import_module(info.name)
        except Exception as error:  # needs what is not installed: nobody's program has it either
            print(f"{info.name}: {error}", file=sys.stderr)
            continue
        modules.append(info.name)
        for attribute in dir(module):
            value = getattr(module, attribute, None)
            if attribute.startswith("_") or not (
                inspect.isfunction(value) or inspect.isclass(value)
            ):
                continue
            if getattr(value, "__module__", "").startswith("tensorflow"):
                found = public.get(id(value), [])
                names[info.name + "." + attribute] = sorted(
                    found, key=lambda n: (n.count("."), len(n), n)
                )
    return {"version": tf.__version__, "modules": modules, "names": names}


def _collect_public(module, prefix, public, seen):
    if id(module) in seen:
        return
    seen.add(id(module))
    skipped = () if prefix else ("contrib", "python", "core", "compat", "examples")
    for name in sorted(n for n in dir(module) if not n.startswith("_") and n not in skipped):
        value = getattr(module, name, None)
        if isinstance(value, types.ModuleType):
            if "tensorflow" in value.__name__:
                _collect_public(value, prefix + name + ".", public, seen)
        elif callable(value):
            public.setdefault(id(value), []).append(prefix + name)


def missing_in_v2(old):
    """Returns which of the modules and names TensorFlow 2 lacks, and which public names it has."""
    import tensorflow as tf

    modules = {name: _module(name) for name in old["modules"]}
    names = [
        name
        for name in old["names"]
        if modules[name.rpartition(".")[0]] is not None
        and _reached(modules[name.rpartition(".")[0]], name.rpartition(".")[2]) is None
    ]
    public = {name for found in old["names"].values() for name in found}
    return {
        "version": tf.__version__,
        "modules": [name for name, module in modules.items() if module is None],
        "names": names,
        "public": [name for name in public if _reached(tf.compat.v1, name) is not None],
    }


def _module(name):
    try:
        return importlib.import_module(name)
    except Exception as error:
        print(f"{name}: {error}", file=sys.stderr)
        return None


def _reached(value, dotted):
    for part in dotted.split("."):
        try:
            value = getattr(value, part)
        except Exception:  # a lazy module tells in its own way that its package is missing
            return None
    return value


def _asked(python, question, given):
    """Returns what this script answers when another interpreter runs it."""
    process = subprocess.run(
        [python, __file__, "--answer", question],
        input=json.dumps(given),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        env={**os.environ, "TF_USE_LEGACY_KERAS": "1"},  # tf.layers is only there with Keras 2
    )
    return json.loads(process.stdout.splitlines()[-1])


def main(pythons):
    """Writes the table."""
    old = _asked(pythons[0], "names_of_v1", None)
    newer = [_asked(python, "missing_in_v2", old) for python in pythons[1:]]
    gone = {name for answer in newer for name in answer["modules"]}
    names = {name for answer in newer for name in answer["names"]}
    names |= {name for name in old["names"] if name.rpartition(".")[0] in gone}
    offered = set.intersection(*(set(answer["public"]) for answer in newer))
    lines = ["module " + name for name in gone]
    for name in names:
        public = next((n for n in old["names"][name] if n in offered), "")
        if public or name.rpartition(".")[0] not in gone:
            lines.append("name " + name + " " * bool(public) + public)
    versions = ", ".join([old["version"], *(answer["version"] for answer in newer)])
    header = (
        "# What programs of TensorFlow 1.x may import of tensorflow.python and TensorFlow 2 lacks\n"
        "# now: modules, and names with the public name of the same thing, where it has one.\n"
        f"# Made by scripts/tables/list_internal_names.py from TensorFlow {versions}, "
        f"{datetime.date.today().isoformat()}.\n"
    )
    lines = [line.replace(PACKAGE + ".", "", 1) + "\n" for line in lines]
    TARGET.write_text(header + "".join(sorted(lines)), encoding="utf-8")
    print(f"{len(lines)} lines written to {TARGET}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:2] == ["--answer"]:
        question = {"names_of_v1": names_of_v1, "missing_in_v2": missing_in_v2}[sys.argv[2]]
        given = json.load(sys.stdin)
        print(json.dumps(question() if given is None else question(given)))
    else:
        main(sys.argv[1:])
