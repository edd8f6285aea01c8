"""The likely cause of a difference, from the first step that differs.

At that step both programs still started from the same values, so the updates can be compared: by
their direction, by their length, and by the optimizer's slots, which hold the gradients.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tfmigrate_runtime.verify.differences import greatest_difference
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Array, Trace

# Updates of about 1e-3 on values of about 1 are known to four digits in float32.
_SAME_RATIO = 2e-3
_SAME_DIRECTION = 2e-2
_MOST_NAMES = 4
_HINT_OF_REPLICAS = (
    "the loss scale or the batch is wrong. Check loss_reduction and global_batch (tfmigrate "
    "explain TFM201), and whether a sum over towers replaces their mean (TFM401)."
)
_HINT_OF_WORKERS = (
    "gradients are summed where they were averaged, or the reverse (tfmigrate explain TFM303)."
)


@dataclass(frozen=True)
class _Update:
    """How one variable's update in the migrated program compares with the original's.

    Attributes:
        name: the variable.
        same: whether it is the same within the tolerance.
        ratio: of the lengths, along the original's direction; None where one is zero.
        aligned: whether both have one direction.
        slots_same: whether the optimizer's slots are the same; None where it has none.
    """

    name: str
    same: bool
    ratio: float | None
    aligned: bool
    slots_same: bool | None


def diagnose(
    original: Trace, migrated: Trace, tolerance: Tolerance, workers: int = 0
) -> tuple[str, ...]:
    """Returns sentences about the likely cause, from the updates of the first differing step.

    Args:
        original: the original's trace.
        migrated: the migrated program's, with variables at the same steps.
        tolerance: how close they had to be.
        workers: how many train in a cluster, 0 where one process trains.
    """
    limits = {
        name: tolerance.limit_of_variable(name, original.initial[name], original.variables[name])
        for name in original.variables
        if _comparable(name, original, migrated)
    }
    trained = [name for name in original.trainable if name in limits]
    position = _first_position(original, migrated, {name: limits[name] for name in trained})
    if position is None:
        return ()
    updates = [_update(name, position, original, migrated, limits) for name in trained]
    apart = [update for update in updates if not update.same]
    if not apart:
        return ()
    step = int(original.variable_step[position])
    replicas = int(migrated.meta.get("replicas") or 1)
    lines = []
    if len(apart) < len(updates):
        lines.append(_only_some(step, apart, len(updates)))
    lines += _lengths(step, apart, *_factors(workers, replicas))
    lines += _gradient_or_update(apart)
    if position > 0:
        lines.append(
            f"All variables are the same up to step {int(original.variable_step[position - 1])}. "
            "Look for what changes after it: a boundary of a schedule, the end of an epoch or of "
            "the input, a restored checkpoint."
        )
    return tuple(lines)


def _first_position(original: Trace, migrated: Trace, limits: Mapping[str, float]) -> int | None:
    """Returns the first recorded step at which one of these variables differs."""
    for position in range(len(original.variable_step)):
        if any(not _same(name, position, original, migrated, limits) for name in limits):
            return position
    return None


def _comparable(name: str, original: Trace, migrated: Trace) -> bool:
    if name not in original.variables or name not in migrated.variables:
        return False
    old, new = original.variables[name], migrated.variables[name]
    return old.shape == new.shape and old.dtype.kind == "f" and name in original.initial


def _same(
    name: str, position: int, original: Trace, migrated: Trace, limits: Mapping[str, float]
) -> bool:
    old, new = original.variables[name], migrated.variables[name]
    return greatest_difference(old[position], new[position]).size <= limits[name]


def _update(
    name: str, position: int, original: Trace, migrated: Trace, limits: Mapping[str, float]
) -> _Update:
    old, new = (_moved(trace, name, position) for trace in (original, migrated))
    length = float(np.dot(old, old))
    ratio, aligned = None, False
    if length > 0 and np.isfinite(new).all() and float(np.dot(new, new)) > 0:
        ratio = float(np.dot(new, old)) / length
        rest = float(np.linalg.norm(new - ratio * old))
        aligned = rest <= _SAME_DIRECTION * float(np.linalg.norm(new))
    slots = [
        slot for slot in limits if slot.startswith(name + "/") and slot not in original.trainable
    ]
    slots_same = None
    if slots:
        slots_same = all(_same(slot, position, original, migrated, limits) for slot in slots)
    same = _same(name, position, original, migrated, limits)
    return _Update(name, same, ratio, aligned, slots_same)


def _moved(trace: Trace, name: str, position: int) -> Array:
    """Returns the change of a variable at a recorded step, flat, as float64."""
    before = trace.variables[name][position - 1] if position else trace.initial[name]
    now = trace.variables[name][position]
    return np.ravel(now.astype(np.float64) - before.astype(np.float64))


def _only_some(step: int, apart: Sequence[_Update], count: int) -> str:
    names = ", ".join(update.name for update in apart[:_MOST_NAMES])
    more = f" and {len(apart) - _MOST_NAMES} more" if len(apart) > _MOST_NAMES else ""
    return (
        f"At step {step} only {len(apart)} of {count} trainable variables differ ({names}{more}). "
        "Look for what treats them differently: a regularizer, clipping by value, a variable list."
    )


def _factors(workers: int, replicas: int) -> tuple[int, str, str]:
    """Returns the factor of a wrong mean, what the mean is over, and what to check."""
    if workers:
        return workers, "workers", _HINT_OF_WORKERS
    return replicas, "replicas", _HINT_OF_REPLICAS


def _lengths(step: int, apart: Sequence[_Update], count: int, counted: str, hint: str) -> list[str]:
    """Describes updates with the original's direction but a different length."""
    ratios = [update.ratio for update in apart if update.aligned and update.ratio is not None]
    if len(ratios) < len(apart):
        return [
            f"The updates of step {step} have a different direction than the original's: the "
            "batch, the gradients or the optimizer differ."
        ]
    ratio = float(np.median(ratios))
    if max(abs(r - ratio) for r in ratios) > _SAME_RATIO * abs(ratio):
        return [
            f"The updates of step {step} have the original's direction, but {min(ratios):.4g} to "
            f"{max(ratios):.4g} times its length."
        ]
    text = f"The updates of step {step} are {ratio:.5g} times the original's"
    for factor, name in ((count, str(count)), (1 / count, f"1/{count}")):
        if count > 1 and abs(ratio - factor) <= _SAME_RATIO * factor:
            return [f"{text} (= {name}, with {count} {counted}): {hint}"]
    return [f"{text}. Check the learning rate and constant factors of the loss."]


def _gradient_or_update(apart: Sequence[_Update]) -> list[str]:
    known = [update.slots_same for update in apart if update.slots_same is not None]
    if not known:
        return []
    if all(known):
        return [
            "The optimizer's slots are the same, so the gradients are the same; the update rule "
            "differs (learning rate, epsilon, a schedule)."
        ]
    if not any(known):
        return [
            "The optimizer's slots differ too: the gradients differ, or how they are accumulated "
            "(momentum, decay rates)."
        ]
    return []
