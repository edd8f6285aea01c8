"""The number of findings of each rule, by their state."""

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from tfmigrate.engine.outcome import Outcome
from tfmigrate.model.findings import Finding, Severity

DONE, KEPT, UNSAFE, MANUAL, ERROR = "fixed", "kept", "unsafe", "manual", "error"
FIXABLE = "fixable"
STATES = (DONE, KEPT, UNSAFE, MANUAL, ERROR)
"""The states of a finding: the change is made (or would be), the construct runs as before, the
change needs ``--unsafe``, needs manual work, or the file failed."""


BY_HAND = (MANUAL, UNSAFE, ERROR)
"""The states that a person must do something about."""


@dataclass(frozen=True)
class Row:
    """The findings of one code.

    Attributes:
        code: The code.
        counts: How many findings are in each of ``STATES``.
        files: In how many files they are.
    """

    code: str
    counts: dict[str, int]
    files: int

    @property
    def total(self) -> int:
        """All findings of the code."""
        return sum(self.counts.values())


def state(finding: Finding) -> str:
    """Returns the state of a finding."""
    if finding.applied:
        return DONE
    if finding.severity is Severity.FIXED:
        return ERROR  # its file could not be written
    return str(finding.severity.value)


def rows(outcome: Outcome) -> list[Row]:
    """Returns the counts by code, in the order of the codes."""
    counted = Counter((finding.code, state(finding)) for finding in outcome.findings)
    files: dict[str, set[str]] = {}
    for finding in outcome.findings:
        files.setdefault(finding.code, set()).add(finding.path)
    return [
        Row(code, {state: counted[code, state] for state in STATES}, len(files[code]))
        for code in sorted(files)
    ]


def totals(outcome: Outcome) -> dict[str, int]:
    """Returns how many findings are in each of ``STATES``."""
    counted = Counter(state(finding) for finding in outcome.findings)
    return {state: counted[state] for state in STATES}


def alike(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Returns the findings of a file, equal ones together, by their first place."""
    groups: dict[Hashable, list[Finding]] = {}
    for finding in findings:
        key = (finding.code, finding.message, finding.action, state(finding), finding.severity)
        groups.setdefault(key, []).append(finding)
    return list(groups.values())


def places(findings: Iterable[Finding]) -> str:
    """Returns where findings of one file are: "12:5, 20:9", or "cell 3:2:1"."""
    return ", ".join(finding.place.removeprefix(f"{finding.path}:") for finding in findings)


def label(finding: Finding, dry_run: bool) -> str:
    """Returns the label of a finding: "fixable" for a fix that was not written."""
    if finding.severity is Severity.FIXED and (dry_run or not finding.applied):
        return FIXABLE
    return str(finding.severity.value)
