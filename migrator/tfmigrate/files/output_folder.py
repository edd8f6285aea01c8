"""Writing migrated files to another folder; the originals stay as they are."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from tfmigrate.files.discover import Candidate, UsageError
from tfmigrate.files.source import SourceFile
from tfmigrate.files.write import UnwritableFile, encoded


class OutputFolder:
    """A folder that gets the files of one path, changed or not, at the same relative places."""

    def __init__(self, folder: Path, path: Path) -> None:
        """Checks the folder.

        Raises:
            UsageError: The folder has files, or is the path itself or a part of it.
        """
        base = path if path.is_dir() else path.parent
        whole, inner = Path(os.path.realpath(base)), Path(os.path.realpath(folder))
        if path.is_dir() and inner.is_relative_to(whole):
            raise UsageError(f"--output-dir: {folder} is in {path}; give a folder outside of it")
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"--output-dir: {folder} is not an empty folder; give a new one")
        self._folder, self._base = folder, base

    def write(self, source: SourceFile, text: str) -> None:
        """Writes the new text of a file.

        Raises:
            UnwritableFile: The text cannot be written.
        """
        data = encoded(source, text)
        try:
            place = self._place(source.path)
            place.write_bytes(data)
            shutil.copymode(source.path, place)
        except OSError as error:
            raise UnwritableFile(1, 1, f"not written: {error.strerror or error}") from error

    def copy(self, candidates: Sequence[Candidate]) -> None:
        """Copies files that do not change.

        Raises:
            UsageError: A file cannot be copied.
        """
        for candidate in candidates:
            try:
                shutil.copy2(candidate.path, self._place(candidate.path))
            except OSError as error:
                reason = error.strerror or error
                message = f"--output-dir: {candidate.display} cannot be copied: {reason}"
                raise UsageError(message) from error

    def _place(self, path: Path) -> Path:
        place = self._folder / path.relative_to(self._base)
        place.parent.mkdir(parents=True, exist_ok=True)
        return place
