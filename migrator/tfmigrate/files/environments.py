"""The files that say which packages a program is run with, and the TensorFlow that they ask for.

They are read by line: templates are no YAML and no TOML until they are filled in.
"""

import ast
import enum
import fnmatch
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from tfmigrate.files.quiet_parse import quiet_parse
from tfmigrate.files.requirement_specs import NAMES, Form, Piece, Requirement, too_old


class Kind(enum.Enum):
    """How a file lists packages."""

    LINES = enum.auto()
    """One requirement a line."""
    TABLES = enum.auto()
    """TOML."""
    SECTIONS = enum.auto()
    """An INI file."""
    CONDA = enum.auto()
    """Lists of conda, with a list of pip's."""
    IMAGE = enum.auto()
    """A Dockerfile."""
    COMMANDS = enum.auto()
    """A script or a manifest: only images, and commands that install, are requirements."""
    SETUP = enum.auto()
    """setup.py."""


_NAMES = (
    ("*requirements*.txt", Kind.LINES),
    ("*requirements*.in", Kind.LINES),
    ("*requirements*.pip", Kind.LINES),
    ("*constraints*.txt", Kind.LINES),
    ("dockerfile*", Kind.IMAGE),
    ("*.dockerfile", Kind.IMAGE),
    ("containerfile*", Kind.IMAGE),
    ("pyproject.toml", Kind.TABLES),
    ("pipfile", Kind.TABLES),
    ("setup.cfg", Kind.SECTIONS),
    ("tox.ini", Kind.SECTIONS),
    ("*environment*.y*ml", Kind.CONDA),
    ("env*.y*ml", Kind.CONDA),
    ("conda*.y*ml", Kind.CONDA),
    ("meta.yaml", Kind.CONDA),
    ("setup.py", Kind.SETUP),
    ("*.y*ml", Kind.COMMANDS),
    ("*.sh", Kind.COMMANDS),
    ("*.bash", Kind.COMMANDS),
    ("*.sbatch", Kind.COMMANDS),
    ("*.slurm", Kind.COMMANDS),
    ("makefile", Kind.COMMANDS),
    ("*.mk", Kind.COMMANDS),
)
_LONGEST_LINE = 5_000  # characters
_REQUIREMENTS_FOLDERS = ("requirements", "reqs")
_REQUIREMENTS_SUFFIXES = (".txt", ".in", ".pip")

_COMMENT = re.compile(r"(?:^|\s)#")
# Keys whose values are words about a project, not requirements.
_ABOUT = frozenset(
    {"author", "authors", "classifiers", "description", "keywords", "license", "long_description"}
    | {"maintainers", "name", "readme", "summary", "url", "urls", "version"}
)
_HEADER = re.compile(r"^\s*\[\[?\s*(?P<section>[\w.:\-\"' ]+?)\s*\]\]?\s*$")
_KEY = re.compile(r"^\s*[\"']?(?P<key>[\w.-]+)[\"']?\s*[=:](?!=)")
_LIST_ITEM = re.compile(r"^\s*-\s+[\"']?(?:[\w.-]+::)?")
_PIP_LIST = re.compile(r"^(?P<indent>\s*)-\s+pip:\s*$")
_SPACE_BEFORE_VERSION = re.compile(rf"^({NAMES.pattern})\s+(?=\d)", re.IGNORECASE)
_INSTRUCTION = re.compile(r"^\s*(?P<name>[A-Za-z]+)\s")
_SETS = re.compile(
    r"^\s*(?:ARG|ENV|export)?\s*(?P<name>\w+)[= ][\"']?(?P<value>[\w.-]+)[\"']?\s*$", re.I
)
_VARIABLE = re.compile(r"\$(?:\{(?P<braced>\w+)(?::-(?P<default>[^}]*))?\}|(?P<plain>\w+))")
_TOOL = re.compile(r"\b(?:pip[\d.]*|conda|mamba|micromamba|uv|pipenv|poetry|pdm)\b")
_INSTALLS = re.compile(r"\b(?:install|add|create)\b")
_NO_CODE = frozenset({"LABEL", "ENV", "ARG", "COPY", "ADD", "MAINTAINER", "WORKDIR", "USER"})
# A requirement and nothing else: a string of setup.py may be a sentence about TensorFlow.
_ENTRY = re.compile(
    rf"\s*{NAMES.pattern}\s*(?:\[[\w, -]*\])?"
    r"\s*\(?(?:[=~<>!]+\s*[\w.*+]+\s*,?\s*)*\)?\s*(?:[;@].*)?",
    re.IGNORECASE,
)
_INCLUDED = re.compile(r"^[ \t]*(?:-r|-c|--requirement|--constraint)[ =]?[ \t]*(\S+)", re.MULTILINE)
_MAGIC = re.compile(r"^\s*(?P<magic>%tensorflow_version\s+1[\w.]*)")


