"""The text output of a run: findings, diffs, errors and the summary."""

import textwrap
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from tfmigrate.engine.outcome import Outcome, Rewrite
from tfmigrate.files.diff import unified_diff
from tfmigrate.files.discover import shown
from tfmigrate.files.skipped import LINK, NOT_PYTHON
from tfmigrate.model.findings import UNREADABLE_FOLDER, Finding, Severity, in_places
from tfmigrate.report import counts
from tfmigrate.report.left_files import (
    FAILED,
    HELD_BACK,
    UNPARSABLE,
    UNREADABLE,
    UNWRITTEN,
    Left,
    left_files,
)
from tfmigrate.report.terminal import Part, Printer, printable

_STYLES = {
    Severity.FIXED: "green",
    Severity.KEPT: "blue",
    Severity.UNSAFE: "yellow",
    Severity.MANUAL: "magenta",
    Severity.ERROR: "red",
}
_WIDTH = 96  # of lists of places
_LEFT = {
    UNREADABLE: "could not be read",
    UNPARSABLE: "could not be parsed",
    FAILED: "internal error",
    UNWRITTEN: "could not be written",
    HELD_BACK: "held back",
    NOT_PYTHON: "not Python",
    LINK: "links to",
}
_LEFT_WHOLE = {
    HELD_BACK: ("file that is held back", "files that are held back"),
    NOT_PYTHON: ("notebook in another language", "notebooks in other languages"),
    LINK: ("link to a file outside the folder", "links to files outside the folder"),
}
_DIFF_STYLES = {b"---": "bold", b"+++": "bold", b"@@ ": "cyan"}


def print_errors(errors: Sequence[Finding], printer: Printer) -> None:
    """Prints one line for each file or folder that failed."""
    for error in errors:
        advice = f"; {error.action}" if error.action else ""
        printer.line(*_head(error, len(error.place), "error"), error.message + advice)


def print_findings(outcome: Outcome, printer: Printer) -> None:
    """Prints the findings except errors, grouped by file, each with what to do next.

    Equal findings of a file are printed once, with all their places.
    """
    shown = [finding for finding in outcome.findings if finding.severity is not Severity.ERROR]
    for _, group in groupby(shown, key=lambda finding: finding.path):
        alike = list(counts.alike(group))
        width = max(len(_place(findings[0])) for findings in alike)
        for findings in alike:
            first, *others = findings
            label = counts.label(first, outcome.dry_run)
            printer.line(*_head(first, width, label), first.message + in_places(len(findings)))
            if others:
                for line in textwrap.wrap(f"also at {counts.places(others)}", _WIDTH):
                    printer.line((f"    {line}", "dim"))
            if first.action:
                printer.line((f"    {first.action}", "dim"))
        printer.line()


def print_diffs(outcome: Outcome, printer: Printer) -> None:
    """Prints the diffs: the bytes that ``git apply`` takes, or on a terminal lines to read."""
    for rewrite in outcome.rewrites:
        if printer.colour or printer.is_terminal:
            print_diff(rewrite, printer)
        else:
            printer.raw(unified_diff(rewrite.display, rewrite.before, rewrite.after))


def print_diff(rewrite: Rewrite, printer: Printer) -> None:
    """Prints the diff of a file for a reader: no control character reaches the terminal."""
    diff = unified_diff(rewrite.display, rewrite.before, rewrite.after)
    for line in diff.removesuffix(b"\n").split(b"\n"):
        style = _DIFF_STYLES.get(line[:3]) or {b"+": "green", b"-": "red"}.get(line[:1], "")
        text = line.decode("utf-8", "replace").removesuffix("\r")
        printer.line(("\t".join(map(printable, text.split("\t"))), style))


def print_details(outcome: Outcome, printer: Printer) -> None:
    """Prints what ``--verbose`` adds: the files that changed and how many were parsed."""
    verb = "would migrate" if outcome.dry_run else "migrated"
    for path in outcome.changed:
        printer.line(f"{verb} {printable(path)}")
    for left in left_files(outcome):
        detail = f": {printable(left.detail)}" if left.detail else ""
        printer.line(f"not changed: {printable(left.path)} ({_LEFT[left.reason]}{detail})")
    ignored = f"; {outcome.ignored} ignored (.gitignore, --exclude)" if outcome.ignored else ""
    printer.line(f"{_count(outcome.examined, 'file')} found, {outcome.parsed} parsed{ignored}")


def print_statistics(outcome: Outcome, printer: Printer) -> None:
    """Prints how often each rule found something, the most frequent first."""
    from tfmigrate.report.rule_docs import topics  # loads every rule

    if not (rows := sorted(counts.rows(outcome), key=lambda row: (-row.total, row.code))):
        return
    heads = {state: state for state in counts.STATES}
    if outcome.dry_run:
        heads[counts.DONE] = "fixable"
    shown = [state for state in counts.STATES if any(row.counts[state] for row in rows)]
    printer.line(
        ("  ".join(["code  ", *(f"{heads[state]:>8}" for state in shown), " files"]), "dim")
    )
    names = {topic.code: topic.name for topic in topics()}
    for row in rows:
        cells: list[Part] = [(row.code, "bold")]
        for state in shown:
            style = _STYLES[Severity(state)] if row.counts[state] else "dim"
            cells += ["  ", (f"{row.counts[state]:>8}", style)]
        printer.line(*cells, f"  {row.files:>6}  {names[row.code]}")
    printer.line()


def print_copies(outcome: Outcome, printer: Printer) -> None:
    """Prints where the runtime was copied to, and what the copies need."""
    verb = "would be copied" if outcome.dry_run else "copied"
    for copy in outcome.copies:
        modules = _count(len(copy.needs.modules), "module")
        needed = ", ".join(copy.needs.distributions) or "no packages"
        place = printable(shown(copy.folder))
        printer.line(f"{place}: {modules} of tfmigrate_runtime {verb}; requires {needed}")


