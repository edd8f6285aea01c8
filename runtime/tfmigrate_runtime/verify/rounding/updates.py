"""How far each step moves each variable, in both programs.

A program in lock-step begins every step with the original's variables: what it holds after a step
shows that step's update alone. Where a program ran freely, its updates begin where it was itself.
"""

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tfmigrate_runtime.verify.rounding.tolerance import (
    FACTOR,
    Finding,
    Noise,
    Tolerance,
    divided,
    joined,
    measured,
)
from tfmigrate_runtime.verify.traces.trace import Array, Trace

# Of the order in which towers update an average: the mean of both orders is known to this share of
# what the order changes (exactly for two towers).
_SHARE_OF_ORDER = 0.1
ROUNDING_ALONE = 0.25  # of an update
_LAST_PLACES = 8  # that sums in another order may be apart
_ALL = slice(None)
_AT_ONCE = 1 << 20  # elements that are compared at once


@dataclass(frozen=True)
class Updates:
    """The updates of one variable.

    Attributes:
        old: the original's [steps, elements], float64.
        new: the migrated program's.
        unit: by element what its type cannot hold.
        starts: what the original's steps began with.
        noise: the updates of two runs that differ by rounding, None where none were made.
        wide: by how much runs from states that differ by more changed the updates.
    """

    old: Array
    new: Array
    unit: Array
    starts: Array
    noise: tuple[Array, Array] | None = None
    wide: tuple[Array, ...] = ()


def is_followed(trace: Trace, name: str) -> bool:
    """Whether a variable began each step as the original's did."""
    follow = trace.meta.get("follow") or {}
    return bool(follow.get("forced")) and name not in follow.get("free", ())


def is_by_rule(name: str, original: Trace, tolerance: Tolerance) -> bool:
    """Returns whether a variable holds numbers for which no absolute difference was asked."""
    values = original.variables[name]
    is_numbers = values.dtype.kind == "f" and values.size > 0
    return is_numbers and tolerance.absolute(name) is None


def updates_of(
    name: str, original: Trace, migrated: Trace, noise: Noise | None, steps: slice = _ALL
) -> Updates:
    """Returns the updates of a variable of numbers that both programs have, of these steps."""
    values, others = original.variables[name][steps], flat(migrated.variables[name][steps])
    starts = starts_of(original, name, steps)
    own = starts if is_followed(migrated, name) else starts_of(migrated, name, steps)
    old, new = flat(values) - starts, others - own
    unit = _unit(values, starts, others, own)
    if noise is None:
        return Updates(old, new, unit, starts)
    arrays = [run.variables.get(name) for run in (noise.base, noise.moved, *noise.wide)]
    if any(run is None or run.shape != original.variables[name].shape for run in arrays):
        return Updates(old, new, unit, starts)
    base, change, *wide = (flat(run[steps]) for run in arrays if run is not None)
    base = base - starts
    return Updates(old, new, unit, starts, (base, base + change), tuple(wide))


@dataclass(frozen=True)
class UpdatesOfSteps:
    """The updates of a variable, computed for a few steps at a time.

    Attributes:
        name: of the variable.
        original: whose updates these are.
        migrated: the program with others.
        noise: of one of both.
    """

    name: str
    original: Trace
    migrated: Trace
    noise: Noise | None

    def at(self, steps: slice) -> Updates:
        """Returns the updates of these steps."""
        return updates_of(self.name, self.original, self.migrated, self.noise, steps)

    def parts(self) -> Iterator[Updates]:
        """Yields the updates of all steps."""
        return map(self.at, parts_of(self.original.variables[self.name]))

    def slots_at(self, steps: slice) -> list[Array]:
        """Returns what the variable's slots, such as a momentum, were before these steps."""
        size = self.original.variables[self.name][:1].size
        return [
            starts_of(self.original, slot, steps)
            for slot, values in self.original.variables.items()
            if is_slot_of(slot, self.name) and values[:1].size == size and values.dtype.kind == "f"
        ]


def is_slot_of(name: str, owner: str) -> bool:
    """Returns whether a variable is named after another one, as slots and averages are."""
    return ("/" + name).rpartition("/")[0].endswith("/" + owner)


def _orders(name: str, original: Trace, updates: Updates, steps: slice) -> list[Updates]:
    """Returns the updates as they may be where a run updates a variable in no order.

    In the order of the original's run they are what is given; in the other, where that is known,
    and in the middle of both, as of replicas that update it once by their mean.
    """
    if len(original.other_order.get(name, ())) != len(original.variables[name]):
        return [updates]
    last = flat(original.other_order[name][steps]) - updates.starts
    half = (last - updates.old) / 2
    middle = updates.old + half
    near = middle, middle + 2 * _SHARE_OF_ORDER / FACTOR * half
    return [updates, replace(updates, old=last), replace(updates, old=middle, noise=near)]


