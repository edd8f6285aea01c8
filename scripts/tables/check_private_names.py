"""Lists the private names of TensorFlow that the runtime uses and a TensorFlow does not have.

    python scripts/tables/check_private_names.py [PYTHON ...]

Each PYTHON has a TensorFlow and its tf-keras; without one, it is this interpreter. The names are
those of ``compat/``, and what the runtime uses of the modules among them. For a name that is
missing it prints the modules that define one of this name. tensorflow-estimator is left out: it has
had its last release. To support another TensorFlow, correct what is listed in ``compat/``, set
``NEWEST`` in ``supported.py`` and the requirements in pyproject.toml, and run the tests.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

RUNTIME = Path(__file__).parents[2] / "runtime" / "tfmigrate_runtime"
_COMPAT = "tfmigrate_runtime.compat"
_LEFT_OUT = "tensorflow_estimator"
Names = dict[tuple[str, str], set[str]]

# Runs in the interpreters: [module, name, attribute] in, the version and what is missing out.
_INSPECT = """
import importlib, inspect, json, re, sys
import tensorflow

def found(module, name, attribute):
    try:
        owner = importlib.import_module(module)
        if not hasattr(owner, name):
            owner = importlib.import_module(module + "." + name)
        else:
            owner = getattr(owner, name)
    except ImportError:
        return False
    return not attribute or hasattr(owner, attribute) or sets(owner, attribute)

def sets(owner, attribute):
    for each in getattr(owner, "__mro__", (owner,)):
        try:
            source = inspect.getsource(each)
        except (OSError, TypeError):
            continue
        if re.search(r"\\." + attribute + r"\\b", source):
            return True
    return False

def homes(name):
    for module in sorted(sys.modules):
        value = getattr(sys.modules[module], "__dict__", {}).get(name)
        if module.startswith(("tensorflow.python", "tf_keras.src")) and (
            getattr(value, "__module__", None) == module
        ):
            yield module

wanted = json.load(sys.stdin)
missing = [each for each in wanted if not found(*each)]
json.dump({"version": tensorflow.__version__,
           "missing": [[*each, list(homes(each[2] or each[1]))] for each in missing]}, sys.stdout)
"""


def names() -> Names:
    """Returns the names by module and name, each with the attributes that are used of it."""
    found: Names = defaultdict(set)
    places: dict[tuple[str, str], tuple[str, str]] = {}
    for path in sorted((RUNTIME / "compat").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith(("tens", "tf_k")):
                for alias in node.names:
                    places[f"{_COMPAT}.{path.stem}", alias.name] = (str(node.module), alias.name)
    for place in places.values():
        if not place[0].startswith(_LEFT_OUT):
            found[place].update(())
    for path in RUNTIME.rglob("*.py"):
        for imported, attribute in _attributes(ast.parse(path.read_text("utf-8"))):
            if imported in places and not places[imported][0].startswith(_LEFT_OUT):
                found[places[imported]].add(attribute)
    for imported, attribute in _listed():
        if imported in places and not places[imported][0].startswith(_LEFT_OUT):
            found[places[imported]].add(attribute)
    for owner, attributes in classes().items():
        module, _, name = owner.partition(":")
        found[module, name].update(attributes)
    return found


def _attributes(tree: ast.Module) -> Iterator[tuple[tuple[str, str], str]]:
    """Yields what a file uses of names of ``compat``: the file and name there, the attribute."""
    known = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                known[alias.asname or alias.name] = (node.module, alias.name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            place = known.get(node.value.id)
            if place:
                yield place, node.attr


def _listed() -> Iterator[tuple[tuple[str, str], str]]:
    """Yields what the list of names of tf.contrib uses of names of ``compat``."""
    text = (RUNTIME / "tf1_shim" / "data" / "contrib_names.txt").read_text("utf-8")
    for line in text.replace("\n    ", " ").splitlines():
        place, *names = line.split() or [""]
        module, _, name = place.removeprefix(f"{_COMPAT}.").partition(".")
        if place.startswith(_COMPAT) and name:
            for each in names:
                yield (f"{_COMPAT}.{module}", name), each.rpartition("=")[2]


def classes() -> dict[str, list[str]]:
    """Returns the private attributes of each class of TensorFlow that the runtime uses."""
    found: dict[str, list[str]] = {}
    owner = ""
    text = (RUNTIME / "compat" / "attributes.txt").read_text("utf-8")
    for line in text.replace("\n    ", " ").splitlines():
        if line.startswith("  "):
            found[owner].append(line.split(":")[0].strip())
        elif not line.startswith("#"):
            owner = line
            found[owner] = []
    return found


def check(python: str, wanted: Names) -> bool:
    """Prints what a TensorFlow lacks; returns whether it lacks nothing."""
    rows = [
        [module, name, attribute]
        for (module, name), attributes in sorted(wanted.items())
        for attribute in ["", *sorted(attributes)]
    ]
    environment = {**os.environ, "TF_USE_LEGACY_KERAS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    ran = subprocess.run(
        [python, "-c", _INSPECT],
        input=json.dumps(rows),
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        check=True,
    )
    answer = json.loads(ran.stdout)
    missing = answer["missing"]
    print(f"TensorFlow {answer['version']}: {len(rows) - len(missing)} of {len(rows)} names found")
    for module, name, attribute, homes in missing:
        place = f"{module}.{name}.{attribute}".rstrip(".")
        print(f"| {place} | {', '.join(homes) or 'not found'} |")
    return not missing


def main() -> int:
    """Checks the interpreters that are given; returns 1 where one lacks a name."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("python", nargs="*", default=[sys.executable])
    wanted = names()
    complete = [check(python, wanted) for python in parser.parse_args().python]
    return 0 if all(complete) else 1


if __name__ == "__main__":
    sys.exit(main())
