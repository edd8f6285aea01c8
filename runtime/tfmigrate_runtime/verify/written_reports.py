"""Reports that are written to files, and what GitHub Actions shows of a verdict."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from tfmigrate_runtime.verify.html_figures import Compared
from tfmigrate_runtime.verify.html_report import html_report
from tfmigrate_runtime.verify.ladder import Verdict
from tfmigrate_runtime.verify.markdown_report import markdown_report
from tfmigrate_runtime.verify.report import conclusion, in_words, loss_line
from tfmigrate_runtime.verify.tolerance import Tolerance

_KINDS = {"same": "notice", "different": "error", "not decided": "warning"}
GITHUB_SUMMARY = "GITHUB_STEP_SUMMARY"  # names the file that a step's summary is appended to


class ReportError(Exception):
    """A report cannot be written."""


@dataclass(frozen=True)
class Report:
    """All that reports tell.

    Attributes:
        verdict: the verdict.
        compared: the traces, one pair for each task that trained.
        tolerance: how close they had to be.
        names: the two programs as the user named them.
        cluster: the jobs of a cluster, in words; "" for one process.
        as_json: the verdict as a JSON object.
        show: prints the table.
    """

    verdict: Verdict
    compared: Sequence[Compared]
    tolerance: Tolerance
    names: tuple[str, str]
    cluster: str
    as_json: dict[str, Any]
    show: Callable[[Console], None]

    def html(self) -> str:
        """Returns the page."""
        return html_report(
            self.verdict,
            self.compared,
            self.tolerance,
            self.names,
            self.as_json["randomness"],
            self.cluster,
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


def tell_github(report: Report) -> str:
    """Appends to the summary of the step, where there is one; returns the annotations to print.

    Raises:
        ReportError: the summary cannot be written.
    """
    summary = os.environ.get(GITHUB_SUMMARY)
    if summary:
        try:
            with Path(summary).open("a", encoding="utf-8") as stream:
                stream.write(report.markdown())
        except OSError as error:
            raise ReportError(f"{summary}: {error.strerror}") from error
    verdict = report.verdict
    lines = [annotation("warning", warning) for warning in verdict.warnings]
    told = verdict.failed or verdict.undecided
    details = told.outcome.details[:3] if told and told.outcome else ()
    text = "\n".join([conclusion(verdict), *details])
    file = report.names[1] if _is_in_repository(report.names[1]) else None
    lines.append(annotation(_KINDS[verdict.word], text, file))
    return "\n".join(lines)


def annotation(kind: str, text: str, file: str | None = None) -> str:
    """Returns a command to GitHub Actions that shows a text with the run, or beside a file.

    Args:
        kind: "notice", "warning" or "error".
        text: what it says.
        file: relative to the repository.
    """
    place = "" if file is None else f"file={_escaped(file, _IN_PROPERTIES)},line=1,"
    return f"::{kind} {place}title=tfmigrate verify::{_escaped(text, _IN_TEXT)}"


# What GitHub's toolkit writes otherwise, and how.
_IN_TEXT = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTIES = {**_IN_TEXT, ":": "%3A", ",": "%2C"}


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(letter, letter) for letter in text)


def _is_in_repository(name: str) -> bool:
    return not Path(name).is_absolute() and Path(name).is_file()
