"""Files that do not name TensorFlow, but start programs that contain other files."""

import contextlib
import os
import re
from collections.abc import Sequence

from tfmigrate.files.discover import Candidate
from tfmigrate.files.reading import read_bytes
from tfmigrate.files.source import UnreadableFile

# Words of import statements: a quick question before a file is parsed.
_IMPORTED = re.compile(rb"(?<=[\s.,(])\w+(?=[\s.,;)\\\"]|$)")
# A line at the top level that calls something, opens a block, or is a test.
_RUNS = re.compile(
    rb"^(?:(?!def\b|class\b|import\b|from\b)[^\W\d][^\n]*\(|(?:if|for|while|with|try)\b|def test)",
    re.MULTILINE,
)

# How a file may have TensorFlow from another one: `import *`, `from common import tf`.
_TAKES = re.compile(rb"import \*|\b(?:contrib|estimator|layers|learn|rnn|seq2seq|slim|tf)\b")


def may_take(data: bytes) -> bool:
    """Returns whether a file that does not name TensorFlow may have it from another one."""
    return bool(_TAKES.search(data))


def may_start(data: bytes, notebook: bool = False) -> bool:
    """Returns whether a file may be a script."""
    return notebook or b"__main__" in data or bool(_RUNS.search(data))


def imported_words(data: bytes) -> set[bytes]:
    """Returns words of a file, with all that its import statements name."""
    return set(_IMPORTED.findall(data))


def starts_of(others: Sequence[Candidate], chosen: Sequence[Candidate]) -> list[Candidate]:
    """Returns the files that may start a program that imports some files.

    Args:
        others: files that do not name TensorFlow and may start programs.
        chosen: the files.
    """
    stems = {
        os.fsencode(part)
        for candidate in chosen
        for part in (candidate.path.stem, candidate.path.parent.name)
        if part
    }
    starts = []
    for candidate in others:
        with contextlib.suppress(UnreadableFile):  # it could be read before; now it is gone
            if stems & imported_words(read_bytes(candidate.path)):
                starts.append(candidate)
    return starts
