"""A migration plan: what a person must do first, then what is done, file by file."""

import difflib
import os
import subprocess
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from tfmigrate import __version__
from tfmigrate.engine.outcome import FileTexts, Outcome
from tfmigrate.files.logical_lines import LINE_BREAK
from tfmigrate.model.findings import Finding
from tfmigrate.report import counts
from tfmigrate.report.rule_docs import topics


def origin(untouched: bool) -> str:
    """Returns the project of the current folder, its commit and the date, as one line.

    Without git, or without a commit, the folder is the project. ``SOURCE_DATE_EPOCH`` sets the
    date, for reports that are to be the same on another day.

    Args:
        untouched: Whether the run wrote nothing, so that changes are those of somebody else.
    """
    seconds = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(seconds), timezone.utc) if seconds.isdecimal() else None
    date = (now or datetime.now()).strftime("%Y-%m-%d")
    root, commit = _git("rev-parse", "--show-toplevel"), _git("rev-parse", "--short", "HEAD")
    project = (Path(root) if root else Path.cwd()).name
    if not commit:
        return f"{project}, {date}"
    is_changed = untouched and _git("status", "--porcelain", "--untracked-files=no")
    changed = " with uncommitted changes" if is_changed else ""
    return f"{project}, commit {commit}{changed}, {date}"


