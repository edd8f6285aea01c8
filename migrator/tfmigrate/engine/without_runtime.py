"""What cannot be migrated for TensorFlow 1.15 to 2.15, which the runtime does not support."""

from collections.abc import Iterable
from dataclasses import replace

from tfmigrate.rulekit.basics import Draft, Severity
from tfmigrate.tables.runtime_modules import RUNTIME

_ACTION = "run tfmigrate without --target estimator, for TensorFlow 2.16 or later"


def without_runtime(drafts: Iterable[Draft]) -> list[Draft]:
    """Turns the drafts whose edits need the runtime into manual findings.

    They hold back their group: a program that is migrated in part would train differently or fail.
    """
    return [_manual(draft) if needs_runtime(draft) else draft for draft in drafts]


def needs_runtime(draft: Draft) -> bool:
    """Returns whether the edits of a draft write code that uses the runtime."""
    return any(RUNTIME in repr(edit) for edit in draft.edits)


def _manual(draft: Draft) -> Draft:
    what, _, _ = draft.message.partition(" -> ")
    return replace(
        draft,
        severity=Severity.MANUAL,
        message=f"{what}: no equivalent in TensorFlow 1.15 to 2.15, only in {RUNTIME}",
        action=_ACTION,
        edits=(),
        blocks=True,
        quiet=False,
    )
