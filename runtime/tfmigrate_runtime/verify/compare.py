"""Comparing the training of two traces: its steps, variables and losses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfmigrate_runtime.verify.differences import (
    Difference,
    close,
    greatest_difference,
    how_far,
    how_many,
)
from tfmigrate_runtime.verify.tolerance import Tolerance, moved
from tfmigrate_runtime.verify.trace import Array, Results, Trace
from tfmigrate_runtime.verify.wording import counted

_RATIO_TOLERANCE = 1e-3  # how close a ratio must be to N or 1/N to be reported as such
OWN_MOVEMENT = "10 x its own"  # tolerance: a multiple of what rounding alone changes
FIRST_STEP_DIFFERS = (
    "The initial values are the same, so the first step has a different batch or a different loss. "
    "Check global_batch and loss_reduction (TFM201), then the input pipeline."
)
DEPENDS_ON_CHANCE = "depends on chance"  # figure of a rung that is skipped for that reason


@dataclass(frozen=True)
class Samples:
    """The final losses of several runs of programs that are not reproducible.

    Attributes:
        original: the final loss of each run of the original.
        migrated: of the migrated program.
    """

    original: tuple[float, ...]
    migrated: tuple[float, ...]


@dataclass(frozen=True)
class Outcome:
    """The result of one comparison.

    Attributes:
        same: whether it holds.
        figure: the measured figure, in a few words.
        tolerance: what it was measured against, "" for exact comparisons.
        details: what differs and the likely cause, or notes where it holds.
        skipped: it could not be compared; ``details`` has the reason.
        samples: the final losses, where several runs were compared.
        reservations: what the verdict adds to "the same", in a few words each.
        not_compared: what of the rung was not compared, with the reason, in a few words each.
        decided: False where the findings show neither that it holds nor that it fails.
    """

    same: bool
    figure: str
    tolerance: str = ""
    details: tuple[str, ...] = ()
    skipped: bool = False
    samples: Samples | None = None
    reservations: tuple[str, ...] = ()
    not_compared: tuple[str, ...] = ()
    decided: bool = True


def steps(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Rung 1: both programs trained, for the same global steps."""
    ours, theirs = len(migrated.step), len(original.step)
    if ours == theirs and np.array_equal(original.step, migrated.step):
        return Outcome(True, counted(ours, "step"))
    hint = "the number of steps, or of batches in the input, changed"
    if ours == theirs:
        hint = "global_step counts differently"
    details = (
        f"The original ran {theirs} steps (to global_step {original.step[-1]}), the migrated "
        f"program {ours} (to global_step {migrated.step[-1]}): {hint}.",
        *_losses_before_the_end(original, migrated, tolerance),
    )
    return Outcome(False, f"{theirs} and {ours} steps", "", details)


def _losses_before_the_end(
    original: Trace, migrated: Trace, tolerance: Tolerance
) -> tuple[str, ...]:
    """Describes where losses differ before one program ends: early stopping may follow from it."""
    count = min(len(original.loss), len(migrated.loss))
    limits = tolerance.limits_of_losses(original.loss)[:count]
    apart = ~close(original.loss[:count], migrated.loss[:count], limits)
    if not apart.any():
        return ()
    first = int(np.argmax(apart))
    return (
        f"The loss already differs at step {int(original.step[first])}: "
        f"original {original.loss[first]:.9g}, migrated {migrated.loss[first]:.9g}. This may be "
        "why the number of steps differs.",
    )


