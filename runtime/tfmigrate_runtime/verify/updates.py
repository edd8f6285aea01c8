"""How far each step moves each variable, in both programs.

A program in lock-step begins every step with the original's variables: what it holds after a step
shows that step's update alone. Where a program ran freely, its updates begin where it was itself.
"""

from dataclasses import dataclass, replace

import numpy as np

from tfmigrate_runtime.verify.tolerance import FACTOR, Finding, Noise, Tolerance
from tfmigrate_runtime.verify.trace import Array, Trace

# Of the order in which towers update an average: the mean of both orders is known to this share of
# what the order changes (exactly for two towers).
_SHARE_OF_ORDER = 0.1
# The length of all updates together: no right program's is off by more than 1.9e-6, where the
# single updates are known to 1e-4.
_LENGTH = 5e-6
ROUNDING_ALONE = 0.25  # of an update
_SIGMAS = 2.0
_BETAS = {"beta_1": 0.9, "beta_2": 0.999}  # of Adam where they are no variables
_LAST_PLACES = 8  # that sums in another order may be apart


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
    return is_numbers and tolerance.variable is None and tolerance.loose_rule(name) is None


def updates_of(name: str, original: Trace, migrated: Trace, noise: Noise | None) -> Updates:
    """Returns the updates of a variable of numbers that both programs have."""
    values, others = original.variables[name], migrated.variables[name]
    starts = starts_of(original, name)
    own = starts if is_followed(migrated, name) else starts_of(migrated, name)
    old, new = _flat(values) - starts, _flat(others) - own
    unit = _unit(values, starts, _flat(others), own)
    if noise is None:
        return Updates(old, new, unit, starts)
    arrays = [run.variables.get(name) for run in (noise.base, noise.moved, *noise.wide)]
    if any(run is None or run.shape != values.shape for run in arrays):
        return Updates(old, new, unit, starts)
    base, moved, *wide = (_flat(run) for run in arrays if run is not None)
    pair = base - starts, moved - starts
    return Updates(old, new, unit, starts, pair, tuple(run - base for run in wide))


def _orders(name: str, original: Trace, updates: Updates) -> list[Updates]:
    """Returns the updates as they may be where a run updates a variable in no order.

    In the order of the original's run they are what is given; in the other, where that is known,
    and in the middle of both, as of replicas that update it once by their mean.
    """
    if len(original.other_order.get(name, ())) != len(updates.old):
        return [updates]
    last = _flat(original.other_order[name]) - starts_of(original, name)
    half = (last - updates.old) / 2
    middle = updates.old + half
    near = middle, middle + 2 * _SHARE_OF_ORDER / FACTOR * half
    return [updates, replace(updates, old=last), replace(updates, old=middle, noise=near)]


def compared(name: str, original: Trace, migrated: Trace, tolerance: Tolerance) -> Finding:
    """Compares a variable step by step; ``old`` and ``new`` have one shape."""
    values, others = original.variables[name], migrated.variables[name]
    rule = tolerance.loose_rule(name)
    absolute = tolerance.variable if rule is None else rule.tolerance
    if values.dtype.kind not in "f" or not values.size:
        return tolerance.judged(values, others, absolute=absolute)
    updates = updates_of(name, original, migrated, tolerance.noise)
    if absolute is not None:
        whole = tolerance.judged(_flat(values), _flat(others), unit=updates.unit, absolute=absolute)
        size = np.abs(updates.old).max(axis=1, initial=0.0)
        # float32 cannot hold large values to any absolute difference.
        last = _LAST_PLACES * float(updates.unit.max(initial=0.0)) if absolute else 0.0
        return replace(whole, size=size, limit=np.full(len(values), max(absolute, last)))
    best: Finding | None = None
    for each in _orders(name, original, updates):
        other = _with_rounding_alone(
            tolerance.judged(each.old, each.new, each.noise, unit=each.unit)
        )
        best = other if best is None else best.nearer(other)
    assert best is not None
    return best


def _with_rounding_alone(finding: Finding) -> Finding:
    """Allows an update that is nothing but rounding three times its size.

    Where one unit in the last place of the state changes a quarter of it, other kernels change it
    all: 0.43 of the bias before batch normalization in WangYueFt/dgcnn, which has 1.4 in 2.21.
    """
    is_rounding = finding.noise > ROUNDING_ALONE * finding.size
    limit = np.maximum(finding.limit, FACTOR * finding.size)
    return replace(finding, limit=np.where(is_rounding, limit, finding.limit))


