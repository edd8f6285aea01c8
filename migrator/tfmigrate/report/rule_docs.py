"""``tfmigrate explain CODE`` and ``tfmigrate rules``: the documentation of the rules."""

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

from tfmigrate.model import findings
from tfmigrate.report.doc_links import page_of
from tfmigrate.report.terminal import Part, Printer

_INLINE_CODE = re.compile(r"(`[^`\n]+`)")
# Before code, in reStructuredText.
_MARKED = re.compile(r"::$", re.MULTILINE)
_CODE_BLOCK = re.compile(r"^( +\w[^\n]*::\n\n)((?: {8,}[^\n]*\n|\n)+)", re.MULTILINE)


@dataclass(frozen=True)
class Topic:
    """What can be explained: a rule, or an error of a run.

    Attributes:
        code: Its code.
        name: Its name in words with dashes.
        severity: The severity of its findings.
        text: Its documentation; the first line is its summary.
    """

    code: str
    name: str
    severity: findings.Severity
    text: str


def topics() -> list[Topic]:
    """Returns all rules and errors in the order of their codes."""
    from tfmigrate.rulekit.registry import rules

    all_topics = [Topic(rule.code, rule.name, rule.severity, rule.docstring) for rule in rules()]
    errors = resources.files("tfmigrate").joinpath("data/errors.md").read_text("utf-8")
    for section in errors.removeprefix("# ").split("\n# "):
        heading, _, text = section.partition("\n\n")
        code, name, severity = heading.split()
        all_topics.append(Topic(code, name, findings.Severity(severity), text.rstrip("\n")))
    return sorted(all_topics, key=lambda topic: topic.code)


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
        printer.line(_MARKED.sub(":", topic.text.rstrip()))
        return
    from rich.syntax import Syntax
    from rich.text import Text

    highlighter = Syntax("", "python", theme="ansi_dark", background_color="default")
    for is_code, piece in _pieces(topic.text + "\n"):
        if not is_code:
            for line in piece.splitlines():
                printer.line(*_prose(_MARKED.sub(":", line)))
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
