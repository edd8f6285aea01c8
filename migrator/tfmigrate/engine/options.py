"""The options of the engine."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tfmigrate.model.targets import DEFAULT, TARGETS, Target

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


@dataclass(frozen=True)
class FileIgnore:
    """Rules that are not applied to some files.

    Attributes:
        folder: the absolute folder that the pattern is relative to.
        pattern: the files, in gitignore syntax.
        codes: codes or prefixes of the rules.
    """

    folder: str
    pattern: str
    codes: tuple[str, ...]

    def covers(self, code: str, path: Path) -> bool:
        """Returns whether a rule is not applied to a file."""
        if not code.startswith(self.codes):
            return False
        folder, pattern = _anchored(self.folder, self.pattern)
        relative = os.path.relpath(path, folder).replace(os.sep, "/")
        return not relative.startswith("../") and _spec(pattern).match_file(relative)


@cache
def _anchored(folder: str, pattern: str) -> tuple[str, str]:
    """Returns a pattern that begins with a path, which gitignore has not, as gitignore has it.

    Args:
        folder: The folder that the pattern is relative to.
        pattern: "./train.py", "../app/*.py" or an absolute path below the folder, among others.

    Returns:
        The folder that the result is relative to, and the result.
    """
    if pattern.startswith(f"{folder}/"):
        return folder, pattern.removeprefix(folder)
    tail = pattern
    while tail.startswith(("./", "../")):
        step, _, tail = tail.partition("/")
        folder = os.path.dirname(folder) if step == ".." else folder  # noqa: PTH120
    return folder, pattern if tail == pattern else f"/{tail}"


@cache
def _spec(pattern: str) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines([pattern])


@dataclass(frozen=True)
class Options:
    """The options of a run.

    Attributes:
        unsafe: apply also what may change how the program trains.
        select: codes or prefixes of the rules to use; empty for all.
        ignore: codes or prefixes of the rules not to use.
        file_ignores: rules not to use in some files.
        coordinator: let one coordinator run the loop of an asynchronous program.
        py2: turn Python 2 files into Python 3 first, which needs fissix.
        target: what TensorFlow the result is to run on.
    """

    unsafe: bool = False
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    file_ignores: tuple[FileIgnore, ...] = ()
    coordinator: bool = False
    py2: bool = False
    target: Target = TARGETS[DEFAULT]

    def selects(self, code: str, path: Path) -> bool:
        """Returns whether a rule is selected for a file."""
        return (
            (not self.select or code.startswith(self.select))
            and not (self.ignore and code.startswith(self.ignore))
            and not any(ignore.covers(code, path) for ignore in self.file_ignores)
        )