def kind_of(path: Path) -> Kind | None:
    """Returns how a file of this name lists packages; None where it lists none."""
    name = path.name.lower()
    for pattern, kind in _NAMES:
        if fnmatch.fnmatchcase(name, pattern):
            return kind
    in_folder = path.parent.name.lower() in _REQUIREMENTS_FOLDERS
    return Kind.LINES if in_folder and name.endswith(_REQUIREMENTS_SUFFIXES) else None


def outdated(text: str, oldest: tuple[int, int], kind: Kind = Kind.LINES) -> Iterator[Requirement]:
    """Yields the requirements of a file that no migrated program can run with.

    Args:
        text: The file.
        oldest: The oldest TensorFlow, as (major, minor).
        kind: How the file lists packages.
    """
    for piece in _PIECES[kind](text):
        yield from too_old(piece, oldest)


def included(text: str) -> list[str]:
    """Returns the files that a requirements file includes, as it names them."""
    return [name for name in _INCLUDED.findall(text) if ":" not in name]


def in_cell(text: str, oldest: tuple[int, int]) -> Iterator[Requirement]:
    """Yields what a cell of a notebook installs, or asks Colab for, that is too old."""
    yield from outdated(text, oldest, Kind.COMMANDS)
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _MAGIC.match(line):
            yield Requirement(number, match.start("magic") + 1, match["magic"], Form.MAGIC)


