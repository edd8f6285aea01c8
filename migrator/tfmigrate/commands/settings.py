"""``[tool.tfmigrate]`` of the nearest pyproject.toml: the settings of a project."""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from tfmigrate.files.discover import UsageError

FILE_NAME = "pyproject.toml"
_FLAGS = ("coordinator", "force-exclude", "py2", "statistics", "unsafe", "vendor")
_CODES = ("ignore", "select")
_LISTS = (*_CODES, "exclude", "extend-exclude")
_CHOICES = ("format", "target")
_PATHS, _NUMBER, _TABLE = ("baseline", "cache-dir"), "jobs", "per-file-ignores"
KEYS = tuple(sorted((*_FLAGS, *_LISTS, *_CHOICES, *_PATHS, _NUMBER, _TABLE)))
_AT_LINE = re.compile(r"(.*?) \(at line (\d+), column \d+\)", re.DOTALL)
_SECTION = re.compile(r"\s*\[+\s*([^\]#]+?)\s*\]+")


@dataclass(frozen=True)
class Settings:
    """What a pyproject.toml sets.

    Attributes:
        file: The file; None where there is none.
        values: The keys that are set, as in the file, with their values.
    """

    file: Path | None = None
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """What the patterns of ``exclude`` are relative to."""
        return self.file.parent if self.file else Path.cwd()


def nearest(paths: Sequence[str]) -> Path | None:
    """Returns the first pyproject.toml with our section, upwards from the paths' common folder.

    A path that does not exist counts as its parent; discovery reports it.

    Raises:
        UsageError: A file on the way is not TOML.
    """
    folders = []
    for name in paths or ["."]:
        path = Path(os.path.abspath(name))  # noqa: PTH100 - links stay as they were named
        folders.append(str(path if path.is_dir() else path.parent))
    try:
        common = Path(os.path.commonpath(folders))
    except ValueError:  # on two drives of Windows
        common = Path(folders[0])
    for folder in (common, *common.parents):
        file = folder / FILE_NAME
        if file.is_file() and b"tfmigrate" in _bytes(file) and _section(file) is not None:
            return file
    return None


def read(file: Path, choices: Mapping[str, Sequence[str]]) -> Settings:
    """Reads the settings of a file.

    Args:
        file: A TOML file; without our section it sets nothing.
        choices: The allowed values of ``format`` and ``target``.

    Raises:
        UsageError: The file cannot be read, is not TOML, or has an unknown key or a wrong value;
            with its line.
    """
    values = _section(file)
    for key, value in (values or {}).items():
        if problem := _problem(key, value, choices):
            raise UsageError(f"{_shown(file)}:{_line_of(file, key)}: {problem}")
    return Settings(file, values or {})


def _problem(key: str, value: Any, choices: Mapping[str, Sequence[str]]) -> str:
    """Returns what is wrong with one setting, "" for nothing."""
    if key not in KEYS:
        close = get_close_matches(key.replace("_", "-"), KEYS, n=1)
        hint = f"did you mean {close[0]}?" if close else f"the keys are {', '.join(KEYS)}"
        return f"unknown key {key} in [tool.tfmigrate]; {hint}"
    if key in _FLAGS:
        return "" if isinstance(value, bool) else f"{key} must be true or false, not {value!r}"
    if key in _CHOICES:
        if value in choices[key]:
            return ""
        return f"{key} must be one of {', '.join(choices[key])}, not {value!r}"
    if key in _PATHS:
        fits = isinstance(value, str) and bool(value)
        kind = "folder" if key == "cache-dir" else "file"
        return "" if fits else f"{key} must be the path of a {kind}, not {value!r}"
    if key == _NUMBER:
        fits = isinstance(value, int) and not isinstance(value, bool) and value > 0
        return "" if fits else f"{key} must be a number of processes, at least 1, not {value!r}"
    if key == _TABLE:
        if not isinstance(value, dict):
            return f"{key} must be a table of patterns and their codes, not {value!r}"
        problems = (_problem_of_codes(f'{key} of "{name}"', value[name]) for name in value)
        return next(filter(None, problems), "")
    if key in _CODES:
        return _problem_of_codes(key, value)
    return _problem_of_list(key, value)


def _problem_of_list(key: str, value: Any) -> str:
    fits = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return "" if fits else f"{key} must be a list of strings, not {value!r}"


def _problem_of_codes(key: str, value: Any) -> str:
    if problem := _problem_of_list(key, value):
        return problem
    if not (strange := _unknown(value)):
        return ""
    return f"{key}: unknown code {strange[0]!r}; `tfmigrate rules` lists all codes"


def _unknown(codes: Sequence[str]) -> list[str]:
    from tfmigrate.rulekit.registry import (
        selectable_codes,  # loads every rule: only where codes are set
    )

    known = selectable_codes()
    return [c for c in codes if not c or not any(one.startswith(c.upper()) for one in known)]


def _section(file: Path) -> dict[str, Any] | None:
    """Returns our section of a TOML file, None where it has none.

    Raises:
        UsageError: The file cannot be read or is not TOML.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        document = tomllib.loads(_bytes(file).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UsageError(f"{_shown(file)}:1: not valid TOML: not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        line_match = _AT_LINE.match(str(error))
        line, reason = (line_match[2], line_match[1]) if line_match else ("1", str(error))
        raise UsageError(f"{_shown(file)}:{line}: not valid TOML: {reason}") from error
    tool = document.get("tool")
    section = tool.get("tfmigrate") if isinstance(tool, dict) else None
    if section is not None and not isinstance(section, dict):
        raise UsageError(f"{_shown(file)}:1: tool.tfmigrate must be a table, not {section!r}")
    return section


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"{_shown(file)} cannot be read: {reason}") from error


def _line_of(file: Path, key: str) -> int:
    """Returns the line that sets a key, or the section's; the TOML parser reports no lines."""
    section, first = "", 1
    key_pattern = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[.=]")
    for number, line in enumerate(_bytes(file).decode("utf-8").splitlines(), start=1):
        header = _SECTION.match(line)
        if header and "=" not in line.partition("#")[0]:
            if (section := re.sub(r"[\s\"']", "", header[1])) == "tool.tfmigrate":
                first = number
            elif section == f"tool.tfmigrate.{key}":
                return number
        elif section == "tool.tfmigrate" and key_pattern.match(line):
            return number
    return first


def _shown(file: Path) -> str:
    from tfmigrate.files.discover import shown

    return shown(file)