def print_summary(outcome: Outcome, printer: Printer) -> None:
    """Prints how many findings of each code were fixed or are left, and the summary."""
    rows = counts.rows(outcome)
    for state in counts.STATES:
        of_state = [row for row in rows if row.counts[state]]
        if len(outcome.findings) > 1 and of_state:
            head = "fixable" if state == counts.DONE and outcome.dry_run else state
            total = sum(row.counts[state] for row in of_state)
            codes = ", ".join(f"{row.code} {row.counts[state]}" for row in of_state)
            printer.line((f"{head:<7}", _STYLES[Severity(state)]), f"  {total:>4}  {codes}")
    if left := [*outcome.left_manual, *outcome.left_unsafe]:
        # A finding that holds others back comes first; the others name it.
        first = min(left, key=lambda finding: finding.action.startswith("resolve TFM"))
        hint = f"Run `tfmigrate explain {first.code}` for the reason and what to do."
        printer.line((hint, "dim"))
    for line in (unsafe_line(outcome), left_line(outcome)):
        if line:
            printer.line((line, "dim"))
    if outcome.to_install:
        printer.line((f"To run the result, install: {outcome.to_install}", "dim"))
    style = "bold red" if outcome.errors else "bold yellow" if outcome.exit_code else "bold green"
    printer.line((summary(outcome), style))


def summary(outcome: Outcome) -> str:
    """Returns the last line: what was done, what is left, what failed."""
    left = []
    if outcome.kept:
        left.append(_kept(outcome))
    if outcome.left_unsafe:
        left.append(f"{len(outcome.left_unsafe)} unsafe (apply with --unsafe)")
    if outcome.left_manual:
        verb = "needs" if len(outcome.left_manual) == 1 else "need"
        left.append(f"{len(outcome.left_manual)} {verb} manual work")
    if outcome.declined:
        left.append(f"{_count(len(outcome.declined), 'file')} declined")
    if outcome.undone:
        left.append(f"{len(outcome.undone)} approved but not changed")
    parts = [_done(outcome, bool(left)), ", ".join(left), *_failures(outcome)]
    return "; ".join(part for part in parts if part) + "."


def _kept(outcome: Outcome) -> str:
    """Returns how many constructs run as before, and how many ``--unsafe`` would convert."""
    count = len(outcome.kept)
    by_unsafe = sum(finding.unsafe_converts for finding in outcome.kept)
    converted = f", {by_unsafe} of them convertible with --unsafe" if by_unsafe else ""
    verb = "runs" if count == 1 else "run"
    return f"{count} kept ({verb} as before, not under tf.distribute{converted})"


def unsafe_line(outcome: Outcome) -> str:
    """Returns how much more ``--unsafe`` does; "" where that is nothing."""
    if not outcome.left_unsafe:
        return ""
    changes = _count(len(outcome.left_unsafe), "more change")
    files = _count(len({finding.path for finding in outcome.left_unsafe}), "file")
    return f"--unsafe applies {changes} in {files}; each finding says how training may change."


def left_line(outcome: Outcome) -> str:
    """Returns how many files are not changed and why, without those that failed."""
    by_reason: dict[str, list[Left]] = {}
    for left in left_files(outcome):
        if left.reason in _LEFT_WHOLE:
            by_reason.setdefault(left.reason, []).append(left)
    parts = []
    for reason, files in by_reason.items():
        languages = sorted({one.detail for one in files}) if reason == NOT_PYTHON else []
        detail = f" ({', '.join(map(printable, languages))})" if languages else ""
        singular, plural = _LEFT_WHOLE[reason]
        parts.append(f"{len(files)} {singular if len(files) == 1 else plural}{detail}")
    return f"Not changed: {', '.join(parts)}." if parts else ""


def _done(outcome: Outcome, left: bool) -> str:
    if outcome.changed:
        verb = "would be migrated" if outcome.dry_run else "migrated"
        changes = _count(len(outcome.applied), "change")
        return f"{_count(len(outcome.changed), 'file')} {verb}, {changes}"
    if left or outcome.errors:
        return "No files to migrate" if outcome.dry_run else "No files migrated"
    others = sum(skipped.reason == NOT_PYTHON for skipped in outcome.skipped)
    if outcome.examined == others:
        ignored = f" ({outcome.ignored} ignored by .gitignore or --exclude)"
        return f"Nothing to do: no Python files found{ignored if outcome.ignored else ''}"
    files = _count(outcome.examined - others, "file")
    if outcome.known:
        return f"{files} checked, nothing outside the baseline"
    return f"Nothing to do: no TensorFlow 1.x distributed training code found in {files}"


def _failures(outcome: Outcome) -> list[str]:
    folders = {error.path for error in outcome.errors if error.code == UNREADABLE_FOLDER}
    counted = Counter(left.reason for left in left_files(outcome))
    return [
        f"{_count(number, noun)} {what}"
        for number, noun, what in (
            (counted[UNREADABLE], "file", "could not be read"),
            (counted[UNPARSABLE], "file", "could not be parsed"),
            (counted[FAILED], "file", "not changed because of an internal error"),
            (len(folders), "folder", "could not be read"),
            (counted[UNWRITTEN], "file", "could not be written"),
        )
        if number
    ]


def _head(finding: Finding, width: int, label: str) -> list[Part]:
    """Returns the columns before a finding's message."""
    return [
        _place(finding).ljust(width),
        "  ",
        (finding.code, "bold"),
        "  ",
        (label.ljust(7), _STYLES[finding.severity]),
        "  ",
    ]


def _place(finding: Finding) -> str:
    return printable(finding.place)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
