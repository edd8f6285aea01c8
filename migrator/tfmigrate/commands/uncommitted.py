"""The warning about uncommitted changes, which a migration would be mixed with."""

import os
import subprocess
from collections.abc import Sequence

from tfmigrate.files.discover import SUFFIXES, is_foreign
from tfmigrate.files.ignore import repository_root
from tfmigrate.model.findings import first_of

_NAMED = 3  # how many files the warning names


def warning(paths: Sequence[str]) -> str:
    """Returns the warning about files that no commit can restore; "" without git or such files."""
    uncommitted: list[str] = []
    by_root: dict[str, list[str]] = {}
    for path in paths:
        full = os.path.realpath(path)
        root = repository_root(full if os.path.isdir(full) else os.path.dirname(full))  # noqa: PTH112, PTH120
        if root is not None:
            by_root.setdefault(root, []).append(full)
    for root, inside in by_root.items():
        command = ["git", "-C", root, "status", "--porcelain", "-z", "--untracked-files=all"]
        try:
            result = subprocess.run(
                [*command, "--", *inside], capture_output=True, check=True, timeout=60
            )
        except (OSError, subprocess.SubprocessError):
            continue  # a folder that git cannot read is nobody's tree
        names = _names(os.fsdecode(result.stdout))
        uncommitted += [os.path.relpath(os.path.join(root, name)) for name in names]  # noqa: PTH118
    if not uncommitted:
        return ""
    return (
        f"warning: uncommitted changes in {first_of(uncommitted, _NAMED)}: commit them first, "
        "so that the migration is a separate commit (--allow-dirty hides this warning)"
    )


def _names(status: str) -> list[str]:
    """Returns the files of ``git status --porcelain -z`` that tfmigrate may change."""
    entries = iter(status.split("\0"))
    names = []
    for entry in entries:
        name = entry[3:]
        if name.endswith(SUFFIXES) and not any(map(is_foreign, name.split("/")[:-1])):
            names.append(name)
        if entry[:1] in ("R", "C"):
            next(entries, "")  # the old name
    return names