def compared(name: str, original: Trace, migrated: Trace, tolerance: Tolerance) -> Finding:
    """Compares a variable step by step; ``old`` and ``new`` have one shape."""
    values, others = original.variables[name], migrated.variables[name]
    absolute = tolerance.absolute(name)
    if values.dtype.kind not in "f" or not values.size:
        return tolerance.judged(values, others, absolute=absolute)
    if absolute is not None:
        updates = updates_of(name, original, migrated, None)
        whole = tolerance.judged(flat(values), flat(others), unit=updates.unit, absolute=absolute)
        size = np.abs(updates.old).max(axis=1, initial=0.0)
        # float32 cannot hold large values to any absolute difference.
        last = _LAST_PLACES * float(updates.unit.max(initial=0.0)) if absolute else 0.0
        return replace(whole, size=size, limit=np.full(len(values), max(absolute, last)))
    by_steps = [
        [
            measured(each.old, each.new, each.noise, each.unit)
            for each in _orders(
                name, original, updates_of(name, original, migrated, tolerance.noise, steps), steps
            )
        ]
        for steps in parts_of(values)
    ]
    findings = [
        _with_rounding_alone(tolerance.by_rule(joined(rows)))
        for rows in zip(*by_steps, strict=True)
    ]
    return functools.reduce(Finding.nearer, findings)


def parts_of(values: Array) -> Iterator[slice]:
    """Yields the steps of a variable, few at a time where it is large.

    The arrays that are computed of all its steps at once are so large that the system clears their
    memory anew for each: that was most of the time of comparing a convolutional network.
    """
    count = max(_AT_ONCE * len(values) // values.size, 1)
    for first in range(0, len(values), count):
        yield slice(first, first + count)


def _with_rounding_alone(finding: Finding) -> Finding:
    """Allows an update that is nothing but rounding three times its size.

    Where one unit in the last place of the state changes a quarter of it, other kernels change it
    all: 0.43 of the bias before batch normalization in WangYueFt/dgcnn, which has 1.4 in 2.21.
    """
    is_rounding = finding.noise > ROUNDING_ALONE * finding.size
    limit = np.maximum(finding.limit, FACTOR * finding.size)
    return replace(finding, limit=np.where(is_rounding, limit, finding.limit))


def rounding_of(name: str, original: Trace, noise: Noise) -> float | None:
    """Returns how much rounding changes most of a variable's updates, each as a share of its size.

    Not in its worst step: there it may have decided for a unit, which changed the updates of the
    scales of a frozen batch normalization by a third.

    Returns:
        The share; None of a variable that is not known in both runs, holds no floats, or never
        moves.
    """
    values = original.variables[name]
    if values.dtype.kind != "f" or not values.size:
        return None
    rows = []
    for updates in UpdatesOfSteps(name, original, noise.base, noise).parts():
        if updates.noise is None:
            return None
        rows.append(measured(updates.old, updates.old, updates.noise, updates.unit))
    of_steps = joined(rows)
    if not of_steps.size.any():
        return None
    return float(np.median(divided(of_steps.noise, of_steps.size)))


def with_changes(moved: Trace, base: Trace, states: Trace, original: Trace) -> Trace:
    """Returns a run from moved states with the changes of its updates in place of its variables.

    Its values would need eight bytes each to hold what rounding changes.

    Args:
        moved: the run.
        base: the same program's from the original's states.
        states: what the run followed.
        original: whose states these are but for rounding.
    """

    def change(name: str, values: Array) -> Array:
        own = base.variables[name]
        if values.dtype.kind != "f" or values.shape != own.shape:
            return values
        follows = is_followed(moved, name) and len(states.variables.get(name, ())) == len(values)
        of_steps = np.empty(values.shape, np.promote_types(values.dtype, np.float32))
        for part in parts_of(values) if values.size else ():
            difference = flat(values[part]) - flat(own[part])
            if follows:
                difference -= starts_of(states, name, part) - starts_of(original, name, part)
            of_steps[part] = difference.reshape(of_steps[part].shape)
        return of_steps

    known = {name: v for name, v in moved.variables.items() if name in base.variables}
    models = zip(moved.models, base.models, states.models, original.models, strict=False)
    return replace(
        moved,
        variables={name: change(name, values) for name, values in known.items()},
        models=[with_changes(*runs) for runs in models],
    )


def starts_of(trace: Trace, name: str, steps: slice = _ALL) -> Array:
    """Returns what these recorded steps of a free run began with."""
    if name in trace.starts:
        return flat(trace.starts[name][steps])
    first, end, _ = steps.indices(len(trace.variables[name]))
    if first > 0:
        return flat(trace.variables[name][first - 1 : end - 1])
    initial = trace.initial[name].astype(np.float64).reshape(1, -1)
    return np.concatenate([initial, flat(trace.variables[name][: max(end - 1, 0)])])[:end]


def flat(values: Array) -> Array:
    """Returns the rows of values as float64, each in one dimension."""
    return np.asarray(values.reshape(len(values), math.prod(values.shape[1:])), np.float64)


def _unit(values: Array, *held: Array) -> Array:
    """Returns by element one unit in the last place of what the variable held."""
    greatest = np.abs(flat(values))
    for each in held:
        np.maximum(greatest, np.abs(each), out=greatest)
    greatest *= float(np.finfo(values.dtype).eps)
    return greatest
