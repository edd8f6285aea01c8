"""``tfmigrate explain CODE`` and ``tfmigrate rules``: the documentation of the rules."""

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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


_ERRORS = (
    (
        findings.UNPARSABLE_FILE,
        "unparsable-file",
        """The file is not valid Python 3, or cannot be rewritten.

        The file is not changed; the other files are migrated. For Python 2 code, use `--py2`. Fix a
        syntax error in the file, then run tfmigrate again.""",
    ),
    (
        findings.UNREADABLE_FILE,
        "unreadable-file",
        """The file cannot be read, or is not text in its declared encoding.

        Python reads a file as UTF-8 unless a comment on its first or second line declares another
        encoding: `# -*- coding: latin-1 -*-`. Add that comment, or save the file as UTF-8.
        tfmigrate never guesses an encoding, because a wrong guess would be written back.""",
    ),
    (
        findings.UNREADABLE_FOLDER,
        "unreadable-folder",
        """The folder, or an ignore file in it, cannot be read.

        Its contents were skipped. Change its permissions, or exclude it with `--exclude`.
        """,
    ),
    (
        findings.UNWRITTEN_FILE,
        "unwritten-file",
        """The file could not be written and is not changed.

        The message gives the reason: a read-only file or folder, a full disk, an owner that would
        change, or an encoding that lacks a character. The other files were written. Remove the
        cause, then run tfmigrate again; files that are migrated already do not change.""",
    ),
    (
        findings.PYTHON_2,
        "python-2",
        """The file is Python 2, and `--py2` converted it to Python 3.

        fissix, the maintained fork of lib2to3, converts it (`pip install 'tfmigrate[py2]'`): print,
        except, raise and exec statements, tuple parameters, backticks, `<>`, `0777`, `ur''`, moved
        names, and lists where Python 3 has views and iterators. A file counts as Python 2 if
        Python 3 cannot parse it, or if it uses a removed built-in name (`xrange`, `unicode`)
        without binding it. Implicit relative imports stay. The conversion and the migration are one
        change. `pickle.load` without an encoding is reported in files that pickle nothing: Python 3
        cannot read arrays, and text that is not ASCII, in pickles of Python 2. So are `decode` of
        what is text for certain, and `encode` where text is needed. Check these yourself: other
        text and bytes (`open(path).read()`), the order of dictionaries, comparisons of different
        types, `round`.""",
    ),
    (
        findings.PYTHON_2_DIVISION,
        "python-2-division",
        """A division may drop the remainder in Python 2, and keeps it in Python 3.

        For nine files, `len(files) / 4` is 2 in Python 2 and 2.25 in Python 3, so a converted
        program that keeps the `/` may train differently. Divisions of two known integers become
        `//`, and divisions with a known float stay. The operand types of this division are unknown,
        so the file is converted only with `--unsafe`, which keeps the `/`. Write `//` if both
        operands are integers and `float(...)` around one if they are not. Or, when all divisions
        are correct, add `from __future__ import division` at the top of the file.""",
    ),
    (
        findings.UNKNOWN_IGNORE,
        "unknown-ignore",
        """A comment `# tfmigrate: ignore[...]` names an unknown code.

        It suppresses nothing. `tfmigrate rules` lists the codes; a prefix such as `TFM2` means all
        codes that begin with it. A comment cannot suppress errors of whole files (TFM9xx): exclude
        the file with `--exclude`.""",
    ),
    (
        findings.UNUSED_IGNORE,
        "unused-ignore",
        """An unused comment `# tfmigrate: ignore`.

        The rules that it names find nothing on its line, or in its file for `ignore-file`: the code
        has changed since, or the comment is not on the reported line. Remove the comment, or move
        it to that line. Unused comments are reported only if all rules that they name are run.""",
    ),
    (
        findings.OUTDATED_REQUIREMENT,
        "outdated-requirement",
        """A file asks for a TensorFlow that migrated programs cannot run on.

        Searched folders are read for `tensorflow`, `tensorflow-gpu`, wheels and images of
        TensorFlow, in requirements files and what they include, constraints, `setup.py`,
        `setup.cfg`, `tox.ini`, `pyproject.toml`, `Pipfile`, conda's `environment.yml` and
        `meta.yaml`, Dockerfiles, manifests, and commands that install packages in scripts,
        Makefiles and notebooks. They are not changed, because other packages may need those
        versions. Ask for the version that the finding names, and add what the run says that the
        migrated programs need. Remove pins of what TensorFlow 1.x needed, such as old versions of
        numpy, protobuf, h5py and tensorboard; pip names those that conflict. Named files, as from a
        git hook, have no such findings.""",
    ),
    (
        findings.INTERNAL_ERROR,
        "internal-error",
        """tfmigrate failed with an internal error.

        The named file is not changed; the other files are migrated. Run tfmigrate again with
        `--verbose`, and report the traceback as a bug, with the file if you can share it.""",
    ),
    (
        findings.HELD_BACK,
        "held-back-file",
        """The file is not changed because another file of its program cannot be migrated yet.

        The changes of a program are made together or not at all. The finding names the code, the
        file and the line that hold this file back. Resolve that finding first, then run tfmigrate
        again.""",
    ),
    (
        findings.OUTDATED_LAUNCHER,
        "outdated-launcher",
        """A manifest or script starts other tasks than the migrated program needs.

        YAML files, shell scripts and Makefiles in searched folders are read for what starts a
        program of the run: a TFJob of Kubernetes, tasks with `--job_name`, `gcloud ml-engine` and
        `gcloud ai-platform`. Old forms of a TFJob and jobs of AI Platform are always reported. By
        the run that migrates the program, so are parameter servers of a program that becomes
        synchronous, and, with `--coordinator`, a missing chief. Everything else
        starts as before: clusters.md. The files are not changed. Named
        files, as from a git hook, have no such findings.""",
    ),
)


_SEVERITIES = {
    findings.PYTHON_2: findings.Severity.FIXED,
    findings.PYTHON_2_DIVISION: findings.Severity.UNSAFE,
    findings.UNKNOWN_IGNORE: findings.Severity.MANUAL,
    findings.UNUSED_IGNORE: findings.Severity.MANUAL,
    findings.OUTDATED_REQUIREMENT: findings.Severity.MANUAL,
    findings.OUTDATED_LAUNCHER: findings.Severity.MANUAL,
    findings.HELD_BACK: findings.Severity.MANUAL,
}


def topics() -> list[Topic]:
    """Returns all rules and errors in the order of their codes."""
    from tfmigrate.rulekit.registry import rules

    all_topics = [Topic(rule.code, rule.name, rule.severity, rule.docstring) for rule in rules()]
    for code, name, text in _ERRORS:
        summary, _, details = text.partition("\n")
        body = textwrap.dedent(details).strip("\n")
        severity = _SEVERITIES.get(code, findings.Severity.ERROR)
        all_topics.append(Topic(code, name, severity, f"{summary}\n\n{body}"))
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
