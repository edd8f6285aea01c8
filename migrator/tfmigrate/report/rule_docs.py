"""``tfmigrate explain CODE`` and ``tfmigrate rules``: the rules' documentation on a terminal."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tfmigrate.model.findings import (
    HELD_BACK,
    INTERNAL_ERROR,
    PYTHON_2,
    PYTHON_2_DIVISION,
    UNKNOWN_IGNORE,
    UNPARSABLE_FILE,
    UNREADABLE_FILE,
    UNREADABLE_FOLDER,
    UNUSED_IGNORE,
    UNWRITTEN_FILE,
    Severity,
)
from tfmigrate.report.doc_links import page_of
from tfmigrate.report.terminal import Part, Printer

_INLINE_CODE = re.compile(r"(`[^`\n]+`)")
_CODE_BLOCK = re.compile(r"^( +\w[^\n]*::\n\n)((?: {8,}[^\n]*\n|\n)+)", re.MULTILINE)


@dataclass(frozen=True)
class Topic:
    """What can be explained: a rule, or an error of the run itself.

    Attributes:
        code: Its code.
        name: Its name in words with dashes.
        severity: The severity of its findings.
        text: Its documentation; the first line is its summary.
    """

    code: str
    name: str
    severity: Severity
    text: str


_ERRORS = (
    (
        UNPARSABLE_FILE,
        "unparsable-file",
        """The file is not Python 3, or cannot be rewritten.

        The file stays as it is and the other files are migrated. Python 2 code is converted with
        `--py2`; a syntax error is fixed by hand.""",
    ),
    (
        UNREADABLE_FILE,
        "unreadable-file",
        """The file's bytes cannot be had, or are not text in the encoding they declare.

        Python reads a file as UTF-8 unless a comment in its first or second line says otherwise:
        `# -*- coding: latin-1 -*-`. Add that comment, or save the file as UTF-8. tfmigrate never
        guesses an encoding, because a wrong guess would be written back.""",
    ),
    (
        UNREADABLE_FOLDER,
        "unreadable-folder",
        """The folder, or an ignore file in it, cannot be read.

        Nothing below it was looked at. Change its permissions, or leave it out with `--exclude`.
        """,
    ),
    (
        UNWRITTEN_FILE,
        "unwritten-file",
        """The file could not be replaced and holds its old text.

        The reason stands in the message: a read-only file or folder, a full disk, an owner that
        would change, or an encoding that lacks a character. The other files were written. Remove
        the cause, then run tfmigrate again: what is done stays as it is.""",
    ),
    (
        PYTHON_2,
        "python-2",
        """The file is Python 2, and `--py2` turned it into Python 3.

        fissix, the maintained lib2to3, does it (`pip install 'tfmigrate[py2]'`): print, except,
        raise and exec statements, tuple parameters, backticks, `<>`, `0777`, `ur''`, names that
        moved, and lists where Python 3 has views and iterators. A file is Python 2 where Python 3
        cannot read it, or where it uses a built-in name that is gone (`xrange`, `unicode`) without
        binding it. Implicit relative imports stay. The conversion and the migration are one
        change. What stays for you to look at: text and bytes (`open(path).read()`, `pickle`), the
        order of dictionaries, comparisons of different types, `round`.""",
    ),
    (
        PYTHON_2_DIVISION,
        "python-2-division",
        """A division drops the remainder of integers in Python 2, and keeps it in Python 3.

        `len(files) / 4` is 2 for nine files in Python 2 and 2.25 in Python 3, so a conversion that
        keeps the `/` may train differently. Divisions whose two sides are integers by their text
        become `//`, those with a float stay. This is one of which the text does not tell: the file
        is only converted with `--unsafe`, and then with `/`. Write `//` where both sides are
        integers and `float(...)` around one side where they are not, or put
        `from __future__ import division` at the top of the file once that is so.""",
    ),
    (
        UNKNOWN_IGNORE,
        "unknown-ignore",
        """A comment `# tfmigrate: ignore[...]` names a code that no rule has.

        It keeps off nothing. `tfmigrate rules` lists the codes; a prefix such as `TFM2` stands for
        all that begin with it. Errors of whole files (TFM9xx) cannot be ignored by a comment: leave
        the file out with `--exclude`.""",
    ),
    (
        UNUSED_IGNORE,
        "unused-ignore",
        """A comment `# tfmigrate: ignore` keeps off nothing.

        No rule that it names finds anything on its line, or in its file for `ignore-file`: the code
        was changed or migrated since, or the comment stands on another line than the one that is
        reported. Remove it, or move it there. It is told only in runs in which all rules that it
        names take part.""",
    ),
    (
        INTERNAL_ERROR,
        "internal-error",
        """tfmigrate itself failed.

        The file that is named stays as it is, and the others are migrated. Run it again with
        `--verbose` for the traceback, and please report that with the file.""",
    ),
    (
        HELD_BACK,
        "held-back-file",
        """The file stays as it is because another file of its program cannot be migrated yet.

        The changes of a program are made together or not at all. The finding names the code, the
        file and the line that hold this file back: deal with that finding first, then run
        tfmigrate again.""",
    ),
)


_SEVERITIES = {
    PYTHON_2: Severity.FIXED,
    PYTHON_2_DIVISION: Severity.UNSAFE,
    UNKNOWN_IGNORE: Severity.MANUAL,
    UNUSED_IGNORE: Severity.MANUAL,
    HELD_BACK: Severity.MANUAL,
}


def topics() -> list[Topic]:
    """Returns all rules and errors in the order of their codes."""
    from tfmigrate.rulekit.registry import rules

    found = [Topic(rule.code, rule.name, rule.severity, rule.docstring) for rule in rules()]
    for code, name, text in _ERRORS:
        summary, _, rest = text.partition("\n")
        body = textwrap.dedent(rest).strip("\n")
        severity = _SEVERITIES.get(code, Severity.ERROR)
        found.append(Topic(code, name, severity, f"{summary}\n\n{body}"))
    return sorted(found, key=lambda topic: topic.code)


def as_json(wanted: Sequence[Topic]) -> str:
    """Returns rules and errors as a JSON array, described in output.md."""
    entries = [
        {
            "code": topic.code,
            "name": topic.name,
            "severity": topic.severity.value,
            "summary": _summary(topic),
            "url": page_of(topic.code),
            "documentation": topic.text,
        }
        for topic in wanted
    ]
    return json.dumps(entries, indent=2)


def print_topic(topic: Topic, printer: Printer) -> None:
    """Prints the documentation of a rule or an error."""
    printer.line((topic.code, "bold"), f" {topic.name} ({topic.severity.value})")
    printer.line((page_of(topic.code), "dim"))
    printer.line()
    if not printer.colour:
        printer.line(topic.text.rstrip())
        return
    from rich.syntax import Syntax
    from rich.text import Text

    highlighter = Syntax("", "python", theme="ansi_dark", background_color="default")
    for is_code, piece in _pieces(topic.text + "\n"):
        if not is_code:
            for line in piece.splitlines():
                printer.line(*_prose(line))
            continue
        highlighted = highlighter.highlight(textwrap.dedent(piece).strip("\n"))
        for code in highlighted.split("\n", allow_blank=False):
            printer.console.print(Text("        ") + code, soft_wrap=True, end="\n")
        printer.line()


def print_topics(printer: Printer) -> None:
    """Prints one line for every rule and error."""
    rows = [(topic.code, topic.name, topic.severity.value, _summary(topic)) for topic in topics()]
    if not printer.colour:
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        for row in rows:
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
            printer.line("  ".join([*cells, row[3]]))
        return
    from rich.table import Table

    table = Table("code", "name", "severity", "what it finds", box=None, header_style="dim")
    for row in rows:
        table.add_row(*row)
    printer.console.print(table)


def _summary(topic: Topic) -> str:
    return topic.text.partition("\n")[0]


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Yields the documentation in pieces: whether it is code, and the text."""
    position = 0
    for match in _CODE_BLOCK.finditer(text):
        yield False, text[position : match.start(2)].rstrip("\n") + "\n\n"
        yield True, match.group(2)
        position = match.end()
    yield False, text[position:]


def _prose(line: str) -> list[Part]:
    """Returns a line of documentation with its headings and inline code styled."""
    if line.endswith(":") and not line.startswith(" "):
        return [(line, "bold")]
    return [(part, "cyan") if part.startswith("`") else part for part in _INLINE_CODE.split(line)]
