"""The functions that the commands of a package run, as its packaging files name them.

They are read by line: setup.py is a program, and the others need not be complete.
"""

import contextlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_FILES = ("setup.py", "setup.cfg", "pyproject.toml")
_GROUP = re.compile(
    r"(?:console|gui)_scripts['\"]?\]?\s*[:=]?\s*|^\[(?:project|tool\.poetry)\.(?:gui-)?scripts\]"
)
_ENTRY = re.compile(r"[\w.-]+['\"]?\s*=\s*['\"]?\s*([A-Za-z_][\w.]*)\s*:\s*([A-Za-z_]\w*)")
_ENDS = re.compile(r"\s*(?:\[|\]|['\"]{3}|[\w.-]+\s*=\s*$)")
_LEVELS = 5  # of folders above a file


def commands_of(path: Path) -> list[str]:
    """Returns the functions of a file that commands run, by the packaging files above it."""
    return [
        function
        for folder in list(path.absolute().parents)[: _LEVELS + 1]
        for module, function in _entry_points(folder)
        if path.absolute() in _files(folder, module)
    ]


def forget() -> None:
    """Has packaging files read anew: a server, or --watch, runs again after they have changed."""
    _entry_points.cache_clear()


def _files(folder: Path, module: str) -> list[Path]:
    path = Path(*module.split("."))
    return [
        file
        for top in (folder, folder / "src")
        for file in (top / path.with_suffix(".py"), top / path / "__init__.py")
    ]


@cache
def _entry_points(folder: Path) -> tuple[tuple[str, str], ...]:
    """Returns (module, function) of each command that a folder's packaging files define."""
    commands: dict[tuple[str, str], None] = {}
    for name in _FILES:
        path = folder / name
        with contextlib.suppress(OSError):
            commands.update(dict.fromkeys(_of_text(path.read_text("utf-8", "replace"))))
    return tuple(commands)


def _of_text(text: str) -> Iterator[tuple[str, str]]:
    inside = False
    for line in text.splitlines():
        if line.lstrip().startswith("#"):
            continue
        if (group := _GROUP.search(line)) is not None:
            inside, line = True, line[group.end() :].removeprefix("[")
        elif _ENDS.match(line):
            inside = False
        if inside:
            yield from _ENTRY.findall(line)
            inside = "]" not in line
