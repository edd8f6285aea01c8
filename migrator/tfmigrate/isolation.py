"""An error of tfmigrate itself is a finding of the file it arose from; the other files go on."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from tfmigrate import engine
from tfmigrate.findings import INTERNAL_ERROR, Finding, Severity
from tfmigrate.module import Module
from tfmigrate.source import SourceFile


def migrate(
    files: Sequence[SourceFile], options: engine.Options, roots: Sequence[Path] = ()
) -> engine.Migration:
    """Migrates files together, without those on which the engine fails.

    Args:
        files: the files, decoded.
        options: what the user asked for.
        roots: where the search for imported files ends upwards.

    Returns:
        The new texts and the findings; a file on which the engine failed has an ERROR finding.

    Raises:
        Exception: the engine fails without any file.
    """
    failures: list[Finding] = []
    remaining = list(files)
    while True:
        try:
            migration = engine.migrate(remaining, options, roots)
        except Exception as error:
            if not remaining:
                raise  # no file is to blame
            blamed = _blamed(error, remaining) or _failing_alone(remaining, options, roots)
            # What only fails together cannot be told apart: none of it is touched.
            failed = blamed or remaining
            failures += [_failure(file, error) for file in failed]
            remaining = [file for file in remaining if file not in failed]
            continue
        migration.findings += failures
        migration.findings.sort()
        return migration


def _blamed(error: Exception, files: Sequence[SourceFile]) -> list[SourceFile]:
    """Returns the file that was in hand when the error arose, as the traceback's variables tell."""
    by_path = {file.path: file for file in files}
    for frame_locals in reversed(list(_locals_of(error.__traceback__))):
        paths = {path for value in frame_locals.values() if (path := _path_of(value)) is not None}
        if len(paths) == 1 and paths <= by_path.keys():
            return [by_path[paths.pop()]]
    return []


def _locals_of(trace: TracebackType | None) -> Iterator[dict[str, Any]]:
    while trace is not None:
        yield trace.tb_frame.f_locals
        trace = trace.tb_next


def _path_of(value: object) -> Path | None:
    """Returns the file that a variable is, or is about."""
    if isinstance(value, SourceFile):
        return value.path
    module = value if isinstance(value, Module) else getattr(value, "module", None)
    return module.source.path if isinstance(module, Module) else None


def _failing_alone(
    files: Sequence[SourceFile], options: engine.Options, roots: Sequence[Path]
) -> list[SourceFile]:
    """Returns the files that fail without the others."""
    failing = []
    for file in files:
        try:
            engine.migrate([file], options, roots)
        except Exception:
            failing.append(file)  # the error that is told is that of the whole run
    return failing


def _failure(file: SourceFile, error: Exception) -> Finding:
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return Finding(
        path=file.display,
        line=1,
        column=1,
        code=INTERNAL_ERROR,
        severity=Severity.ERROR,
        message=f"internal error, the file stays as it is: {what}",
        action="run tfmigrate with --verbose for the traceback, and please report it with the file",
        applied=False,
        traceback="".join(traceback.format_exception(error)),
    )
