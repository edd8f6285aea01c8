"""What a run did, or would do: what reports are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tfmigrate.files.skipped import Skipped
from tfmigrate.files.source import SourceFile
from tfmigrate.model.findings import Finding, Severity

if TYPE_CHECKING:
    from tfmigrate.engine.vendor import Copy


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
    """The text of a file before and after the run.

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
        parsed: How many of them were parsed; no rule concerns the others.
        changed: The shown paths of the files that were, or would be, migrated.
        rewrites: In a dry run, what would be written.
        tracebacks: Those of internal errors.
        notes: What else is to be said, and is not an error.
        dry_run: Whether nothing was to be written.
        copies: The copies of the runtime that were, or would be, made.
        texts: Of each file with a finding or a change, the old and the new text; only where a
            report is to show them.
        skipped: The files that were found and not looked into.
        ignored: How many files and folders ignore files and patterns left out.
        known: How many findings are not reported because a baseline has them.
        declined: The files that stay as they are because the user declined them.
        undone: The files that the user approved, and that stay as they are with a declined one.
        to_install: What the changed programs need, as arguments of pip; "" for nothing.
    """

    dry_run: bool
    findings: list[Finding] = field(default_factory=list)
    examined: int = 0
    parsed: int = 0
    changed: list[str] = field(default_factory=list)
    rewrites: list[Rewrite] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    copies: list[Copy] = field(default_factory=list)
    texts: list[FileTexts] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    ignored: int = 0
    known: int = 0
    declined: list[str] = field(default_factory=list)
    undone: list[str] = field(default_factory=list)
    to_install: str = ""

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
    def kept(self) -> list[Finding]:
        """The constructs that run as before, but not under tf.distribute."""
        return [finding for finding in self.findings if finding.severity is Severity.KEPT]

    @property
    def left_manual(self) -> list[Finding]:
        """What needs manual work."""
        return [finding for finding in self.findings if finding.severity is Severity.MANUAL]

    @property
    def exit_code(self) -> int:
        """0 nothing is left to do, 1 something would change or needs work, 2 a file failed."""
        if self.errors:
            return 2
        left = self.left_unsafe or self.left_manual
        return 1 if left or self.declined or (self.dry_run and (self.changed or self.copies)) else 0
