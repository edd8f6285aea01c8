"""Writes the table of what can be imported on the newest TensorFlow, and of its modules' names.

The migrator reads the table to find names that fail after a migration, without importing
tensorflow. Run it with the interpreters of TensorFlow 1.15 and of the newest supported TensorFlow:

    python scripts/tables/list_present_names.py PYTHON_1_15 PYTHON_2_21

With ``--list`` it prints what the interpreter that runs it has, as JSON; so the script itself keeps
to what Python 3.7 understands.
"""

from __future__ import annotations

import datetime
import importlib
import json
import os
import pkgutil
import re
import subprocess
import sys
import textwrap
from collections import defaultdict
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[2] / "migrator/tfmigrate/data/present_names.txt"
INTERNAL = ("tensorflow.python", "tensorflow.core")
STANDALONE = ("keras", "tf_keras")
SKIPPED = re.compile(r"_test$|_test_|\.testdata|\.benchmarks|^tf_keras\.src\.|^keras\.src\.")
# Generated modules have each operation under several names; the migrator expects all of them.
DERIVED = re.compile(r"^_?[A-Z]|_eager_fallback$")
HEADER = """\
# What TensorFlow {version} and the Keras of its time have, by module:
#   import    modules that can be imported; keras2 and keras3: only with or without
#             TF_USE_LEGACY_KERAS=1
#   private   names with an underscore of tensorflow's public modules
#   names     of a module: of tensorflow.python and tensorflow.core, where TensorFlow {old} has it
#             too; of standalone Keras, all. "*" stands for all names that several modules have.
# Made by scripts/tables/list_present_names.py from TensorFlow {old}, {version}, {date}.
"""


def main(pythons: list[str]) -> None:
    """Writes the table."""
    old = listing_of(pythons[0], "0")
    keras3, keras2 = listing_of(pythons[1], "0"), listing_of(pythons[1], "1")
    lines = []
    both = set(keras2["modules"]) | set(keras3["modules"])
    for word, found in (
        ("import", set(keras2["modules"]) & set(keras3["modules"])),
        ("import keras2", both - set(keras3["modules"])),
        ("import keras3", both - set(keras2["modules"])),
    ):
        children = defaultdict(list)
        for name in found:
            parent, _, last = name.rpartition(".")
            children[parent].append(last)
        for parent in sorted(children):
            lines += wrapped("[%s] %s" % (word, parent), children[parent])  # noqa: UP031
    lines += wrapped("[private]", keras3["private"])
    names = {
        module: set(found) | set(keras2["modules"].get(module, ()))
        for module, found in keras3["modules"].items()
        if found and (module in old["modules"] or module.split(".")[0] in STANDALONE)
    }
    names.update(
        {m: set(f) for m, f in keras2["modules"].items() if m.split(".")[0] == "tf_keras" and f}
    )
    holders = defaultdict(list)
    for module in sorted(names):
        for name in names[module]:
            holders[name].append(module)
    number = {module: index for index, module in enumerate(sorted(names))}
    for module in sorted(names):
        own = [name for name in names[module] if len(holders[name]) < 3]
        lines += wrapped("[names] " + module, own)
    lines.append("[shared]")
    for name in sorted(holders):
        if len(holders[name]) >= 3:
            places = " ".join(str(number[module]) for module in holders[name])
            lines.append(name + " " + places)
    header = HEADER.format(
        old=old["version"], version=keras3["version"], date=datetime.date.today().isoformat()
    )
    TARGET.write_text(header + "\n".join(lines) + "\n", encoding="utf-8")
    print("%d lines written to %s" % (len(lines), TARGET))  # noqa: UP031


def wrapped(heading: str, names: Any) -> list[str]:
    """Returns the lines of one part of the table."""
    text = " ".join(sorted(names))
    return [heading, *textwrap.wrap(text, 98, break_long_words=False, break_on_hyphens=False)]


def listing_of(python: str, legacy_keras: str) -> dict[str, Any]:
    """Returns ``listing()`` as another interpreter sees it.

    Raises:
        subprocess.CalledProcessError: that interpreter cannot list them.
    """
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
    environment["TF_USE_LEGACY_KERAS"] = legacy_keras
    answer = subprocess.run(
        [python, "-W", "ignore", __file__, "--list"],
        env=environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(answer.stdout.splitlines()[-1])


def listing() -> dict[str, Any]:
    """Returns what can be imported of TensorFlow and Keras here, each with its names."""
    tensorflow = importlib.import_module("tensorflow")
    modules = {}
    old = tensorflow.__version__.startswith("1.")
    for package in INTERNAL if old else (*INTERNAL, *STANDALONE):
        load(package, modules)
    modules = {name: names if has_table(name) else [] for name, names in modules.items()}
    for name in [] if old else public_modules():
        if name not in modules and importable(name):
            modules[name] = []
    private = {"tensorflow": tensorflow, "v1": tensorflow.compat.v1, "train": tensorflow.train}
    return {
        "version": tensorflow.__version__,
        "modules": modules,
        "private": sorted({n for m in private.values() for n in dir(m) if is_private(n)}),
    }


def has_table(module: str) -> bool:
    """Returns whether the names of a module are written down."""
    return module.startswith(("tensorflow.python", "tensorflow.core", "keras", "tf_keras"))


def is_private(name: str) -> bool:
    """Tells names with one underscore from those that every module has."""
    return name.startswith("_") and not name.startswith("__")


def public_modules() -> list[str]:
    """Returns the modules of the table of public names, under each of TensorFlow's roots."""
    text = (TARGET.parent / "tensorflow_names.txt").read_text("utf-8")
    below = {line[1:].partition("] ")[0] for line in text.splitlines() if line.startswith("[")}
    roots = ("tensorflow", "tensorflow.compat.v1", "tensorflow.compat.v2")
    found = {root + "." * bool(name) + name for root in roots for name in below}
    return sorted(name for name in found if ".contrib" not in name)


def load(name: str, modules: dict[str, list[str]]) -> None:
    """Imports a module and all modules below it, and notes their names."""
    try:
        module = importlib.import_module(name)
    except BaseException as error:
        print(f"{name}: {error}", file=sys.stderr)
        if not isinstance(error, ImportError):  # a program that imports only this one may succeed
            modules[name] = []
        return
    generated = ".gen_" in name
    modules[name] = [
        attribute
        for attribute in sorted({*dir(module), *answered(module)})
        if not attribute.startswith("__") and not (generated and DERIVED.search(attribute))
    ]
    for info in pkgutil.iter_modules(getattr(module, "__path__", ()), name + "."):
        if not SKIPPED.search(info.name):
            load(info.name, modules)


def answered(module: Any) -> list[str]:
    """Returns the names that a module which moved answers for, those of where they are now."""
    moved = vars(module).get(module.__name__.rpartition(".")[2])
    if not hasattr(module, "__getattr__") or moved is None:
        return []
    try:
        names = dir(moved)
    except ImportError:  # it is loaded late, and is not there
        return []
    return [name for name in names if hasattr(module, name)]


def importable(name: str) -> bool:
    """Returns whether a module can be imported."""
    try:
        importlib.import_module(name)
    except Exception:  # what cannot be imported here is not there for programs either
        return False
    return True


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print("\n" + json.dumps(listing()))
    else:
        main(sys.argv[1:])