def trainable_variables(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Rung 2: the same trainable variables, by name, shape and dtype."""
    del tolerance
    details = []
    for name in sorted({*original.trainable, *migrated.trainable}):
        if name not in migrated.trainable:
            details.append(f"{name} is only in the original.")
        elif name not in original.trainable:
            details.append(f"{name} is only in the migrated program.")
        else:
            old, new = original.initial[name], migrated.initial[name]
            if (old.shape, old.dtype) != (new.shape, new.dtype):
                details.append(
                    f"{name} is {_kind(old)} in the original, {_kind(new)} in the migrated program."
                )
    if {*original.trainable} != {*migrated.trainable}:
        details.append("Check variable scopes and layer names: checkpoints depend on them.")
    parameters = sum(original.initial[name].size for name in original.trainable)
    figure = f"{len(original.trainable)} ({counted(parameters, 'parameter')})"
    if details:
        figure = f"{len(original.trainable)} and {len(migrated.trainable)} variables"
    return Outcome(not details, figure, "", tuple(details))


def losses(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Rung 4: the same loss at every step."""
    if original.loss.shape != migrated.loss.shape:
        counts = f"{len(original.loss)} and {len(migrated.loss)} steps"
        details = _losses_before_the_end(original, migrated, tolerance)
        return Outcome(False, counts, "", details)
    worst = greatest_difference(original.loss, migrated.loss)
    limits = tolerance.limits_of_losses(original.loss)
    figure, limit = f"{worst.size:.1e}", f"{limits[worst.index]:.0e}"
    apart = ~close(original.loss, migrated.loss, limits)
    if not apart.any():
        return Outcome(True, figure, limit)
    first = int(np.argmax(apart))
    old, new = float(original.loss[first]), float(migrated.loss[first])
    lines = [
        f"The loss first differs at step {int(original.step[first])}: original {old:.9g}, "
        f"migrated {new:.9g}{_ratio(old, new, migrated)}.",
        f"Losses differ at {int(apart.sum())} of {len(apart)} steps; the largest difference, "
        f"{worst.size:.3g}, is at step {int(original.step[worst.index[0]])}.",
        *_first_variable(original, migrated, tolerance),
    ]
    if first == 0:
        lines.append(FIRST_STEP_DIFFERS)
    return Outcome(False, figure, limit, tuple(lines))


def variables(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Rung 5: the same variables and optimizer slots at every recorded step."""
    missing = sorted(set(original.variables) ^ set(migrated.variables))
    if missing:
        return Outcome(
            False,
            f"{len(missing)} missing",
            "",
            (
                *(
                    f"{name} is only in the "
                    f"{'original' if name in original.variables else 'migrated program'}."
                    for name in missing
                ),
                "Check the optimizer and the layers that create these variables.",
            ),
        )
    if not len(original.variable_step):
        return Outcome(
            False, "no common step", "", ("No step has recorded variables in both traces.",)
        )
    worst = {
        name: greatest_difference(values, migrated.variables[name])
        for name, values in original.variables.items()
    }
    limits = _limits(original, tolerance)
    lowered = [name for name in worst if limits[name] < tolerance.of_variable(name)]
    limit = f"{'≤ ' if lowered else ''}{tolerance.variable:.0e}"
    strict = {name: d.size for name, d in worst.items() if tolerance.loose_rule(name) is None}
    figure = f"{max(strict.values(), default=0.0):.1e}"
    failed = [name for name, d in worst.items() if not d.size <= limits[name]]
    if failed:
        details = _first_variable(original, migrated, tolerance)
        strictest = min(failed, key=limits.__getitem__)
        if strictest in lowered:
            details.append(
                f"The tolerance of {strictest} is {limits[strictest]:.0e}, 1 % of how far it moves,"
                f" instead of {tolerance.variable:.0e}. Pass --variable-tolerance to use one "
                "tolerance for all variables."
            )
        limit = f"{limits[strictest]:.0e}"
        return Outcome(False, f"{len(failed)} of {len(worst)} differ", limit, tuple(details))
    notes = _loose_notes(worst, tolerance) + _unmoved_notes(original, tolerance)
    if lowered:
        least = min(limits[name] for name in lowered)
        notes.append(
            f"A tighter tolerance, 1 % of the movement (down to {least:.0e}), was used for "
            f"{counted(len(lowered), 'variable')} that hardly moved."
        )
    farthest = max(strict, key=strict.__getitem__, default="")
    if strict.get(farthest, 0.0) > tolerance.variable:
        limit = f"{limits[farthest]:.0e}"
        reached = float(np.nanmax(np.abs(original.variables[farthest])))
        notes.append(f"{farthest} reaches {reached:.2g}, where float32 is only exact to {limit}.")
    compared, trained = len(original.variable_step), len(original.step)
    if compared < trained:
        notes.insert(0, f"Variables were compared after {compared} of {trained} steps.")
    left_out = (f"variables of {trained - compared} steps",) if compared < trained else ()
    return Outcome(True, figure, limit, tuple(notes), not_compared=left_out)


def _first_variable(original: Trace, migrated: Trace, tolerance: Tolerance) -> list[str]:
    """Describes the variable that differs most at the first step where any does."""
    shared = [n for n in original.variables if n in migrated.variables]
    shared = [n for n in shared if original.variables[n].shape == migrated.variables[n].shape]
    limits = _limits(original, tolerance)
    for position, step in enumerate(original.variable_step):
        found = []
        for name in shared:
            old, new = original.variables[name][position], migrated.variables[name][position]
            worst = greatest_difference(old, new)
            if not worst.size <= limits[name]:
                found.append((worst.size, name, worst, old, new))
        if not found:
            continue
        _, name, worst, old, new = max(found, key=lambda item: item[0])
        before = original.initial if position == 0 else None
        update = _update_ratio(name, worst, before, migrated)
        return [
            f"Variables first differ at step {int(step)}: {len(found)} of {len(shared)} differ, "
            f"{name} the most, in {how_many(old, new, limits[name])}{update}.",
            *how_far(name, old, new, limits[name]),
        ]
    return ["All recorded variables are the same: the loss differs, the updates do not."]


def _limits(original: Trace, tolerance: Tolerance) -> dict[str, float]:
    """Returns how far each variable may be from the original's."""
    return {
        name: tolerance.limit_of_variable(name, original.initial[name], values)
        for name, values in original.variables.items()
    }


def _unmoved_notes(original: Trace, tolerance: Tolerance) -> list[str]:
    """Names variables that hardly train: their equality is weak evidence."""
    names = [
        name
        for name in original.trainable
        if moved(original.initial[name], original.variables[name]) <= tolerance.variable
    ]
    if not names:
        return []
    return [
        f"{len(names)} of {len(original.trainable)} trainable variables moved by no more than the "
        f"tolerance, so the comparison says little about them: {', '.join(names)}."
    ]


def _update_ratio(name: str, worst: Difference, initial: Results | None, migrated: Trace) -> str:
    """Describes the ratio of the first updates, where the first step is the one that differs."""
    if initial is None or name not in initial:
        return ""
    start = float(initial[name][worst.index])
    return _ratio(
        worst.original - start,
        worst.migrated - start,
        migrated,
        "; where it differs most, the updates have",
    )


def _ratio(old: float, new: float, migrated: Trace, lead: str = ",") -> str:
    """Describes new/old, and notes where it is the number of replicas or its inverse."""
    if not np.isfinite(old) or not np.isfinite(new) or old == 0:
        return ""
    ratio = new / old
    text = f"{lead} ratio {ratio:.6g}"
    replicas = int(migrated.meta.get("replicas") or 1)
    for factor, name in ((float(replicas), str(replicas)), (1 / replicas, f"1/{replicas}")):
        if replicas > 1 and abs(ratio - factor) <= _RATIO_TOLERANCE * factor:
            text += f" = {name}, with {replicas} replicas: the batch or the loss scale is wrong"
    return text


def _loose_notes(worst: dict[str, Difference], tolerance: Tolerance) -> list[str]:
    notes = []
    for rule in tolerance.loose:
        sizes = [d.size for name, d in worst.items() if tolerance.loose_rule(name) is rule]
        if sizes:
            notes.append(
                f"A wider tolerance, {rule.tolerance:.0e}, was used for "
                f"{counted(len(sizes), 'variable')} matching {rule.pattern} (largest difference "
                f"{max(sizes):.1e}): {rule.reason}."
            )
    return notes


def _kind(array: Array) -> str:
    return f"{array.dtype} {list(array.shape)}"
