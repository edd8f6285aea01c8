"""Writes the table of TensorFlow's public names, from installed TensorFlows.

The migrator reads the table to tell TensorFlow 1.x code from TensorFlow 2 code, and to say what
became of a name, without importing tensorflow. Give it an interpreter for every TensorFlow:

    python scripts/tables/list_tensorflow_names.py PYTHON_1_15 PYTHON_2_16 PYTHON_2_21

With ``--list`` it prints the names of the TensorFlow that runs it, as JSON; so the script itself
keeps to what Python 3.7 understands.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import io
import json
import os
import pkgutil
import subprocess
import sys
import textwrap
import types
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[2] / "migrator/tfmigrate/data/tensorflow_names.txt"
# Not public: where the code lies, and what "from __future__ import ..." leaves behind.
PRIVATE = {"python", "absolute_import", "division", "print_function", "unicode_literals"}
PRIVATE_AT_TOP = {"core", "tools", "pywrap_tensorflow"}
# The other generations of the same names; they are listed for themselves.
GENERATIONS = {"compat.v1", "compat.v2"}
SKIPPED = PRIVATE_AT_TOP | GENERATIONS
OWN = ("tensorflow", "tensorflow_core", "tensorflow_estimator", "keras", "tf_keras")
DEPTH = 5
HEADER = """\
# Public names of TensorFlow, by module, and where each is found:
#   1.15      in TensorFlow {old}, below tf (tf.contrib with all its packages)
#   v1-{minor}   in tf.compat.v1 of that version
#   v2-{minor}   at that version's top level
#   :keras2   only with TF_USE_LEGACY_KERAS=1 and the package tf-keras
#   :keras3   only without it
# Made by scripts/tables/list_tensorflow_names.py from TensorFlow {versions}, {date}.
"""


def main() -> None:
    """Prints the names of this TensorFlow, or writes the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pythons", metavar="PYTHON", nargs="*")
    parser.add_argument("--list", action="store_true", help="print the names, as JSON")
    options = parser.parse_args()
    if options.list:
        print(json.dumps(listing()))
        return
    versions, places = [], {}
    for python in options.pythons:
        version, found = places_of(python)
        versions.append(version)
        for name, where in found.items():
            places.setdefault(name, []).extend(where)
    header = HEADER.format(
        old=versions[0],
        minor=".".join(versions[-1].split(".")[:2]),
        versions=", ".join(versions),
        date=datetime.date.today().isoformat(),
    )
    TARGET.write_text(header + table(places), encoding="utf-8")
    print("%d names written to %s" % (len(places), TARGET))  # noqa: UP031 - Python 3.7 reads it


