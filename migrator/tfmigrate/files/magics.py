"""IPython's lines in a cell that are not Python, and the names that replace them meanwhile."""

import re
import textwrap
from dataclasses import dataclass

from tfmigrate.files.logical_lines import Inside, LineScanner, split_lines
from tfmigrate.files.quiet_parse import quiet_parse

# Cell magics whose cell is Python nevertheless.
_PYTHON_CELL_MAGICS = frozenset(
    {"capture", "debug", "local", "memit", "prun", "python3", "snakeviz", "time", "timeit", "wandb"}
)
_CELL_MAGIC = re.compile(r"\s*%%(\w+)")
# Google Datalab wrote cell magics with one sign; IPython has no line magics of these names.
_DATALAB_MAGIC = re.compile(r"\s*%(?:bash|sh|writefile|bigquery|bq|chart|gcs|html|ml|mlalpha)\b")
_LINE = re.compile(r"[ \t]*(?=[%!?])")
_ASSIGNED = re.compile(r"[ \t]*[\w.,\[\]\t ]+=[ \t]*(?=[%!])")
_HELP = re.compile(r"([ \t]*)[%\w.*]+\?{1,2}[ \t;]*$")
_INDENT = re.compile(r"[ \t]+(?=\S)")
# A command may continue with any indentation, which its placeholder keeps.
_NAME = re.compile(r"[ \t]*\b_tfmigrate_rest_\d+_\d+\b|\b_tfmigrate_line_\d+_\d+\b")


@dataclass(frozen=True)
class MaskedCell:
    """A cell as Python text.

    Attributes:
        text: the cell, with a name for each part of a line that is not Python, line for line.
        originals: what each name replaces.
        indent: the indentation of the first line, which IPython removes.
        is_of_all: whether all lines begin with it.
    """

    text: str
    originals: dict[str, str]
    indent: str = ""
    is_of_all: bool = False

    def unmasked(self, text: str) -> str:
        """Returns a text of the cell with the original lines restored."""
        text = _NAME.sub(lambda match: self.originals.get(match[0].strip(), match[0]), text)
        return textwrap.indent(text, self.indent) if self.is_of_all else self.indent + text

    def dedented(self, indent: str, is_of_all: bool) -> "MaskedCell":
        """Returns the cell without an indentation of its first line, or of all lines."""
        pattern = rf"^{indent}" if is_of_all else rf"\A{indent}"
        text = re.sub(pattern, "", self.text, flags=re.MULTILINE)
        return MaskedCell(text, self.originals, indent, is_of_all)

    def names_in(self, text: str) -> list[str]:
        """Returns the names of this cell in a text, in their order."""
        return [
            name for raw_name in _NAME.findall(text) if (name := raw_name.strip()) in self.originals
        ]


def is_foreign(cell: str) -> bool:
    """Returns whether a whole cell is passed to a program other than Python (``%%bash``)."""
    if (magic := _CELL_MAGIC.match(cell)) is None:
        return _DATALAB_MAGIC.match(cell) is not None
    return magic[1] not in _PYTHON_CELL_MAGICS


def masked(cell: str, number: int) -> MaskedCell:
    """Puts names in the places of the magics, shell commands and questions of a cell.

    A cell that parses has none: IPython's marks begin a statement, where Python has no operator.

    Args:
        cell: the cell's text.
        number: the cell's number; the names hold it, so that they differ between cells.
    """
    if _parses(cell):
        return MaskedCell(cell, {})
    code = _masked(cell, number)
    if (indent := _INDENT.match(cell)) is not None and not _parses(code.text):
        for dedented in (code.dedented(indent[0], True), code.dedented(indent[0], False)):
            if _parses(dedented.text) and dedented.unmasked(dedented.text) == cell:
                return dedented
    return code


def _parses(text: str) -> bool:
    try:
        quiet_parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _masked(cell: str, number: int) -> MaskedCell:
    scanner = LineScanner()
    lines = []
    originals: dict[str, str] = {}
    going_on: str | None = None  # the indentation of a command that ends in a backslash
    for index, line in enumerate(split_lines(cell), start=1):
        body = line.rstrip("\r\n")
        before, name = going_on, f"_tfmigrate_rest_{number}_{index}"
        if going_on is not None:
            originals[name] = body
        elif scanner.inside is Inside.NOTHING:
            before, name = _python_before(body), f"_tfmigrate_line_{number}_{index}"
            if before is not None:
                originals[name] = body.removeprefix(before)
        if before is not None:
            indentation = before[: len(before) - len(before.lstrip(" \t"))]
            going_on = indentation if body.endswith("\\") else None
            line = before + name + line[len(body) :]
        scanner.read(line)
        lines.append(line)
    return MaskedCell("".join(lines), originals)


def _python_before(line: str) -> str | None:
    """Returns the part of a line before IPython's; None where there is none."""
    for form in (_LINE, _ASSIGNED):
        if line_match := form.match(line):
            return line_match[0]
    question = _HELP.match(line)
    return question[1] if question else None
