"""The files that programs start with, where those do not name TensorFlow themselves."""

from __future__ import annotations

import ast
import contextlib
import os
import re
from collections.abc import Sequence

from tfmigrate.discover import Candidate
from tfmigrate.source import SourceFile, UnreadableFile, decode_source, read_bytes

# Words of import statements: a quick question before a file is parsed.
_IMPORTED = re.compile(rb"(?<=[\s.,(])\w+(?=[\s.,;)]|$)")


def files_that_start(
    candidates: Sequence[Candidate], sources: Sequence[SourceFile]
) -> list[SourceFile]:
    """Returns the files that do not name TensorFlow, but are run and import files that do.

    Those that cannot be read or parsed have nothing to do with TensorFlow, as far as is known.

    Args:
        candidates: all files of the run.
        sources: those that name TensorFlow.
    """
    known = {source.path for source in sources}
    stems = {
        os.fsencode(part) for s in sources for part in (s.path.stem, s.path.parent.name) if part
    }
    starts = []
    for candidate in candidates:
        if candidate.path in known or candidate.path.suffix != ".py":
            continue
        with contextlib.suppress(UnreadableFile, SyntaxError, ValueError, RecursionError):
            data = read_bytes(candidate.path)
            if b"__main__" in data and stems.intersection(_IMPORTED.findall(data)):
                source = decode_source(data, candidate.path, candidate.display)
                ast.parse(source.text)
                starts.append(source)
    return starts
