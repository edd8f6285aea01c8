"""The files that say which packages a program is run with, and the TensorFlow that they ask for."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator
from dataclasses import dataclass

# In the order of how common they are; setup.py is Python, which is found as such.
_NAMES = (
    "*requirements*.txt",
    "constraints*.txt",
    "Dockerfile*",
    "*.dockerfile",
    "pyproject.toml",
    "setup.cfg",
    "environment*.yml",
    "environment*.yaml",
    "Pipfile",
)
_VERSION = r"\d+(?:\.(?:\d+|\*))*"
_PACKAGE = re.compile(
    r"(?<![\w./-])(?P<name>tensorflow(?:[-_](?:gpu|cpu|rocm))?)(?![\w./-])(?:\[[\w, -]*\])?"
    rf"(?P<specifiers>[\"']?\s*(?:[=~<>!^]+\s*[\"']?\s*[=~<>^]*\s*{_VERSION}[\w.]*[\"']?\s*,?\s*)*)"
)
_SPECIFIER = re.compile(
    rf"(?P<operator>[=~<>!^]+)[\"'\s]*(?P<inner>[=~<>^]*)\s*(?P<version>{_VERSION})"
)
_IMAGE = re.compile(r"\btensorflow/tensorflow:(?P<version>\d+\.\d+)")
_NVIDIA = re.compile(r"\bnvidia/tensorflow:[\d.]+-tf1\b")


@dataclass(frozen=True)
class Requirement:
    """A requirement of a TensorFlow that is too old.

    Attributes:
        line: Its line, 1-based.
        column: Its column in characters, 1-based.
        text: What is written there.
        is_image: Whether it is an image of a container.
    """

    line: int
    column: int
    text: str
    is_image: bool = False


def is_environment(name: str) -> bool:
    """Says whether a file of this name lists packages."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in _NAMES)


def outdated(text: str, oldest: tuple[int, int]) -> Iterator[Requirement]:
    """Yields the requirements of a file that no migrated program can run with.

    Args:
        text: The file.
        oldest: The oldest TensorFlow, as (major, minor).
    """
    for number, line in enumerate(text.splitlines(), start=1):
        code = re.split(r"(?:^|\s)#", line, maxsplit=1)[0]
        for match in _PACKAGE.finditer(code):
            specifiers = match["specifiers"]
            gone = "gpu" in match["name"]
            if gone or any(_forbids(s, oldest) for s in _SPECIFIER.finditer(specifiers)):
                yield Requirement(number, match.start() + 1, _shown(match[0]))
        for match in _IMAGE.finditer(code):
            if _numbers(match["version"]) < oldest:
                yield Requirement(number, match.start() + 1, match[0], is_image=True)
        for match in _NVIDIA.finditer(code):
            yield Requirement(number, match.start() + 1, match[0], is_image=True)


def _shown(text: str) -> str:
    """Returns a requirement without the quotation mark that ends a string around it."""
    text = text.rstrip(" \t,")
    return text[:-1] if text[-1] in "\"'" and text.count(text[-1]) == 1 else text


def _forbids(specifier: re.Match[str], oldest: tuple[int, int]) -> bool:
    """Says whether a version specifier excludes every version from the oldest one on."""
    version = _numbers(specifier["version"])
    operator = specifier["inner"] or specifier["operator"]
    if operator == "<":
        return version <= oldest
    if operator == "^":
        return version[0] < oldest[0]
    if operator in ("=", "==", "===", "~=", "~", "<="):
        # `== 2.*` and `~= 2.4` admit newer versions of the same major.
        is_open = specifier["version"].endswith("*") or operator == "~="
        parts = specifier["version"].count(".") + 1
        return version[0] < oldest[0] if is_open and parts == 2 else version < oldest
    return False


def _numbers(version: str) -> tuple[int, int]:
    major, minor, *_ = [*version.replace("*", "0").split("."), "0"]
    return int(major), int(minor)
