"""The length of all updates of a variable together: a fault too small for any single one.

A rate of 1.00001 times the original's is found by it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tfmigrate_runtime.verify.rounding.tolerance import (
    FACTOR,
    Finding,
    Measured,
    Tolerance,
    joined,
    measured,
)
from tfmigrate_runtime.verify.rounding.updates import Updates, UpdatesOfSteps, is_by_rule
from tfmigrate_runtime.verify.traces.trace import Array, Trace

# No right program's is off by more than 1.9e-6, where the single updates are known to 1e-4.
_LENGTH = 5e-6
_SIGMAS = 2.0
_BETAS = {"beta_1": 0.9, "beta_2": 0.999}  # of Adam where they are no variables


class _Steps(NamedTuple):
    """Sums over the elements of a variable, by step; of runs that rounding moves by run and step.

    Attributes:
        square: of the original's updates, each times itself.
        along: of what the migrated program's differ by, times the original's.
        unit: of the squares of what the type cannot hold, times the original's.
        size: as of ``Measured``, and ``apart`` and ``noise``.
        moved: of what rounding changes, times the original's.
        moved_square: of the same times itself.
        changes: the greatest change by a run from states that differ by more.
        changed: of these changes times the original's updates.
    """

    square: Array
    along: Array
    unit: Array
    size: Array
    apart: Array
    noise: Array
    moved: Array
    moved_square: Array
    changes: Array
    changed: Array


def length(name: str, original: Trace, migrated: Trace, tolerance: Tolerance) -> Finding | None:
    """Compares the length of all updates together.

    None where the variable is not trained or is compared otherwise. Slots are left out: of 0.999,
    1 - beta is known to 1e-5 in float32, and optimizers of Keras compute it in float64.

    Args:
        name: of the variable.
        original: whose updates these are.
        migrated: the program with others.
        tolerance: for them.
    """
    if name not in original.trainable or not is_by_rule(name, original, tolerance):
        return None
    steps = joined(
        [
            _steps_of(part)
            for part in UpdatesOfSteps(name, original, migrated, tolerance.noise).parts()
        ]
    )
    square = float(np.sum(steps.square))
    if not square or not np.isfinite(square) or not np.isfinite(steps.along).all():
        return None
    along = abs(float(np.sum(steps.along))) / square
    rounding = _SIGMAS * float(np.sqrt(np.sum(steps.unit))) / square
    noise = _noise_of_length(steps, tolerance) / square
    limit = max(_LENGTH * (tolerance.share / Tolerance().share), FACTOR * noise) + rounding
    # Ports compute Adam's corrections in float64.
    limit += float((migrated.meta.get("native") or {}).get("rounding_of_powers", 0.0))
    limit += _rounding_of_corrections(name, original, steps.square)
    one = np.ones(1)
    return Finding(one, along * one, noise * one, limit * one)


def _steps_of(updates: Updates) -> _Steps:
    old = updates.old
    base, moved = updates.noise or (old, old)
    moved = moved - base
    changes = np.stack(updates.wide) if updates.wide else np.zeros((0, *old.shape))
    with np.errstate(invalid="ignore", over="ignore"):
        return _Steps(
            np.sum(old**2, axis=1),
            np.sum((updates.new - old) * old, axis=1),
            np.sum((updates.unit * old) ** 2, axis=1),
            *measured(old, updates.new, updates.noise, updates.unit),
            np.sum(moved * old, axis=1),
            np.sum(moved**2, axis=1),
            np.abs(changes).max(axis=2, initial=0.0),
            np.sum(changes * old, axis=2),
        )


def _rounding_of_corrections(name: str, original: Trace, lengths: Array) -> float:
    """Returns to what share the length is known of updates that Adam of tf.keras 1.x makes.

    It raises beta to the number of the step in float32 each time: of 0.999, 1 - beta has four
    digits in the first step. TensorFlow 1.15 and 2.21 round differently.
    """
    slots = [each for each in original.variables if each.endswith((f"/{name}/m", f"/{name}/v"))]
    if len(slots) != 2:  # those of tf.train have other names, and keep the powers
        return 0.0
    scope = slots[0][: -len(f"/{name}/m")]
    steps = np.arange(1, len(lengths) + 1)
    known = np.zeros(len(lengths))
    for beta, share in (("beta_1", 1.0), ("beta_2", 0.5)):
        rate = float(original.initial.get(f"{scope}/{beta}", _BETAS[beta]))
        known += share * float(np.finfo(np.float32).eps) / (1 - rate**steps)
    return float(np.sum(known * lengths) / np.sum(lengths))


def _noise_of_length(steps: _Steps, tolerance: Tolerance) -> float:
    """Returns how far rounding may change the sum of the products of updates and others.

    In one run the changes may cancel: they are taken as changes without a common sign, too. Where
    they are of the updates' size, the products change by their squares, whatever the signs.
    """
    # What noise is in any step, it may be in every step.
    judged = tolerance.by_rule(Measured(steps.size, steps.apart, steps.noise))
    usual = float(np.sqrt(np.sum(judged.noise**2 * steps.square)))
    of_units = abs(float(np.sum(steps.moved))), float(np.sum(steps.moved_square)) / 2
    return max(*of_units, usual, _decided_length(steps, judged, tolerance))


def _decided_length(steps: _Steps, judged: Finding, tolerance: Tolerance) -> float:
    """Returns the same of decisions (``switches.py``): of the greatest, in as many steps as any."""
    if not len(steps.changes):
        return 0.0
    decided = steps.changes > tolerance.share * judged.size
    count = np.count_nonzero(decided.any(axis=0) | (judged.apart > tolerance.share * judged.size))
    along = np.where(decided, np.abs(steps.changed), 0.0)
    return float(np.sqrt(count) * along.max())