def _code_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yields the number and the text of each line, without comments; long lines are data."""
    for number, line in enumerate(text.splitlines(), start=1):
        yield number, _COMMENT.split(line, maxsplit=1)[0] if len(line) <= _LONGEST_LINE else ""


def _of_lines(text: str) -> Iterator[Piece]:
    yield from (Piece(number, code) for number, code in _code_lines(text))


def _of_tables(text: str) -> Iterator[Piece]:
    section = key = ""
    for number, code in _code_lines(text):
        if header := _HEADER.match(code):
            section, key = header["section"], ""
            continue
        if match := _KEY.match(code):
            key = match["key"].lower()
        package = section.rpartition(".")[2].strip("\"' ")
        lists = "depend" in section or "packages" in section
        if lists and key == "version" and NAMES.fullmatch(package):  # [...dependencies.tensorflow]
            yield Piece(number, package + code[code.index("=") :], code.lower().index("version"))
        elif lists or "depend" in key or key == "requires":
            yield Piece(number, code)
        elif key not in _ABOUT:
            yield Piece(number, code, listed=False)


def _of_sections(text: str) -> Iterator[Piece]:
    section = key = ""
    for number, code in _code_lines(text):
        if header := _HEADER.match(code):
            section, key = header["section"], ""
            continue
        if code[:1].strip() and (match := _KEY.match(code)):
            key = match["key"].lower()
        if key not in _ABOUT and code[:1] != ";":
            lists = any(word in f"{section} {key}" for word in ("require", "depend", "deps"))
            yield Piece(number, code, listed=lists)


def _of_conda(text: str) -> Iterator[Piece]:
    of_pip: int | None = None  # the indent of the list that pip reads
    for number, code in _code_lines(text):
        indent = len(code) - len(code.lstrip())
        if match := _PIP_LIST.match(code):
            of_pip = len(match["indent"])
        elif of_pip is not None and code.strip() and indent <= of_pip:
            of_pip = None
        if item := _LIST_ITEM.match(code):
            # Both `tensorflow=1.15` and `tensorflow 1.15` are conda's.
            entry = _SPACE_BEFORE_VERSION.sub(r"\1=", code[item.end() :])
            yield Piece(number, entry, item.end(), conda=of_pip is None)
        elif "dependencies:" in code:
            yield Piece(number, code, conda=True)


def _of_image(text: str) -> Iterator[Piece]:
    for first, piece in _commands(text):
        instruction = _INSTRUCTION.match(first)
        if instruction is None or instruction["name"].upper() not in _NO_CODE:
            yield piece


def _of_commands(text: str) -> Iterator[Piece]:
    yield from (piece for _, piece in _commands(text))


def _commands(text: str) -> Iterator[tuple[str, Piece]]:
    """Yields each line with the first line of its command; packages matter if it installs them.

    Variables whose value the file has are filled in.
    """
    values: dict[str, str] = {}
    first = tools = ""
    installs = False
    for number, code in _code_lines(text):
        if match := _SETS.match(code):
            values[match["name"]] = match["value"]
        filled = _VARIABLE.sub(lambda tools_called: _value(tools_called, values), code)
        first = first or filled
        tools_called = _TOOL.findall(filled)
        tools += tools_called[0] if tools_called and not tools else ""
        start = filled.index(tools_called[0]) if tools_called and not installs else 0
        installs = installs or bool(tools and _INSTALLS.search(filled, start))
        conda = tools.endswith(("conda", "mamba"))
        yield first, Piece(number, filled, conda=conda, packages=installs)
        if filled.strip() and not filled.rstrip().endswith("\\"):
            first, tools, installs = "", "", False


def _value(match: re.Match[str], values: dict[str, str]) -> str:
    default = match["default"] or match[0]
    return values.get(match["braced"] or match["plain"], default)


def _of_setup(text: str) -> Iterator[Piece]:
    try:
        tree = quiet_parse(text)
    except (SyntaxError, ValueError):  # Python 2
        for number, code in _code_lines(text):
            yield Piece(number, code, listed=False)
        return
    lines = text.splitlines()
    about = {
        id(node)
        for keyword in ast.walk(tree)
        if isinstance(keyword, ast.keyword) and keyword.arg in _ABOUT
        for node in ast.walk(keyword)
    }
    lists = _listed(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in about:
            for index, entry in enumerate(node.value.splitlines()):
                if _ENTRY.fullmatch(entry):
                    number = node.lineno + index
                    start = node.col_offset if index == 0 else 0
                    offset = max(lines[min(number, len(lines)) - 1].find(entry, start), 0)
                    yield Piece(number, entry, offset, listed=id(node) in lists)


def _listed(tree: ast.Module) -> set[int]:
    """Returns the strings in lists that are no candidates to choose from, as in a loop."""
    chosen: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension):
            chosen.update(id(inner) for inner in ast.walk(node.iter))
        elif isinstance(node, ast.Compare):
            chosen.update(id(inner) for inner in ast.walk(node))
    return {
        id(element)
        for node in ast.walk(tree)
        if isinstance(node, ast.List | ast.Tuple | ast.Set)
        for element in node.elts
        if id(element) not in chosen
    }


_PIECES: dict[Kind, Callable[[str], Iterator[Piece]]] = {
    Kind.LINES: _of_lines, Kind.TABLES: _of_tables, Kind.SECTIONS: _of_sections,
    Kind.CONDA: _of_conda, Kind.IMAGE: _of_image, Kind.COMMANDS: _of_commands,
    Kind.SETUP: _of_setup,
}  # fmt: skip
