"""Comparing the losses of steps: their means over towers, and those of each tower or replica."""

from dataclasses import replace

import numpy as np

from tfmigrate_runtime.verify.causes import FirstDifference
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs import compare
from tfmigrate_runtime.verify.rungs.compare import Outcome
from tfmigrate_runtime.verify.rungs.differences import greatest_difference
from tfmigrate_runtime.verify.traces.trace import Trace, end_stretches

_SCALED = (
    "The migrated program gives its optimizer {:.6g} times the original's loss, and divides its "
    "gradients by that: its first updates are the same. Its losses were divided too."
)


def losses(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Rung 4: the same loss at every step, and where both recorded them, of every tower.

    The mean of the towers hides which batch went to which tower.
    """
    if "losses" not in original.meta and migrated.meta.get("losses", {}).get("differ"):
        reason = "The original's trace is of an earlier version, which recorded one of its losses."
        return Outcome(True, "not recorded", "", (reason,), skipped=True)
    if original.loss.shape != migrated.loss.shape:
        counts = f"{len(original.loss)} and {len(migrated.loss)} steps"
        details = compare.losses_before_the_end(original, migrated, tolerance)
        return Outcome(False, counts, "", details)
    notes: tuple[str, ...] = ()
    outcome = _means(original, migrated, tolerance)
    if not outcome.same:
        factor = _harmless_factor(original, migrated, tolerance)
        if factor is not None:
            migrated, notes = _divided(migrated, factor), (_SCALED.format(factor),)
            outcome = _means(original, migrated, tolerance)
    if outcome.same and original.tower_loss is not None and migrated.tower_loss is not None:
        outcome = _of_towers(outcome, original, migrated, tolerance)
    return replace(outcome, details=(*outcome.details, *notes))


def _divided(trace: Trace, factor: float) -> Trace:
    """Returns a trace with losses of the original's scale.

    Ports average the gradients of replicas (``g / replicas``) where others divide the loss.
    """
    towers = trace.tower_loss
    towers = None if towers is None else towers / factor
    return replace(trace, loss=trace.loss / factor, tower_loss=towers)


def _means(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Compares losses of as many steps."""
    finding = tolerance.losses(original.loss, migrated.loss)
    figure, limit = compare.figures(finding)
    if not len(finding.beyond):
        return Outcome(True, figure, limit, compare.rounding_notes([finding], tolerance))
    is_near_end = end_stretches(original.step, original, migrated)[finding.beyond]
    first = int(finding.beyond[np.argmin(is_near_end)])  # of a single step, where one differs
    if is_near_end.all():
        place = compare.variables(original, migrated, tolerance).first
        if place is not None and place.step is not None and place.step < original.step[first]:
            note = "Losses differ only after steps made in one call; updates differ before these."
            return Outcome(True, figure, limit, (note,))
    old, new = float(original.loss[first]), float(migrated.loss[first])
    lines = [
        f"The loss first differs at step {int(original.step[first])}: original {old:.9g}, "
        f"migrated {new:.9g}{compare.ratio(old, new, migrated)}; "
        f"{compare.limits_of(finding, first)}.",
        f"Losses differ at {len(finding.beyond)} of {len(original.loss)} steps.",
    ]
    if first == 0:
        lines.append(_first_step(original, migrated))
    place = FirstDifference(int(original.step[first]), original=old, migrated=new)
    return Outcome(False, figure, limit, tuple(lines), first=place)


def _is_given(migrated: Trace) -> bool:
    """Returns whether the losses are those an optimizer or a tape was given, which no one sees.

    Estimators report their losses: a factor there is a difference.
    """
    return "towers" in migrated.meta or migrated.is_native


def _first_step(original: Trace, migrated: Trace) -> str:
    """Describes what a first step differs by, given that the programs start from equal values."""
    batches = [trace.meta.get("batch") for trace in (original, migrated)]
    is_batch_known = all(batch is not None and batch["reason"] is None for batch in batches)
    what = "a different loss" if is_batch_known else "a different batch or a different loss"
    if int(migrated.meta.get("replicas") or 1) < 2:
        return f"{compare.FIRST_STEP_DIFFERS}{what}."
    first, then = "loss_reduction", ""
    if not is_batch_known:
        first, then = "global_batch and loss_reduction", ", then the input pipeline"
    return f"{compare.FIRST_STEP_DIFFERS}{what}. Check {first} (TFM201){then}."


def _harmless_factor(original: Trace, migrated: Trace, tolerance: Tolerance) -> float | None:
    """Returns the factor between losses at all steps, or before the first that updates otherwise.

    None where there is none, or where the first step already has other updates: the factor may be
    the reason.
    """
    if not _is_given(migrated):
        return None
    outcome = compare.variables(original, migrated, tolerance)
    step = None if outcome.first is None else outcome.first.step
    if not outcome.same and (step is None or step <= original.step[0]):
        return None
    count = len(original.loss)
    before = count if step is None else int((original.step < step).sum())
    lengths = dict.fromkeys((count, before))
    factors = (_factor(original, migrated, tolerance, length) for length in lengths)
    return next((factor for factor in factors if factor is not None), None)


def _factor(original: Trace, migrated: Trace, tolerance: Tolerance, count: int) -> float | None:
    """Returns what the losses of the first steps are multiplied by, None where that is nothing."""
    old, new = original.loss[:count], migrated.loss[:count]
    if count < 2 or not (np.isfinite(old) & np.isfinite(new) & (old != 0)).all():
        return None
    limits = tolerance if count == len(original.loss) else tolerance.up_to(count)
    if not len(limits.losses(old, new).beyond):
        return None  # they have one scale, and differ later
    factor = float(np.median(new / old))
    return None if not factor or len(limits.losses(old, new / factor).beyond) else factor


def _of_towers(means: Outcome, original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Compares the losses of each tower, whose means are the same."""
    old, new = original.tower_loss, migrated.tower_loss
    assert old is not None
    assert new is not None
    if old.shape[1] != new.shape[1]:
        counts = f"{old.shape[1]} and {new.shape[1]} towers"
        details = (
            f"The original has {old.shape[1]} towers, the migrated program {new.shape[1]} "
            "replicas.",
        )
        return Outcome(False, counts, "", details)
    finding = tolerance.losses(old, new, "tower_loss")
    if not len(finding.beyond):
        return means
    step = int(finding.beyond[0])
    worst = greatest_difference(old[step], new[step])
    figure, limit = compare.figures(finding)
    (tower,) = worst.index
    details = (
        f"The mean loss is the same, but not that of each tower: at step "
        f"{int(original.step[step])} tower {tower} has {worst}. Check that each tower gets the "
        "same part of the batch.",
    )
    place = FirstDifference(
        int(original.step[step]), None, (tower,), worst.original, worst.migrated
    )
    return Outcome(False, figure, limit, details, first=place)