def _git(*arguments: str) -> str:
    """Returns what git prints, "" where it fails."""
    try:
        done = subprocess.run(
            ["git", *arguments], capture_output=True, text=True, timeout=30, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


_CONTEXT = 2  # lines around a place that is not changed, enough to recognize it


@dataclass(frozen=True)
class Line:
    """A line of code.

    Attributes:
        number: Its number in its text, 1-based; in a notebook, counted in its cell.
        text: The line.
        changes: Whether the migration removes or adds it.
    """

    number: int
    text: str
    changes: bool = False


@dataclass(frozen=True)
class Step:
    """One place of a file, with its findings.

    Attributes:
        place: Where it is: "line 7", or "cell 2, line 7".
        findings: What was found there.
        before: The lines as they are.
        after: The new lines; empty where they do not change or are removed.
        is_change: Whether the lines change or are removed.
        also: Other places with the same findings, as "line 9, line 12"; "" for none.
    """

    place: str
    findings: tuple[Finding, ...]
    before: tuple[Line, ...]
    after: tuple[Line, ...] = ()
    is_change: bool = False
    also: str = ""

    @property
    def needs_a_person(self) -> bool:
        """Whether there is something to be done, or to be decided, by hand."""
        return any(counts.state(finding) in counts.BY_HAND for finding in self.findings)


@dataclass(frozen=True)
class FilePlan:
    """What is to do in one file.

    Attributes:
        path: The file as shown.
        counts: How many findings are in each of the states.
        steps: Its places, those first that a person must look at, else in the order of the text.
        errors: What failed about the file as a whole.
    """

    path: str
    counts: dict[str, int]
    steps: tuple[Step, ...]
    errors: tuple[Finding, ...]

    @property
    def effort(self) -> tuple[int, int, int, int, int]:
        """What files are ordered by: failures, manual work, decisions, kept constructs, changes."""
        return (
            self.counts[counts.ERROR],
            self.counts[counts.MANUAL],
            self.counts[counts.UNSAFE],
            self.counts[counts.KEPT],
            self.counts[counts.DONE],
        )


@dataclass(frozen=True)
class Plan:
    """A whole plan.

    Attributes:
        version: The version of tfmigrate.
        dry_run: Whether the changes were not written.
        origin: The project, its commit and the date.
        summary: The run's last lines.
        examined: How many files were looked at.
        totals: How many findings are in each of the states.
        rows: The counts by code.
        names: The names of the rules by their codes.
        files: The files with findings, the most effort first.
    """

    version: str
    dry_run: bool
    origin: str
    summary: str
    examined: int
    totals: dict[str, int]
    rows: Sequence[counts.Row]
    names: dict[str, str] = field(repr=False)
    files: Sequence[FilePlan] = ()

    @property
    def states(self) -> list[str]:
        """The states of findings as they are shown: what was not written is fixable."""
        return [self.shown(state) for state in counts.STATES]

    def shown(self, state: str) -> str:
        """Returns a state as it is shown."""
        return counts.FIXABLE if self.dry_run and state == counts.DONE else state


def advice(finding: Finding) -> str:
    """Returns what a finding advises, as a sentence; "" if it advises nothing."""
    if not finding.action:
        return ""
    if counts.state(finding) == counts.KEPT:
        return f"{finding.action[:1].upper()}{finding.action[1:]}."
    return f"To do: {finding.action}."


def plan_of(outcome: Outcome) -> Plan:
    """Returns the plan of a run that kept its texts."""
    from tfmigrate.report.text import left_line, summary, unsafe_line

    texts = {file_texts.source.display: file_texts for file_texts in outcome.texts}
    by_file: dict[str, list[Finding]] = {}
    for finding in outcome.findings:
        by_file.setdefault(finding.path, []).append(finding)
    files = [
        _file_plan(path, file_findings, texts.get(path)) for path, file_findings in by_file.items()
    ]
    return Plan(
        version=__version__,
        dry_run=outcome.dry_run,
        origin=origin(outcome.dry_run),
        summary=" ".join(
            filter(None, (summary(outcome), unsafe_line(outcome), left_line(outcome)))
        ),
        examined=outcome.examined,
        totals=counts.totals(outcome),
        rows=counts.rows(outcome),
        names={topic.code: topic.name for topic in topics()},
        files=sorted(files, key=lambda f: (*(-part for part in f.effort), f.path)),
    )


def _file_plan(path: str, findings: Sequence[Finding], texts: FileTexts | None) -> FilePlan:
    counted = dict.fromkeys(counts.STATES, 0)
    for finding in findings:
        counted[counts.state(finding)] += 1
    errors = [f for f in findings if counts.state(f) == counts.ERROR]
    other_findings = [f for f in findings if counts.state(f) != counts.ERROR]
    if texts is None:
        return FilePlan(path, counted, (), tuple(findings))
    return FilePlan(path, counted, tuple(_steps(other_findings, texts)), tuple(errors))


def _steps(findings: Sequence[Finding], texts: FileTexts) -> Iterator[Step]:
    """Yields the places that a person must look at, then the others, in the order of the text."""
    before, after = LINE_BREAK.split(texts.source.text), LINE_BREAK.split(texts.after)
    waiting = {id(f): (_line_in_text(f, texts, len(before)), f) for f in findings}
    steps: list[tuple[int, Step]] = []
    for first, last, new_first, new_last in _hunks(before, after):
        # A pure insertion removes no line: its finding is about a line next to it.
        near = range(first, last) if last > first else range(first - 1, first + 1)
        of_hunk = [(n, f) for n, f in waiting.values() if n - 1 in near]
        for _, finding in of_hunk:
            del waiting[id(finding)]
        old = _numbered(texts, before, first, last, changes=True)
        new = [Line(n + 1, after[n], changes=True) for n in range(new_first, new_last)]
        hunk_findings = tuple(f for _, f in of_hunk)
        place = _place(texts, min(first + 1, len(before)))
        steps.append((first, Step(place, hunk_findings, tuple(old), tuple(new), is_change=True)))
    by_line: dict[int, list[Finding]] = {}
    for number, finding in waiting.values():
        by_line.setdefault(number, []).append(finding)
    for numbers, of_line in _alike(by_line):
        number = numbers[0]
        start, end = max(number - 1 - _CONTEXT, 0), min(number + _CONTEXT, len(before))
        lines = _numbered(texts, before, start, end, changes=False)
        lines = [Line(li.number, li.text, start + i == number - 1) for i, li in enumerate(lines)]
        also = ", ".join(_place(texts, other) for other in numbers[1:])
        step = Step(_place(texts, number), tuple(of_line), tuple(lines), also=also)
        steps.append((number - 1, step))
    for _, step in sorted(steps, key=lambda pair: (not pair[1].needs_a_person, pair[0])):
        yield step


def _alike(by_line: dict[int, list[Finding]]) -> Iterator[tuple[list[int], list[Finding]]]:
    """Yields lines with the same findings, and the findings."""
    groups: dict[Hashable, tuple[list[int], list[Finding]]] = {}
    for number, of_line in by_line.items():
        said = tuple((f.code, f.message, f.action, f.severity) for f in of_line)
        groups.setdefault(said, ([], of_line))[0].append(number)
    yield from groups.values()


def _hunks(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yields the ranges of lines that differ: of the old text and of the new one."""
    if before == after:
        return
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, first, last, new_first, new_last in matcher.get_opcodes():
        if tag != "equal":
            yield first, last, new_first, new_last


def _numbered(
    texts: FileTexts, lines: Sequence[str], first: int, last: int, changes: bool
) -> list[Line]:
    numbers = [texts.source.where(n + 1, 1)[1] for n in range(first, last)]
    return [
        Line(shown, lines[n], changes) for shown, n in zip(numbers, range(first, last), strict=True)
    ]


def _place(texts: FileTexts, line: int) -> str:
    cell, shown, _ = texts.source.where(line, 1)
    return f"cell {cell}, line {shown}" if cell else f"line {shown}"


def _line_in_text(finding: Finding, texts: FileTexts, count: int) -> int:
    """Returns a finding's line in the whole text; for a notebook, in the text of all cells."""
    if not finding.cell:
        return min(finding.line, count)
    for line in range(1, count + 1):
        cell, shown, _ = texts.source.where(line, 1)
        if (cell, shown) == (finding.cell, finding.line):
            return line
    return 1