def table(places: dict[str, list[str]]) -> str:
    """Returns the lines of the table: a heading for each module and place, the names below it."""
    groups = defaultdict(list)
    for name, where in places.items():
        module, _, last = name.rpartition(".")
        groups[module, " ".join(where)].append(last)
    lines = []
    for module, where in sorted(groups):
        lines.append("[{}] {}".format(module, where))  # noqa: UP032 - as the other one
        text = " ".join(sorted(groups[module, where]))
        lines += textwrap.wrap(text, 98, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def places_of(python: str) -> tuple[str, dict[str, list[str]]]:
    """Returns the version of an interpreter's TensorFlow, and where each of its names is found.

    Raises:
        subprocess.CalledProcessError: that interpreter cannot list them.
    """
    with ThreadPoolExecutor() as pool:
        keras2, keras3 = pool.map(lambda mode: listing_of(python, mode), ("1", "0"))
    version = keras2["version"]
    minor = ".".join(version.split(".")[:2])
    if version.startswith("1."):
        return version, {name: [minor] for name in keras2["v2"]}
    places = defaultdict(list)
    for generation in ("v1", "v2"):
        with_2, with_3 = set(keras2[generation]), set(keras3[generation])
        for name in sorted(with_2 | with_3):
            condition = ":keras2" if name not in with_3 else ":keras3" if name not in with_2 else ""
            places[name].append(generation + "-" + minor + condition)
    return version, places


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
    return json.loads(answer.stdout)


def listing() -> dict[str, Any]:
    """Returns the version of the TensorFlow that runs this, and the names of both generations."""
    shown, sys.stdout = sys.stdout, io.StringIO()  # some packages print while they load
    try:
        tensorflow = importlib.import_module("tensorflow")
        packages = load_contrib() if tensorflow.__version__.startswith("1.") else []
        v2 = set(public_names(tensorflow, "", ()))
        for package in packages:  # dir(tf.contrib) knows only those that it imports itself
            name = package.__name__.partition(".")[2]
            v2 |= {name, *public_names(package, name + ".", ())}
        return {
            "version": tensorflow.__version__,
            "v1": sorted(public_names(tensorflow.compat.v1, "", ())),
            "v2": sorted(v2),
        }
    finally:
        sys.stdout = shown


def load_contrib() -> list[types.ModuleType]:
    """Returns the public packages of tf.contrib, also those that nothing imports by itself."""
    contrib = importlib.import_module("tensorflow.contrib")
    hidden = {"python", "kernels", "ops", "proto", "tests", "testing", "examples"}
    loaded = []

    def load(path: list[str], prefix: str) -> None:
        for info in pkgutil.iter_modules(path, prefix):
            if not info.ispkg or info.name.split(".")[-1] in hidden:
                continue
            try:
                found = importlib.import_module(info.name)
            except Exception as error:  # what does not even load has no names
                print(info.name, "cannot be imported:", error, file=sys.stderr)
            else:
                loaded.append(found)
                load(found.__path__, info.name + ".")

    load(contrib.__path__, "tensorflow.contrib.")
    return loaded


def public_names(module: types.ModuleType, prefix: str, around: tuple[int, ...]) -> list[str]:
    """Returns the dotted names of a module and of the public modules below it."""
    found = []
    for name in dir(module):
        if name.startswith("_") or name in PRIVATE or prefix + name in SKIPPED:
            continue
        try:
            value = getattr(module, name)
        except (AttributeError, ImportError):  # a lazy module whose package is not installed
            continue
        if not isinstance(value, types.ModuleType) or prefix + name == "test.mock":
            found.append(prefix + name)
        elif id(value) not in around and prefix.count(".") < DEPTH and is_own(value):
            found.append(prefix + name)
            found += names_below(module, value, prefix + name + ".", around)
    return found


def names_below(
    module: types.ModuleType, inner: types.ModuleType, prefix: str, around: tuple[int, ...]
) -> list[str]:
    """Returns the public names of a module that another one has as an attribute."""
    is_public = ".python." not in module.__name__
    if package_of(inner) == package_of(module) or package_of(module) == "":
        # Modules of the code import each other; of those only the ones further down are meant.
        if is_public or inner.__name__.startswith(module.__name__ + "."):
            return public_names(inner, prefix, (*around, id(module)))
    elif is_public and not inner.__name__.endswith("ops"):
        # A public package borrows it (tf.contrib.framework.nest): what is defined there.
        return [prefix + member for member in defined_in(inner)]
    return []


def is_own(module: types.ModuleType) -> bool:
    """Tells TensorFlow's modules from what they happen to import (numpy, os)."""
    # A lazy module of Keras 2 refuses even its name where there is Keras 3.
    return getattr(module, "__name__", "").split(".")[0] in OWN


def package_of(module: types.ModuleType) -> str:
    """Returns the package of tf.contrib that a module belongs to; "" for all outside tf.contrib."""
    parts = getattr(module, "__name__", "").split(".")
    return parts[2] if parts[1:2] == ["contrib"] and len(parts) > 2 else ""


def defined_in(module: types.ModuleType) -> list[str]:
    """Returns the public functions and classes that a module defines itself."""
    return [
        name
        for name, value in sorted(vars(module).items())
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]


if __name__ == "__main__":
    main()
