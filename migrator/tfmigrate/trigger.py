"""Whether a file can concern a rule at all: asked of its bytes, before anything is parsed.

A large code base is mostly files that no rule has anything to say of. The answer is never a wrong
no; a wrong yes costs the time of parsing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from tfmigrate.deep_paths import DEEP_PATHS
from tfmigrate.import_scan import Imported, imported
from tfmigrate.internal_names import PACKAGE, gone_names

# TensorFlow's own modules. Programs may import them, but their names are no public names, and
# what is gone of them is in a table.
_INTERNAL = frozenset(
    {"python", "core", "compiler", "dtensor", "lite", "security", "tools", "tsl", "xla"}
)
# Packages that stand for TensorFlow, or for a part of it.
_PACKAGES = frozenset(
    {"tensorflow", "tensorflow_core", "tensorflow_estimator", "tf_keras", "tfmigrate_runtime"}
)
# What rules look for in whatever file names tensorflow.
_WORDS = (b"replicate_model_fn", b"TowerOptimizer", b"experimental_run_v2", b"job:ps")
# What may stand before an imported name on its line, and after it to the end of the statement.
_IMPORT = re.compile(rb"\b(?:import|from)\b")
_OCCURRENCES = re.compile(rb"tensorflow|tf_keras|tfmigrate_runtime")
_STATEMENT = re.compile(rb"(?:\([^)]*\)|\\\r?\n|[^\n(])*")
# A module given another name, whose attributes are then reached by way of that.
_ALIAS = rb"=[ \t(\\\n]*%b[ \t)]*(?:[\n\r;#]|\Z)"
_DEEP = tuple(sorted(name for name in DEEP_PATHS if name.startswith(f"{PACKAGE}.")))
# Internal names that rules of their own know.
_RULES = (*_DEEP, f"{PACKAGE}.estimator", f"{PACKAGE}.platform.flags", f"{PACKAGE}.keras")


def may_concern(data: bytes, notebook: bool = False) -> bool:
    """Says whether a rule may find something in a file.

    Args:
        data: what the file holds.
        notebook: whether it is a notebook, of which no more is asked than TensorFlow's name.
    """
    if b"tensorflow" not in data:
        return False
    if notebook or any(word in data for word in _WORDS):
        return True
    # Most names of TensorFlow stand in no import, and a part of a file is scanned much faster.
    near = [clause for part in _statements(data) for clause in imported(part)]
    if not any(_may_reach(clause, data) for clause in near):
        return False
    return any(_may_reach(clause, data) for clause in imported(data))


def _statements(data: bytes) -> Iterator[bytes]:
    """Yields what may be the import statements that name TensorFlow, or what stands for it."""
    end = 0
    for word in _OCCURRENCES.finditer(data):
        if word.start() < end:
            continue
        start = data.rfind(b"\n", 0, word.start()) + 1
        while data.endswith((b"\\\n", b"\\\r\n"), 0, start):
            start = data.rfind(b"\n", 0, start - 1) + 1
        before = data[start : word.start()]
        if _IMPORT.search(before):
            match = _STATEMENT.match(data, word.start())
            end = match.end() if match else word.end()
            yield data[start:end]


def _may_reach(clause: Imported, data: bytes) -> bool:
    """Says whether an import may bind a name that a rule is about."""
    if clause.level or clause.parts[0] not in _PACKAGES:
        return False
    if clause.parts[0] != "tensorflow" or len(clause.parts) < 2:
        return True
    if clause.plain and clause.bound == "tensorflow":
        return True  # it binds the package: any name may be reached
    if clause.parts[1] not in _INTERNAL:
        return True
    return clause.parts[1] == "python" and _may_be_gone(clause, data)


def _may_be_gone(clause: Imported, data: bytes) -> bool:
    """Says whether an import of an internal module reaches a name that TensorFlow 2 lacks."""
    qualified = ".".join(clause.parts)
    if _is_known(clause.parts):
        return True
    # A name that the file does not hold is not reached, whatever it binds.
    below = [name for name in _gone_below().get(qualified, ()) if name in data]
    if not below:
        return False  # as with "*", of which nobody knows what it binds
    name = re.escape(clause.bound.encode())
    if re.search(_ALIAS % name, data):
        return True
    reached = re.findall(rb"\b%b\s*\.\s*(\w+)" % name, data)
    return not set(below).isdisjoint(reached)


def _is_known(parts: Sequence[str]) -> bool:
    """Says whether a name, or what it is in, is gone or another rule's."""
    return any(".".join(parts[:end]) in _known() for end in range(3, len(parts) + 1))


@cache
def _known() -> frozenset[str]:
    return frozenset((*gone_names(), *_RULES))


@cache
def _gone_below() -> dict[str, frozenset[bytes]]:
    """Returns, for each module, the first parts of the names below it that are gone or known."""
    found: dict[str, set[bytes]] = {}
    for name in _known():
        parts = name.split(".")
        for end in range(2, len(parts)):
            found.setdefault(".".join(parts[:end]), set()).add(parts[end].encode())
    return {name: frozenset(below) for name, below in found.items()}
