"""Comparing the results of session runs outside of training steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfmigrate_runtime.verify.compare import Outcome
from tfmigrate_runtime.verify.differences import greatest_difference
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Array, Trace
from tfmigrate_runtime.verify.wording import counted, not_in_trace

_SIDES = ("original", "migrated program")
Run = tuple[int, list[tuple[list[Any], Array]]]  # steps before it; of each value its form, numbers


def fetches(
    original: Trace, migrated: Trace, tolerance: Tolerance, is_chief: bool = True
) -> Outcome:
    """Compares the values that programs fetch; skipped where neither fetches any.

    Where initial values were copied, only names and shapes are compared before the first step: the
    copy comes after these runs. Workers other than the chief are left out there: they wait for the
    chief, and what they see depends on timing.
    """
    for name, trace in zip(_SIDES, (original, migrated), strict=True):
        if "fetches" not in trace.meta:
            reason = not_in_trace(name, "results of session runs")
            return Outcome(True, "", "", (reason,), skipped=True)
    old, new = (
        [run for run in _runs(trace) if run[0] or is_chief] for trace in (original, migrated)
    )
    if not old and not new:
        return Outcome(True, "", skipped=True)
    limit = tolerance.limit_of_results(original.variables)
    greatest = 0.0
    first_known = is_chief and bool(
        not migrated.meta.get("transferred") and not _others_transferred(migrated)
    )
    for number, (first, second) in enumerate(zip(old, new, strict=False), start=1):
        found = _difference(first, second, limit, first_known)
        if isinstance(found, str):
            text = f"Session run {number} without training, after step {first[0]}: {found}"
            return Outcome(False, "different fetches", f"{limit:.0e}", (text,))
        greatest = max(greatest, found)
    if len(old) != len(new):
        more = old[len(new) :] or new[len(old) :]
        names = ", ".join(form[0] for form, _ in more[0][1])
        text = (
            f"The original makes {counted(len(old), 'session run')} without training, the migrated "
            f"program {len(new)}. The first without a counterpart is after step {more[0][0]} "
            f"({names})."
        )
        return Outcome(False, "different fetches", "", (text,))
    left_out = original.meta["fetches"]["left_out"] or migrated.meta["fetches"]["left_out"]
    notes = (
        f"Only the first {len(old)} session runs without training were compared; {left_out} more "
        "were not.",
    )
    return Outcome(
        True,
        f"{counted(len(old), 'run')}, {greatest:.1e}",
        f"{limit:.0e}",
        notes if left_out else (),
    )


def _others_transferred(trace: Trace) -> bool:
    return any(model.meta.get("transferred") for model in trace.models)


def _runs(trace: Trace) -> list[Run]:
    recorded = trace.meta["fetches"]
    found, position = [], 0
    for steps, index in recorded["runs"]:
        values = []
        for form in recorded["forms"][index]:
            values.append((form, trace.fetched[position : position + form[3]]))
            position += form[3]
        found.append((steps, values))
    return found


def _difference(old: Run, new: Run, limit: float, first_known: bool) -> float | str:
    """Returns the largest difference of two runs, or a sentence about what differs."""
    if old[0] != new[0]:
        return f"in the migrated program it is after step {new[0]}."
    forms = [[form[1:3] for form, _ in run[1]] for run in (old, new)]
    names = [", ".join(form[0] for form, _ in run[1]) for run in (old, new)]
    if forms[0] != forms[1]:
        return f"it returns {_shown(old)} in the original, {_shown(new)} in the migrated program."
    if not old[0] and not first_known:
        return 0.0
    greatest = 0.0
    for (form, first), (_, second) in zip(old[1], new[1], strict=True):
        worst = greatest_difference(first, second)
        scale = max(1.0, float(np.abs(first[np.isfinite(first)]).max(initial=0.0)))
        scale = scale if form[1].startswith(("float", "bfloat", "complex")) else 1.0
        if not worst.size <= limit * scale:
            what = names[0].split(", ")[0] if len(old[1]) == 1 else form[0]
            if form[1] == "text":
                return f"the text of {what or 'its result'} differs."
            shown = f"{worst.original:.9g} in the original, {worst.migrated:.9g} in the migrated"
            return f"{what or 'its result'} is {shown} program."
        greatest = max(greatest, worst.size / scale)
    return greatest


def _shown(run: Run) -> str:
    return ", ".join(f"{form[0]} ({form[1]} {form[2]})" for form, _ in run[1])
