"""Which versions of TensorFlow a line of a requirements file, a manifest or a Dockerfile admits."""

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass

_VERSION = r"\d+(?:\.(?:\d+|\*))*"
# pip treats upper and lower case, and - _ . in names, as equal.
_NAME = (
    r"(?:intel[-_.]tensorflow|tensorflow(?:[-_.](?:gpu|cpu|rocm|base|mkl|eigen|macos))?"
    r"|tf[-_.]nightly(?:[-_.]gpu)?)"
)
NAMES = re.compile(_NAME, re.IGNORECASE)
_PACKAGE = re.compile(
    rf"(?<![\w./-])(?P<name>{_NAME})(?![\w./-])(?:\[[\w, -]*\])?"
    r"(?P<table>[\"']?\s*=\s*\{[^{}]*?\bversion\b)?"  # Poetry's and Pipenv's form with options
    rf"(?P<specifiers>[\"']?\s*\(?(?:[=~<>!^]+\s*[\"']?\s*[=~<>^]*\s*{_VERSION}[\w.]*[\"']?\s*,?\s*)*\)?)",
    re.IGNORECASE,
)
_SPECIFIER = re.compile(
    rf"(?P<operator>[=~<>!^]+)[\"'\s]*(?P<inner>[=~<>^]*)\s*(?P<version>{_VERSION})"
)
_WHEEL = re.compile(
    r"\btensorflow(?:_gpu|_cpu)?-(?P<version>\d+\.\d+)[\w.]*-(?:cp|py)\d[\w.-]*\.whl"
)
_IMAGE = re.compile(r"\btensorflow/tensorflow:(?P<version>\d+\.\d+)")
# NVIDIA's images before 20.02 have TensorFlow 1.x; later ones name the version.
_NVIDIA = re.compile(
    r"\bnvidia/tensorflow:(?:[\d.]+-tf1\b|(?:1\d\.\d\d|20\.01)(?!-tf2|-py3-tf2)(?=-|\b))"
)


class Form(enum.Enum):
    """How a requirement is written, which decides what to write instead."""

    PIP = enum.auto()
    TABLE = enum.auto()
    """A key of a table: Poetry's and Pipenv's."""
    CONDA = enum.auto()
    IMAGE = enum.auto()
    MAGIC = enum.auto()
    """Colab's ``%tensorflow_version``."""


@dataclass(frozen=True)
class Piece:
    """Code of one line that may ask for a TensorFlow.

    Attributes:
        line: Its line, 1-based.
        code: The text.
        offset: How many characters of the line precede it.
        listed: Whether a name without a version is a requirement here, not just a word.
        conda: Whether conda reads it.
        packages: Whether it may name packages; images are found everywhere.
    """

    line: int
    code: str
    offset: int = 0
    listed: bool = True
    conda: bool = False
    packages: bool = True


@dataclass(frozen=True)
class Requirement:
    """A requirement of a TensorFlow that is too old.

    Attributes:
        line: Its line, 1-based.
        column: Its column in characters, 1-based.
        text: What is written there.
        form: How it is written.
        gpu: Whether it is the package with CUDA.
        ended: Whether no version of the package is new enough.
    """

    line: int
    column: int
    text: str
    form: Form = Form.PIP
    gpu: bool = False
    ended: bool = False


def too_old(piece: Piece, oldest: tuple[int, int]) -> Iterator[Requirement]:
    """Yields the requirements in a piece that no migrated program can run with.

    Args:
        oldest: The oldest TensorFlow, as (major, minor).
    """
    first = piece.offset + 1
    for match in _PACKAGE.finditer(piece.code) if piece.packages else ():
        gpu = "gpu" in match["name"].lower()
        # pip's tensorflow-gpu ended with 2.12; conda's did not.
        ended = gpu and not piece.conda
        forbidden = any(_forbids(s, oldest) for s in _SPECIFIER.finditer(match["specifiers"]))
        specified = match["table"] or _SPECIFIER.search(match["specifiers"])
        if forbidden or (ended and (piece.listed or specified)):
            form = Form.CONDA if piece.conda else _form(match)
            column = first + match.start()
            yield Requirement(piece.line, column, _shown(match[0]), form, gpu, ended)
    for match in _WHEEL.finditer(piece.code):
        if _numbers(match["version"]) < oldest:
            gpu = "_gpu-" in match[0]
            yield Requirement(piece.line, first + match.start(), match[0], gpu=gpu)
    for match in _IMAGE.finditer(piece.code):
        if _numbers(match["version"]) < oldest:
            yield Requirement(piece.line, first + match.start(), match[0], Form.IMAGE)
    for match in _NVIDIA.finditer(piece.code):
        yield Requirement(piece.line, first + match.start(), match[0], Form.IMAGE)


def _form(match: re.Match[str]) -> Form:
    """Returns the form of a requirement of pip, or of a table: ``name = "..."``."""
    is_key = re.match(r"[\"']?\s*=\s*[\"'{]", match["table"] or match["specifiers"])
    return Form.TABLE if is_key else Form.PIP


def _shown(text: str) -> str:
    """Returns a requirement without what belongs to the text around it."""
    text = text.rstrip(" \t,(")
    if text.endswith(")") and "(" not in text:
        text = text[:-1]
    return text[:-1] if text[-1] in "\"'" and text.count(text[-1]) == 1 else text


def _forbids(specifier: re.Match[str], oldest: tuple[int, int]) -> bool:
    """Returns whether a version specifier excludes every version from the oldest one on."""
    version = _numbers(specifier["version"])
    if (operator := specifier["inner"] or specifier["operator"]) == "<":
        return version <= oldest
    if operator == "^":
        return version[0] < oldest[0]
    if operator in ("=", "==", "===", "~=", "~", "<="):
        # `== 2.*` and `~= 2.4` admit newer versions of the same major, as do conda's `=2` and
        # Poetry's `~2`.
        parts = specifier["version"].count(".") + 1
        is_open = (specifier["version"].endswith("*") or operator == "~=") and parts == 2
        is_open = is_open or (operator in ("=", "~") and parts == 1)
        return version[0] < oldest[0] if is_open else version < oldest
    return False


def _numbers(version: str) -> tuple[int, int]:
    major, minor, *_ = [*version.replace("*", "0").split("."), "0"]
    return int(major), int(minor)
