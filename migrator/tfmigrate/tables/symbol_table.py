"""The table of TensorFlow's public names: which versions have a name, and where.

The table is data/tensorflow_names.txt, made by scripts/tables/list_tensorflow_names.py from
installed TensorFlows; its header says what its marks mean.
"""

import re
from functools import cache
from importlib import resources

from tfmigrate.model.tensorflow_versions import NEWEST as NEWEST

_VERSIONS = re.compile(r"from TensorFlow ([\d., ]+),")
OLD = "1.15"


@cache
def places() -> dict[str, frozenset[str]]:
    """Returns where each name, below ``tf.``, is found ("1.15", "v1-2.21", "v2-2.21:keras2")."""
    places_by_name: dict[str, frozenset[str]] = {}
    prefix, where = "", frozenset[str]()
    for line in _text().splitlines():
        if line.startswith("["):
            module, _, marks = line[1:].partition("] ")
            prefix, where = module + "." if module else "", frozenset(marks.split(" "))
        elif not line.startswith("#"):
            for name in line.split(" "):
                places_by_name[prefix + name] = where
    return places_by_name


def versions() -> tuple[str, ...]:
    """Returns the versions that the table was made from, the oldest first."""
    match = _VERSIONS.search(_text())
    assert match is not None
    return tuple(match[1].split(", "))


def places_of(name: str) -> frozenset[str]:
    """Returns where a name ("train.AdamOptimizer", "AUTO_REUSE") is found; empty for unknown.

    Names below a function or class count as found with it: the table ends there.
    """
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        if (part := ".".join(parts[:length])) in places():
            return places()[part] if length == len(parts) or is_leaf(part) else frozenset()
    return frozenset()


def is_leaf(name: str) -> bool:
    """Returns whether a name of the table is a function, class or value, not a module."""
    return name in places() and name not in _modules()


def is_found(name: str, place: str) -> bool:
    """Returns whether a name is found somewhere ("1.15", "v1-2.21"), if with one Keras only."""
    return any(mark.partition(":")[0] == place for mark in places_of(name))


@cache
def _modules() -> frozenset[str]:
    return frozenset(name.rpartition(".")[0] for name in places())


@cache
def _text() -> str:
    return resources.files("tfmigrate").joinpath("data/tensorflow_names.txt").read_text("utf-8")
