"""What cannot be migrated for TensorFlow 1.15 to 2.15, which the runtime does not run on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tfmigrate.drafts import Draft
from tfmigrate.edits import Edit
from tfmigrate.findings import Severity
from tfmigrate.runtime_modules import RUNTIME

_ACTION = "migrate it to TensorFlow 2.16 or newer (without --target estimator), or by hand"


def without_runtime(drafts: Iterable[Draft]) -> list[Draft]:
    """Turns the drafts whose edits need the runtime into findings for a human.

    They hold back their group: half of a program would train otherwise, or not at all.
    """
    return [_told(draft) if any(map(_needs_runtime, draft.edits)) else draft for draft in drafts]


def _needs_runtime(edit: Edit) -> bool:
    """Says whether the code that an edit writes names the runtime; that of the file has no text."""
    return RUNTIME in repr(edit)


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
