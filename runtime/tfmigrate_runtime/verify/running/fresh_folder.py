"""A folder that mirrors the current one, for programs that write to their working directory."""

import os
from pathlib import Path

_MOST_FILES = 20_000
_LEFT_OUT = ("__pycache__", ".git")


class FolderTooLargeError(ValueError):
    """A folder has too many files to be that of a program."""


def fresh_folder(source: Path, target: Path) -> Path:
    """Makes a folder with the same subfolders as another one, and links to its files.

    Files that a program creates by relative paths do not land in the other folder. Existing files
    are written through their links.

    Args:
        source: the folder to mirror. Virtual environments and folders that are links are linked.
        target: the folder to make.

    Returns:
        The target.

    Raises:
        FolderTooLargeError: the folder has too many files.
    """
    count = 0
    for place, folders, files in os.walk(source):
        here = Path(place)
        there = target / here.relative_to(source)
        there.mkdir(parents=True)
        wanted = [name for name in folders if name not in _LEFT_OUT]
        linked = [name for name in wanted if _stays_whole(here / name)]
        folders[:] = [name for name in wanted if name not in linked]
        for name in (*files, *linked):
            (there / name).symlink_to(here / name)
        count += len(files)
        if count > _MOST_FILES:
            raise FolderTooLargeError(
                f"{source} has more than {_MOST_FILES} files: run verify in the program's folder"
            )
    return target


def _stays_whole(folder: Path) -> bool:
    return folder.is_symlink() or (folder / "pyvenv.cfg").is_file()
