"""The warning about uncommitted changes, which a migration would be mixed with."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from tfmigrate.files.ignore import repository_root

_NAMED = 3  # how many files the warning names


def warning(paths: Sequence[str]) -> str:
    """Returns the warning about changed files that git tracks; "" without git or without changes.

    Args:
        paths: The files and folders that are to be migrated.
    """
    found: list[str] = []
    by_root: dict[str, list[str]] = {}
    for path in paths:
        full = os.path.realpath(path)
        root = repository_root(full if os.path.isdir(full) else os.path.dirname(full))  # noqa: PTH112, PTH120
        if root is not None:
            by_root.setdefault(root, []).append(full)
    for root, inside in by_root.items():
        command = ["git", "-C", root, "status", "--porcelain", "-z", "--untracked-files=no"]
        try:
            result = subprocess.run(
                [*command, "--", *inside], capture_output=True, check=True, timeout=60
            )
        except (OSError, subprocess.SubprocessError):
            continue  # a folder that git cannot read is nobody's tree
        found += _names(os.fsdecode(result.stdout))
    if not found:
        return ""
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return (
        f"warning: uncommitted changes in {', '.join(found[:_NAMED])}{more}: commit them first, "
        "so that the migration is a separate commit (--allow-dirty hides this warning)"
    )


def _names(status: str) -> list[str]:
    """Returns the files of ``git status --porcelain -z`` that tfmigrate may change."""
    entries = iter(status.split("\0"))
    names = []
    for entry in entries:
        if entry[:2].strip() and entry.endswith((".py", ".ipynb")):
            names.append(entry[3:])
        if entry[:1] in ("R", "C"):
            next(entries, "")  # the old name
    return names
