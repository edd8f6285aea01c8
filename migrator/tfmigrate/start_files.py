"""Files that do not name TensorFlow, but start programs that other files are made of."""

from __future__ import annotations

import ast
import contextlib
import os
import re
from collections.abc import Sequence

from tfmigrate.discover import Candidate
from tfmigrate.source import SourceFile, UnreadableFile, decode_source

# Words of import statements: a quick question before a file is parsed.
_IMPORTED = re.compile(rb"(?<=[\s.,(])\w+(?=[\s.,;)]|$)")


def may_start(data: bytes) -> bool:
    """Says whether a file may be there to be run."""
    return b"__main__" in data


def starts_of(
    others: Sequence[tuple[Candidate, bytes]], sources: Sequence[SourceFile]
) -> list[SourceFile]:
    """Returns the files that run what imports files that name TensorFlow.

    Those that cannot be read or parsed have nothing to do with TensorFlow, as far as is known.

    Args:
        others: the files that do not name TensorFlow and may start programs, and what they hold.
        sources: the files that name it.
    """
    stems = {
        os.fsencode(part) for s in sources for part in (s.path.stem, s.path.parent.name) if part
    }
    starts = []
    for candidate, data in others:
        if not stems.intersection(_IMPORTED.findall(data)):
            continue
        with contextlib.suppress(UnreadableFile, SyntaxError, ValueError, RecursionError):
            source = decode_source(data, candidate.path, candidate.display)
            ast.parse(source.text)
            starts.append(source)
    return starts