def length(name: str, original: Trace, migrated: Trace, tolerance: Tolerance) -> Finding | None:
    """Compares the length of all updates together: a fault too small for any single one.

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
    updates = updates_of(name, original, migrated, tolerance.noise)
    square = float(np.sum(updates.old**2))
    if not square or not np.isfinite(updates.old).all() or not np.isfinite(updates.new).all():
        return None
    along = abs(float(np.sum((updates.new - updates.old) * updates.old))) / square
    rounding = _SIGMAS * float(np.sqrt(np.sum((updates.unit * updates.old) ** 2))) / square
    noise = 0.0
    if updates.noise is not None:
        noise = _noise_of_length(updates, tolerance) / square
    limit = max(_LENGTH * (tolerance.share / Tolerance().share), FACTOR * noise) + rounding
    # Ports compute Adam's corrections in float64.
    limit += float((migrated.meta.get("native") or {}).get("rounding_of_powers", 0.0))
    limit += _rounding_of_corrections(name, original, updates.old)
    one = np.ones(1)
    return Finding(one, along * one, noise * one, limit * one)


def _rounding_of_corrections(name: str, original: Trace, own_updates: Array) -> float:
    """Returns to what share the length is known of updates that Adam of tf.keras 1.x makes.

    It raises beta to the number of the step in float32 each time: of 0.999, 1 - beta has four
    digits in the first step. TensorFlow 1.15 and 2.21 round differently.
    """
    slots = [each for each in original.variables if each.endswith((f"/{name}/m", f"/{name}/v"))]
    if len(slots) != 2:  # those of tf.train have other names, and keep the powers
        return 0.0
    scope = slots[0][: -len(f"/{name}/m")]
    steps = np.arange(1, len(own_updates) + 1)
    known = np.zeros(len(own_updates))
    for beta, share in (("beta_1", 1.0), ("beta_2", 0.5)):
        rate = float(original.initial.get(f"{scope}/{beta}", _BETAS[beta]))
        known += share * float(np.finfo(np.float32).eps) / (1 - rate**steps)
    lengths = np.sum(own_updates**2, axis=1)
    return float(np.sum(known * lengths) / np.sum(lengths))


def _noise_of_length(updates: Updates, tolerance: Tolerance) -> float:
    """Returns how far rounding may change the sum of the products of updates and others.

    In one run the changes may cancel: they are taken as changes without a common sign, too. Where
    they are of the updates' size, the products change by their squares, whatever the signs.
    """
    assert updates.noise is not None
    moved = updates.noise[1] - updates.noise[0]
    # What noise is in any step, it may be in every step.
    judged = tolerance.judged(updates.old, updates.new, updates.noise, unit=updates.unit)
    usual = np.sqrt(np.sum((judged.noise[:, np.newaxis] * updates.old) ** 2))
    of_units = abs(float(np.sum(moved * updates.old))), float(np.sum(moved**2)) / 2
    return max(*of_units, float(usual), _decided_length(updates, judged, tolerance))


def _decided_length(updates: Updates, judged: Finding, tolerance: Tolerance) -> float:
    """Returns the same of decisions (``switches.py``): of the greatest, in as many steps as any."""
    if not updates.wide:
        return 0.0
    changes = np.stack(updates.wide)
    steps = np.abs(changes).max(axis=2) > tolerance.share * judged.size
    count = np.count_nonzero(steps.any(axis=0) | (judged.apart > tolerance.share * judged.size))
    along = np.where(steps, np.abs(np.sum(changes * updates.old, axis=2)), 0.0)
    return float(np.sqrt(count) * along.max())


def rebased(moved: Trace, states: Trace, original: Trace) -> Trace:
    """Returns a run from moved states as if each of its steps had begun as the original's.

    Args:
        moved: the run.
        states: what it followed.
        original: whose states these are but for rounding.
    """
    variables = dict(moved.variables)
    for name, values in moved.variables.items():
        known = name in states.variables and is_followed(moved, name)
        if not known or values.dtype.kind != "f" or len(values) != len(states.variables[name]):
            continue
        shift = starts_of(original, name) - starts_of(states, name)
        variables[name] = (_flat(values) + shift).reshape(values.shape)
    models = [
        rebased(*three) for three in zip(moved.models, states.models, original.models, strict=False)
    ]
    return replace(moved, variables=variables, models=models)


def starts_of(trace: Trace, name: str) -> Array:
    """Returns what each recorded step of a free run began with."""
    if name in trace.starts:
        return _flat(trace.starts[name])
    first = trace.initial[name].astype(np.float64).reshape(1, -1)
    return np.concatenate([first, _flat(trace.variables[name])[:-1]])


def _flat(values: Array) -> Array:
    return np.asarray(values.reshape(len(values), -1), np.float64)


def _unit(values: Array, *held: Array) -> Array:
    """Returns by element one unit in the last place of what the variable held."""
    greatest = np.abs(_flat(values))
    for each in held:
        greatest = np.maximum(greatest, np.abs(each))
    return float(np.finfo(values.dtype).eps) * greatest
