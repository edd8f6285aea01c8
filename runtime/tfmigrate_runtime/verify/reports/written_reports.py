"""Reports that are written to files, and annotations of GitHub Actions."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from tfmigrate_runtime.verify.reports.html_figures import Compared
from tfmigrate_runtime.verify.reports.html_report import html_report
from tfmigrate_runtime.verify.reports.markdown_report import markdown_report
from tfmigrate_runtime.verify.reports.report import (
    as_json,
    basis,
    conclusion,
    headline,
    in_words,
    loss_line,
    notes,
    print_report,
)
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import Rung, Verdict
from tfmigrate_runtime.verify.traces.recording import Recording

SAME, DIFFERENT, COULD_NOT_RUN, NOT_DECIDED = 0, 1, 2, 3
_EXIT_CODES = {"same": SAME, "different": DIFFERENT, "not decided": NOT_DECIDED}
_KINDS = {"same": "notice", "different": "error", "not decided": "warning"}
_MOST_DETAILS = 12  # of an annotation: the cause comes after the numbers
GITHUB_SUMMARY = "GITHUB_STEP_SUMMARY"  # names the file that a step's summary is appended to


class ReportError(Exception):
    """A report cannot be written."""

    cause = "report"


@dataclass(frozen=True)
class Report:
    """The result of ``verify``.

    Attributes:
        verdict: the outcome of all rungs; ``verdict.word`` is "same", "different" or "not decided".
        original: what was recorded of the original.
        migrated: what was recorded of the migrated program.
        tolerance: how close they had to be.
        names: the two programs as the user named them.
    """

    verdict: Verdict
    original: Recording
    migrated: Recording
    tolerance: Tolerance
    names: tuple[str, str]

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        return _EXIT_CODES[self.verdict.word]

    @property
    def conclusion(self) -> str:
        """The verdict in one line."""
        return conclusion(self.verdict)

    @property
    def rungs(self) -> tuple[Rung, ...]:
        """All that was compared, in order, each with its outcome."""
        return self.verdict.rungs

    @property
    def findings(self) -> tuple[str, ...]:
        """Warnings, and the details of the rungs."""
        return tuple(notes(self.verdict))

    @property
    def compared(self) -> list[Compared]:
        """The traces, one pair for each task that trained in both."""
        return [
            Compared(task, trace, self.migrated.tasks[task])
            for task, trace in self.original.tasks.items()
            if task in self.migrated.tasks
        ]

    @property
    def as_json(self) -> dict[str, Any]:
        """The verdict as a JSON object."""
        return as_json(self.verdict, self.original, self.migrated, self.names)

    def show(self, console: Console) -> None:
        """Prints the report as text."""
        print_report(console, self.verdict, self.original, self.migrated, self.names)

    def html(self) -> str:
        """Returns the page."""
        return html_report(
            self.verdict,
            self.compared,
            self.tolerance,
            self.names,
            self.as_json["randomness"],
            str(self.original.cluster),
        )

    def markdown(self) -> str:
        """Returns the verdict in Markdown."""
        lines = []
        for item in self.compared:
            for label, trace in (("original", item.original), ("migrated", item.migrated)):
                if len(trace.loss):
                    lines.append(f"{label} {item.name} {loss_line(trace)}".replace("  ", " "))
        lines.append(f"random numbers: {in_words(self.as_json['randomness'])}")
        return markdown_report(self.verdict, self.names, lines)

    def json(self) -> str:
        """Returns the JSON object as text."""
        return json.dumps(self.as_json, indent=2, allow_nan=False) + "\n"


WRITERS: dict[str, Callable[[Report], str]] = {
    ".html": Report.html,
    ".md": Report.markdown,
    ".json": Report.json,
}


def write_report(report: Report, path: Path) -> None:
    """Writes a report in the form that the file's suffix names, one of ``WRITERS``.

    Raises:
        ReportError: the file cannot be written.
    """
    try:
        path.write_text(WRITERS[path.suffix](report), "utf-8")
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror}") from error


def github_annotations(report: Report) -> str:
    """Appends to the summary of the step, where there is one; returns the annotations to print.

    Raises:
        ReportError: the summary cannot be written.
    """
    if summary := os.environ.get(GITHUB_SUMMARY):
        try:
            with Path(summary).open("a", encoding="utf-8") as stream:
                stream.write(report.markdown())
        except OSError as error:
            raise ReportError(f"{summary}: {error.strerror}") from error
    verdict = report.verdict
    lines = [annotation("warning", warning) for warning in verdict.warnings]
    shown = verdict.failed or verdict.undecided
    details = shown.outcome.details[:_MOST_DETAILS] if shown and shown.outcome else ()
    text = "\n".join(line for line in (headline(verdict), basis(verdict), *details) if line)
    file = report.names[1] if _is_in_repository(report.names[1]) else None
    lines.append(annotation(_KINDS[verdict.word], text, file))
    return "\n".join(lines)


def annotation(kind: str, text: str, file: str | None = None) -> str:
    """Returns the workflow command that shows a text with the run, or next to a file.

    Args:
        kind: "notice", "warning" or "error".
        text: of the annotation.
        file: relative to the repository.
    """
    place = "" if file is None else f"file={_escaped(file, _IN_PROPERTIES)},line=1,"
    return f"::{kind} {place}title=tfmigrate verify::{_escaped(text, _IN_TEXT)}"


# The characters that GitHub's toolkit escapes.
_IN_TEXT = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTIES = {**_IN_TEXT, ":": "%3A", ",": "%2C"}


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(letter, letter) for letter in text)


def _is_in_repository(name: str) -> bool:
    return not Path(name).is_absolute() and Path(name).is_file()
