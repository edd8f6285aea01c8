"""What cannot be migrated for TensorFlow 1.15 to 2.15, which the runtime does not run on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tfmigrate.model.findings import Severity
from tfmigrate.rulekit.drafts import Draft
from tfmigrate.tables.runtime_modules import RUNTIME

_ACTION = "migrate it to TensorFlow 2.16 or newer (without --target estimator), or by hand"


def without_runtime(drafts: Iterable[Draft]) -> list[Draft]:
    """Turns the drafts whose edits need the runtime into findings for a human.

    They hold back their group: half of a program would train otherwise, or not at all.
    """
    return [_told(draft) if needs_runtime(draft) else draft for draft in drafts]


def needs_runtime(draft: Draft) -> bool:
    """Says whether the code that its edits write names the runtime; that of its file has none."""
    return any(RUNTIME in repr(edit) for edit in draft.edits)


def _told(draft: Draft) -> Draft:
    what, _, _ = draft.message.partition(" -> ")
    return replace(
        draft,
        severity=Severity.MANUAL,
        message=f"{what} has no equivalent in TensorFlow 1.15 to 2.15, only in {RUNTIME}",
        action=_ACTION,
        edits=(),
        blocks=True,
        quiet=False,
    )
