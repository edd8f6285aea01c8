"""One run over the paths of a command line: find, read, migrate, write."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tfmigrate.discover import Candidate, Exclusions, discover
from tfmigrate.discover import shown as shown_path
from tfmigrate.findings import UNREADABLE_FILE, UNWRITTEN_FILE, Finding, Severity
from tfmigrate.source import SourceFile, UnreadableFile, decode_source, read_bytes
from tfmigrate.start_files import may_start, starts_of
from tfmigrate.write import UnwritableFile, encoded, write_source

if TYPE_CHECKING:
    from tfmigrate.engine import Migration, Options

STREAM = "-"
_NOTEBOOK = re.compile(rb"\s*\{\s*\"")


@dataclass(frozen=True)
class Rewrite:
    """The bytes of a file that would be migrated.

    Attributes:
        display: The path as shown to the user.
        before: What is on disk.
        after: What would be written.
    """

    display: str
    before: bytes
    after: bytes


@dataclass(frozen=True)
class FileTexts:
    """What a file held, and what it holds after the run, or would.

    Attributes:
        source: The file as it was read.
        after: Its new text; the old one where it does not change.
    """

    source: SourceFile
    after: str


@dataclass
class Outcome:
    """What a run did, or would do.

    Attributes:
        findings: All findings, in the order they are shown in.
        examined: How many files were found.
        parsed: How many of them were parsed; the others do not name tensorflow.
        changed: The shown paths of the files that were, or would be, migrated.
        rewrites: In a dry run, what would be written.
        texts: Of each file with a finding or a change, the old and the new text; only where a
            report is to show them.
        dry_run: Whether nothing was to be written.
    """

    dry_run: bool
    findings: list[Finding] = field(default_factory=list)
    examined: int = 0
    parsed: int = 0
    changed: list[str] = field(default_factory=list)
    rewrites: list[Rewrite] = field(default_factory=list)
    texts: list[FileTexts] = field(default_factory=list)

    @property
    def errors(self) -> list[Finding]:
        """The files and folders that could not be read or written."""
        return [finding for finding in self.findings if finding.severity is Severity.ERROR]

    @property
    def applied(self) -> list[Finding]:
        """The changes that were, or would be, made."""
        return [finding for finding in self.findings if finding.applied]

    @property
    def left_unsafe(self) -> list[Finding]:
        """The changes that wait for ``--unsafe``; those of failed files wait for the file."""
        failed = {error.path for error in self.errors}
        return [
            finding
            for finding in self.findings
            if finding.severity is Severity.UNSAFE
            and not finding.applied
            and finding.path not in failed
        ]

    @property
    def left_manual(self) -> list[Finding]:
        """What needs a human."""
        return [finding for finding in self.findings if finding.severity is Severity.MANUAL]

    @property
    def exit_code(self) -> int:
        """0 nothing left to do, 1 something would change or is left, 2 a file failed."""
        if self.errors:
            return 2
        left = self.left_unsafe or self.left_manual
        return 1 if left or (self.dry_run and self.changed) else 0


def run(
    paths: Sequence[str],
    exclude: Sequence[str],
    options: Options,
    dry_run: bool,
    *,
    exclusions: Sequence[Exclusions] = (),
    keep_texts: bool = False,
) -> Outcome:
    """Migrates what the paths hold.

    A file that cannot be read, parsed or written becomes an ERROR finding; the others go on.

    Args:
        paths: Files and folders.
        exclude: Patterns in gitignore syntax for files not to take.
        options: What the engine may do.
        dry_run: Whether to write nothing.
        exclusions: More patterns, relative to other folders than the current one.
        keep_texts: Whether the outcome is to hold the texts, for a report.

    Raises:
        UsageError: A path or a pattern cannot be used.
    """
    from tfmigrate import isolation

    outcome = Outcome(dry_run=dry_run)
    found = discover(paths, exclude, exclusions)
    outcome.findings += found.findings
    outcome.examined = len(found.candidates)
    # The files of a Python 2 program that do not name tensorflow are its own affair too.
    words = () if options.py2 else ("tensorflow",)
    others: list[tuple[Candidate, bytes]] = []
    sources, unreadable = read_files(found.candidates, words, others)
    outcome.findings += unreadable
    outcome.parsed = len(sources)
    sources += starts_of(others, sources)
    migration = isolation.migrate(sources, options, found.roots)
    outcome.findings += migration.findings
    for source in sources:
        _finish(source, migration, outcome)
    if keep_texts:
        _keep_texts(sources, migration, outcome)
    outcome.findings.sort()
    return outcome


def run_stream(
    data: bytes,
    options: Options,
    dry_run: bool,
    *,
    file_name: str = "",
    keep_texts: bool = False,
) -> tuple[Outcome, bytes]:
    """Migrates the text of the standard input, as a file that is named alone.

    Args:
        data: What the file holds: Python, or a notebook.
        options: What the engine may do.
        dry_run: Whether the outcome is to tell what would change.
        file_name: Where the text is from, which need not exist; "" for the current folder.
        keep_texts: Whether the outcome is to hold the texts, for a report.

    Returns:
        The outcome, and what the file would hold; nothing where it could not be read.
    """
    from tfmigrate import isolation

    outcome = Outcome(dry_run=dry_run, examined=1)
    shown, path = _place_of_stream(data, file_name)
    try:
        source = decode_source(data, path, shown)
    except UnreadableFile as error:
        outcome.findings.append(_error(shown, UNREADABLE_FILE, error))
        return outcome, b""
    outcome.parsed = 1
    migration = isolation.migrate([source], options, [path.parent])
    outcome.findings += migration.findings
    after = data
    try:
        after = encoded(source, migration.texts.get(source.path, source.text))
    except UnwritableFile as error:
        outcome.findings.append(_error(shown, UNWRITTEN_FILE, error))
    outcome.findings.sort()
    if after != data:
        outcome.changed.append(shown)
        outcome.rewrites.append(Rewrite(shown, data, after))
    if keep_texts:
        _keep_texts([source], migration, outcome)
    return outcome, b"" if outcome.errors else after


def _place_of_stream(data: bytes, file_name: str) -> tuple[str, Path]:
    """Returns what the standard input is shown as, and where it is taken to be."""
    if file_name:
        path = Path.cwd() / file_name
        return shown_path(path), path
    is_notebook = _NOTEBOOK.match(data) and b'"cells"' in data
    return "<stdin>", Path.cwd() / ("stdin.ipynb" if is_notebook else "stdin.py")


def read_files(
    candidates: Sequence[Candidate],
    words: Sequence[str],
    others: list[tuple[Candidate, bytes]] | None = None,
) -> tuple[list[SourceFile], list[Finding]]:
    """Reads the files that hold one of some words, and those that were named; all without words.

    Args:
        candidates: the files.
        words: the words.
        others: gets the other files that may start programs, with what they hold.

    Returns:
        The files, and an ERROR finding for each that cannot be read.
    """
    sources, findings = [], []
    wanted = [word.encode() for word in words]
    for candidate in candidates:
        try:
            data = read_bytes(candidate.path)
            # A whole tree is mostly other code, which is not parsed.
            if wanted and not candidate.named and not any(word in data for word in wanted):
                if others is not None and may_start(data):
                    others.append((candidate, data))
                continue
            sources.append(decode_source(data, candidate.path, candidate.display))
        except UnreadableFile as error:
            findings.append(_error(candidate.display, UNREADABLE_FILE, error))
    return sources, findings


def _finish(source: SourceFile, migration: Migration, outcome: Outcome) -> None:
    """Writes one file's new text, or compares it only."""
    text = migration.texts.get(source.path)
    if text is None or text == source.text:
        return
    try:
        if outcome.dry_run:
            before = source.encode(source.text)
            outcome.rewrites.append(Rewrite(source.display, before, encoded(source, text)))
        else:
            write_source(source, text)
    except UnwritableFile as error:
        outcome.findings[:] = [
            replace(finding, applied=False) if finding.path == source.display else finding
            for finding in outcome.findings
        ]
        outcome.findings.append(_error(source.display, UNWRITTEN_FILE, error))
    else:
        outcome.changed.append(source.display)


def _keep_texts(sources: Sequence[SourceFile], migration: Migration, outcome: Outcome) -> None:
    """Keeps the texts of the files of which there is something to tell."""
    told = {finding.path for finding in outcome.findings} | set(outcome.changed)
    for source in sources:
        if source.display in told:
            after = source.text
            if source.display in outcome.changed:
                after = migration.texts.get(source.path, source.text)
            outcome.texts.append(FileTexts(source, after))


def _error(display: str, code: str, error: UnreadableFile | UnwritableFile) -> Finding:
    return Finding(
        display, error.line, error.column, code, Severity.ERROR, error.reason, "", applied=False
    )
