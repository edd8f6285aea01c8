"""Comparing the calls of Estimators, and what evaluations and predictions return."""

from __future__ import annotations

from typing import Any

from tfmigrate_runtime.verify.compare import Outcome
from tfmigrate_runtime.verify.dependent_results import with_moving_averages
from tfmigrate_runtime.verify.differences import greatest_difference, how_far, how_many
from tfmigrate_runtime.verify.prediction_rows import rows_in_both, rows_left_out
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Results, Trace
from tfmigrate_runtime.verify.wording import counted, not_in_trace

_NO_RESULTS = "none made"


def calls_and_results(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Rung 6: the same calls of the Estimator, evaluation metrics and predictions."""
    made = calls(original, migrated, tolerance)
    if not made.same:
        return made
    found = results(original, migrated, tolerance)
    figure = made.figure if found.figure == _NO_RESULTS else f"{made.figure}, {found.figure}"
    details = made.details + found.details
    skipped = made.skipped and found.figure == _NO_RESULTS
    missing = (*made.not_compared, *found.not_compared)
    return Outcome(found.same, figure, found.tolerance, details, skipped, not_compared=missing)


def calls(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """The same calls of the Estimator, in the same order at the same global steps."""
    del tolerance
    if original.calls is None or migrated.calls is None:
        which = "original" if original.calls is None else "migrated program"
        reason = not_in_trace(which, "calls of the Estimator")
        missing = ("calls (not recorded)",)
        return Outcome(
            True, "calls not recorded", "", (reason,), skipped=True, not_compared=missing
        )
    old, new = ([_call(call) for call in trace.calls or ()] for trace in (original, migrated))
    if old == new:
        return Outcome(True, counted(len(new), "call"))
    first = next(
        (i for i, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), None
    )
    position = min(len(old), len(new)) if first is None else first
    sides = (("original", old), ("migrated program", new))
    found = [
        f"{made[position] if position < len(made) else 'no further call'} in the {name}"
        for name, made in sides
    ]
    details = [f"Call {position + 1} differs: {', '.join(found)}."]
    details += [f"Calls of the {name}: {', '.join(made) or 'none'}." for name, made in sides]
    return Outcome(False, f"{len(old)} and {len(new)} calls", "", tuple(details))


def results(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """The same evaluation metrics and predictions."""
    tolerance, depends = with_moving_averages(original, migrated, tolerance)
    limit = f"{tolerance.metric:.0e}"
    greatest, details, count = 0.0, [], 0
    for kind, old, new in (
        ("evaluation", original.evaluations, migrated.evaluations),
        ("prediction", original.predictions, migrated.predictions),
    ):
        if len(old) != len(new):
            details.append(
                f"The original made {counted(len(old), kind)}, the migrated program {len(new)}."
            )
            continue
        if kind == "prediction":
            old, new, found = rows_in_both(original, migrated)
            details += found
        for number, (first, second) in enumerate(zip(old, new, strict=True), start=1):
            count += len(first)
            found, size = _result_differences(f"{kind} {number}", first, second, tolerance.metric)
            details += found
            greatest = max(greatest, size)
    figure = f"{greatest:.1e}" if count else _NO_RESULTS
    notes = () if details else rows_left_out(original, migrated)
    missing = () if count or details else ("evaluations and predictions (none made)",)
    lines = (*details, *notes, *(depends if count else ()))
    return Outcome(not details, figure, limit, lines, not_compared=missing)


def _result_differences(
    title: str, old: Results, new: Results, tolerance: float
) -> tuple[list[str], float]:
    """Describes the metrics of one evaluation that differ, and returns the largest difference."""
    details = [
        f"{title}: {name} is only in the {'original' if name in old else 'migrated program'}."
        for name in sorted(set(old) ^ set(new))
    ]
    greatest = 0.0
    for name in sorted(set(old) & set(new)):
        worst = greatest_difference(old[name], new[name])
        greatest = max(greatest, worst.size)
        if worst.size <= tolerance:
            continue
        details.append(
            f"{title}: {name} is {worst.original:.9g} in the original, {worst.migrated:.9g} in "
            "the migrated program."
        )
        if old[name].size > 1 and old[name].shape == new[name].shape:
            details[-1] += f" {how_many(old[name], new[name], tolerance)} differ."
            details += how_far(f"{title}: {name}", old[name], new[name], tolerance)
    return details, greatest


def _call(call: dict[str, Any]) -> str:
    """Returns the compared properties of a call of the Estimator, in words.

    The arguments ``steps`` and ``max_steps`` are not compared: both can describe the same
    training, and their result is in the global steps.
    """
    if call["kind"] == "train":
        return f"train from step {call['before']} to {call['after']}"
    if call["kind"] == "evaluate":
        name = f" as {call['name']!r}" if call["name"] else ""
        return f"evaluate at step {call['step']}{name}"
    folder = f" to {call['folder']}" if call["folder"] else ""
    return f"export at step {call['step']}{folder}"
