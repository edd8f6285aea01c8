"""The files of a run that were skipped or not changed, and why."""

from collections.abc import Iterator
from dataclasses import dataclass

from tfmigrate.engine.outcome import Outcome
from tfmigrate.files import skipped
from tfmigrate.model import findings

UNREADABLE, UNPARSABLE, FAILED, UNWRITTEN = "unreadable", "unparsable", "failed", "unwritten"
HELD_BACK = "held-back"
REASONS = (
    *(UNREADABLE, UNPARSABLE, FAILED, UNWRITTEN, HELD_BACK),
    *(skipped.NOT_PYTHON, skipped.LINK),
)
_ERRORS = {
    findings.UNREADABLE_FILE: UNREADABLE,
    findings.UNWRITTEN_FILE: UNWRITTEN,
    findings.INTERNAL_ERROR: FAILED,
    findings.UNPARSABLE_FILE: UNPARSABLE,
}


@dataclass(frozen=True)
class Left:
    """A file that was not changed, though it may have something to migrate.

    Attributes:
        path: The file as shown to the user.
        reason: One of ``REASONS``.
        detail: The language of a notebook, or the target of a link; "" with other reasons.
    """

    path: str
    reason: str
    detail: str = ""


def left_files(outcome: Outcome) -> list[Left]:
    """Returns the files, each once, in the order of the reasons and the paths."""
    by_path: dict[str, Left] = {}
    for left in sorted(_all(outcome), key=lambda left: (REASONS.index(left.reason), left.path)):
        by_path.setdefault(left.path, left)
    return list(by_path.values())


def _all(outcome: Outcome) -> Iterator[Left]:
    changed = set(outcome.changed)
    for finding in outcome.findings:
        if finding.severity is findings.Severity.ERROR:
            if finding.code in _ERRORS:
                yield Left(finding.path, _ERRORS[finding.code])
        elif finding.held_back and not finding.applied and finding.path not in changed:
            yield Left(finding.path, HELD_BACK)
    yield from (Left(one.path, one.reason, one.detail) for one in outcome.skipped)
