"""Whether a rule can apply to a file, by its bytes, before anything is parsed.

A large code base is mostly files that no rule has anything to say of. The answer is never a wrong
no; a wrong yes costs the time of parsing.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property

from tfmigrate.scan.imports_of_bytes import Imported, code_of, imported, imported_by_code
from tfmigrate.scan.rule_words import modules, modules_beside, words
from tfmigrate.tables.chains import Chain
from tfmigrate.tables.deep_paths import DEEP_PATHS
from tfmigrate.tables.internal_names import PACKAGE, gone_names
from tfmigrate.tables.moved_names import NEED_TENSORFLOW_1
from tfmigrate.tables.present_names import KERAS_3, missing_part

# TensorFlow's internal modules. Programs may import them, but their names are not public; a table
# lists those that were removed.
_INTERNAL = frozenset(
    {"python", "core", "compiler", "dtensor", "lite", "security", "tools", "tsl", "xla"}
)
# Packages that are TensorFlow, a part of it, or run on TensorFlow 1.x only.
_PACKAGES = frozenset(
    {"tensorflow", "tensorflow_core", "tensorflow_estimator", "tf_keras", "tf_slim"}
    | {"tfmigrate_runtime"}
    | NEED_TENSORFLOW_1
)
NAMES = ("tensorflow", "keras", "tfmigrate_runtime", *sorted(NEED_TENSORFLOW_1))
_IGNORE = b"tfmigrate:"  # a comment that ignores findings, of which there may be none
# What may precede an imported name on its line, and follow it to the end of the statement.
_IMPORT = re.compile(rb"\b(?:import|from)\b")
_OCCURRENCES = re.compile("|".join((*NAMES, "tf_slim")).encode())
_STATEMENT = re.compile(rb"(?:\([^)]*\)|\\\r?\n|[^\n(])*")
_ATTRIBUTE = re.compile(rb"\.\s*([^\W\d]\w*)")
# An alias of a module, through which its attributes are reached.
_ALIAS = rb"=[ \t(\\\n]*%b[ \t)]*(?:[\n\r;#]|\Z)"
_DEEP = tuple(sorted(name for name in DEEP_PATHS if name.startswith(f"{PACKAGE}.")))


class Concern(enum.IntEnum):
    """How a file may matter to the rules."""

    NONE = 0
    """Nothing."""
    BESIDE = 1
    """A rule may find something in it if one applies to another file of its program."""
    OWN = 2
    """A rule may find something in it."""


def concern(data: bytes, notebook: bool = False) -> Concern:
    """Returns how a file may matter to the rules.

    Args:
        data: what the file holds.
        notebook: whether it is a notebook, of which no more is asked than TensorFlow's name.
    """
    if not any(name.encode() in data for name in NAMES):
        return Concern.NONE
    if notebook or any(word in data for word in (_IGNORE, *words())):
        return Concern.OWN
    # Most names of TensorFlow are not in an import, and a part of a file is scanned much faster.
    near = (clause for part in _statements(data) for clause in imported(part))
    if _most(near, _Text(data)) is Concern.NONE:
        return Concern.NONE
    code = code_of(data)
    return _most(imported_by_code(code), _Text(code))


def _most(clauses: Iterable[Imported], text: _Text) -> Concern:
    most = Concern.NONE
    for clause in clauses:
        if (most := max(most, _reached(clause, text))) is Concern.OWN:
            break
    return most


class _Text:
    """A text with several searches."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def attributes_of(self, name: bytes) -> set[bytes]:
        """Returns the names that follow a name and a dot."""
        # The name comes first in the pattern: a fixed beginning is looked for much faster.
        return set(re.findall(rb"%b(?<!\w%b)\s*\.\s*(\w+)" % (name, name), self.data))

    @cached_property
    def attributes(self) -> frozenset[bytes]:
        """Every name that follows a dot."""
        return frozenset(_ATTRIBUTE.findall(self.data))


def _statements(data: bytes) -> Iterator[bytes]:
    """Yields what may be import statements of TensorFlow or one of its packages."""
    end = 0
    for word in _OCCURRENCES.finditer(data):
        if word.start() < end:
            continue
        start = data.rfind(b"\n", 0, word.start()) + 1
        while data.endswith((b"\\\n", b"\\\r\n"), 0, start):
            start = data.rfind(b"\n", 0, start - 1) + 1
        if _IMPORT.search(data[start : word.start()]):
            match = _STATEMENT.match(data, word.start())
            end = match.end() if match else word.end()
            yield data[start:end]


def _reached(clause: Imported, text: _Text) -> Concern:
    """Returns how the names that an import may bind matter to the rules."""
    if not clause.level and clause.parts[0] == "keras":
        return Concern.OWN
    if clause.level or clause.parts[0] not in _PACKAGES:
        return Concern.NONE
    if clause.parts[0] != "tensorflow" or len(clause.parts) < 2:
        return Concern.OWN
    if clause.plain and clause.bound == "tensorflow":
        return Concern.OWN  # it binds the package: any name may be reached
    if clause.parts[1] != "python":
        return Concern.NONE if clause.parts[1] in _INTERNAL else Concern.OWN
    if _is_reached(clause, text, *_gone()) or _is_missing(clause, text):
        return Concern.OWN
    return Concern.BESIDE if _is_reached(clause, text, *_beside()) else Concern.NONE


def _is_reached(
    clause: Imported, text: _Text, names: frozenset[str], below_of: Mapping[str, frozenset[bytes]]
) -> bool:
    """Returns whether an import of an internal module may reach one of some names."""
    if any(".".join(clause.parts[:end]) in names for end in range(3, len(clause.parts) + 1)):
        return True
    # Others are reached as an attribute of the bound name, or of an alias of it.
    if not (below := below_of.get(".".join(clause.parts), frozenset()) & text.attributes):
        return False  # as with "*", whose names are unknown
    name = re.escape(clause.bound.encode())
    reaches = not below.isdisjoint(text.attributes_of(name))
    return reaches or bool(re.search(_ALIAS % name, text.data))


def _is_missing(clause: Imported, text: _Text) -> bool:
    """Returns whether TensorFlow 2.21 lacks an import, or an attribute of what it binds."""
    module, member = ".".join(clause.parts[:-1]), clause.parts[-1]
    if clause.plain or not module or member == "*":
        module, member = ".".join(part for part in clause.parts if part != "*"), ""
    if missing_part(Chain(module, member), KERAS_3):
        return True
    if clause.plain and clause.bound == clause.parts[0]:
        return False  # its attributes are reached by the whole path
    reached = text.attributes_of(re.escape(clause.bound.encode()))
    return any(missing_part(Chain(module, member, n.decode()), KERAS_3) for n in reached)


@cache
def _gone() -> tuple[frozenset[str], Mapping[str, frozenset[bytes]]]:
    names = frozenset((*gone_names(), *_DEEP, *modules()))
    return names, _first_parts(names)


@cache
def _beside() -> tuple[frozenset[str], Mapping[str, frozenset[bytes]]]:
    names = frozenset(modules_beside())
    return names, _first_parts(names)


def _first_parts(names: Iterable[str]) -> dict[str, frozenset[bytes]]:
    """Returns, for each module, the first parts of the names below it."""
    parts_by_module: dict[str, set[bytes]] = {}
    for name in names:
        parts = name.split(".")
        for end in range(2, len(parts)):
            parts_by_module.setdefault(".".join(parts[:end]), set()).add(parts[end].encode())
    return {name: frozenset(below) for name, below in parts_by_module.items()}
