"""Comparing what programs fetch from their sessions besides training."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfmigrate_runtime.verify.compare import Outcome
from tfmigrate_runtime.verify.differences import greatest_difference
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Array, Trace

_SIDES = ("original", "migrated program")
Run = tuple[int, list[tuple[list[Any], Array]]]  # steps before it; of each value its form, numbers


def fetches(
    original: Trace, migrated: Trace, tolerance: Tolerance, is_chief: bool = True
) -> Outcome:
    """Returns how the values compare that programs fetch; skipped where neither fetches any.

    Before the first step, only how they are fetched is compared where initial values were taken
    over: that is after these runs. Those of other workers than the chief are left out: they wait
    for what it does then, and see more or less of it.
    """
    for name, trace in zip(_SIDES, (original, migrated), strict=True):
        if "fetches" not in trace.meta:
            reason = (
                f"What is fetched without training was not compared: the trace of the {name} does "
                "not have it. Record it again.",
            )
            return Outcome(True, "", "", reason, skipped=True)
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
            text = f"Run {number} that trains nothing, after step {first[0]}: {found}"
            return Outcome(False, "other fetches", f"{limit:.0e}", (text,))
        greatest = max(greatest, found)
    if len(old) != len(new):
        text = f"The original fetches values in {len(old)} runs that train nothing, the migrated "
        more = old[len(new) :] or new[len(old) :]
        names = ", ".join(form[0] for form, _ in more[0][1])
        text += f"program in {len(new)}; the first that the other does not make is after step "
        return Outcome(False, "other fetches", "", (f"{text}{more[0][0]} ({names}).",))
    left_out = original.meta["fetches"]["left_out"] or migrated.meta["fetches"]["left_out"]
    notes = (
        f"The first {len(old)} runs that train nothing were compared, not the {left_out} after.",
    )
    return Outcome(
        True, f"{len(old)} runs, {greatest:.1e}", f"{limit:.0e}", notes if left_out else ()
    )


def _others_transferred(trace: Trace) -> bool:
    return any(model.meta.get("transferred") for model in trace.models)


def _runs(trace: Trace) -> list[Run]:
    told = trace.meta["fetches"]
    found, position = [], 0
    for steps, index in told["runs"]:
        values = []
        for form in told["forms"][index]:
            values.append((form, trace.fetched[position : position + form[3]]))
            position += form[3]
        found.append((steps, values))
    return found


def _difference(old: Run, new: Run, limit: float, first_known: bool) -> float | str:
    """Returns how far apart two runs are, at most, or in words what differs."""
    if old[0] != new[0]:
        return f"the migrated program makes it after step {new[0]}."
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
            shown = f"{worst.original:.9g} in the original, {worst.migrated:.9g} in the migrated"
            if form[1] == "text":
                shown = "another text in the original than in the migrated"
            what = names[0].split(", ")[0] if len(old[1]) == 1 else form[0]
            return f"{what or 'what it fetches'} is {shown} program."
        greatest = max(greatest, worst.size / scale)
    return greatest


def _shown(run: Run) -> str:
    return ", ".join(f"{form[0]} ({form[1]} {form[2]})" for form, _ in run[1])
