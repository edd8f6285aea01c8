"""Files that do not name TensorFlow, belong to programs that do, and need names that are gone."""

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from tfmigrate.files.discover import Candidate
from tfmigrate.files.reading import read_bytes
from tfmigrate.files.source import UnreadableFile
from tfmigrate.scan.import_paths import modules_by_name
from tfmigrate.scan.start_files import imported_words
from tfmigrate.tables import moved_names, numpy_names, python_2

# Statements that Python 3 cannot parse.
_COMMON = {"file", "format", "reduce"}  # too common as words alone
_SYNTAX = rb"^[ \t]*print[ \t]+[\"'\w%]|^[ \t]*except[^:\n(]+,[ \t]*\w+[ \t]*:"


def has_removed_names(data: bytes) -> bool:
    """Returns whether a file may use a name that Python or a package removed."""
    return bool(_removed().search(data))


@cache
def _removed() -> re.Pattern[bytes]:
    below = {*numpy_names.BUILT_IN, *numpy_names.RENAMED, *numpy_names.REMOVED, "tostring"}
    below |= {"fromstring", *python_2.METHODS, *moved_names.TEST_METHODS, "as_matrix"}
    words = {*python_2.BUILTINS, *moved_names.old_names()} - _COMMON
    parts = (
        rb"\b(?:%b)\b" % "|".join(sorted(words)).encode(),
        rb"\.(?:%b)\b" % "|".join(sorted(below)).encode(),
        rb"(?<![.\w])(?:file|reduce)\(|\bstring\.\w|\bfrom[ \t]+string\b|\b(?:np|numpy)\.lib\b",
        rb"\.(?:items|keys|values)\(\)[ \t]*[\[+.]|\.next\(\)|\bcmp[ \t]*=|\bmap\(None\b",
        rb"\b(?:np|numpy)\.(?:as)?array\([\w.]+\)",  # of a parameter that may be ragged
        rb"\.message\b|\.(?:de|en)code\(|\b__(?:%b)__\b"
        % "|".join(sorted(name.strip("_") for name in python_2.OPERATORS)).encode(),
        _SYNTAX,
    )
    return re.compile(b"|".join(parts), re.MULTILINE)


def helpers_of(helpers: Sequence[Candidate], others: Iterable[Candidate]) -> list[Candidate]:
    """Returns the files that some files may import, directly or through one of them.

    Args:
        helpers: files that do not name TensorFlow.
        others: the files.
    """
    used_helpers: list[Candidate] = []
    left = list(helpers)
    loads_all = cache(_loads_all)
    names = {candidate.path: [*_modules(candidate, loads_all)] for candidate in left}
    wave = list(others)
    while wave and left:
        words: set[bytes] = set()
        for candidate in wave:
            with contextlib.suppress(UnreadableFile):  # it could be read before; now it is gone
                words |= imported_words(read_bytes(candidate.path))
        wave = [c for c in left if words.intersection(names[c.path])]
        left = [candidate for candidate in left if candidate not in wave]
        used_helpers += wave
    return used_helpers


def _modules(candidate: Candidate, loads_all: Callable[[Path], bool]) -> Iterator[bytes]:
    """Yields the last parts of the names that load a file, be it all modules of its package."""
    path = candidate.path
    if path.stem != "__init__":
        yield os.fsencode(path.stem)
    if path.stem == "__init__" or loads_all(path.with_name("__init__.py")):
        yield os.fsencode(path.parent.name)


def _loads_all(package: Path) -> bool:
    """Returns whether a package may load each of its modules."""
    try:
        return any(modules_by_name(str(package), package.read_bytes()))
    except OSError:
        return False
