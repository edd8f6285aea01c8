"""How far rounding alone changes a program, and whether that explains a difference.

A network with batch normalization or ReLUs turns the last bit of a sum into a difference of its
first digits within some steps. So where a strict comparison fails, the original is run again with
a different number of threads, which adds in a different order, and from initial values changed by
one unit in the last place. How much its values change, at each step and in each variable, is its
sensitivity. The migrated program may differ by a stated factor of that, and no update may differ by
more than a small share where the original's own updates do not: rounding is tiny in the first
steps, a wrong learning rate, batch or loss is not.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from tfmigrate_runtime.verify.compare import OWN_MOVEMENT, Outcome
from tfmigrate_runtime.verify.differences import greatest_difference
from tfmigrate_runtime.verify.ladder import CHECKPOINTS, Verdict, climb, compared_by
from tfmigrate_runtime.verify.structure import event_values_of, with_saves_in_order
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Array, Results, Trace, at_common_steps

FACTOR = 10.0  # as in OWN_MOVEMENT; other kernels round more than other thread counts
# Parts in the order of steps: rounding grows along it.
_BY_STEP = ("loss", "tower_loss", "variables", "fetched", "step_fetched", "event_values")
# Parts that are compared bit for bit even where rounding explains others.
_EXACT = ("meta", "step", "variable_step", "initial", "batch", "checkpoint", "restored", "written")
_NO_NUMBERS = (*_EXACT, "drawn", "laws", "fixed")
_SAME_START = 1e-4  # of the first loss: a larger difference is not rounding
_OTHER_START = 1e-2  # of first updates: if all differ by more, it is not rounding
_SAME_UPDATE = 1e-3  # of an update's length
_ROUNDED_SHARE = 1e-6  # of a loss: less than this is rounding
_GROWTH = 300.0  # that rounding has in one step at most
_LAST_PLACES = 8


@dataclass(frozen=True)
class Moved:
    """Runs of one program that differ by rounding only.

    Attributes:
        whose: "original" or "migrated program".
        base: one run.
        others: further runs, with different rounding.
        how: what was changed, in words.
    """

    whose: str
    base: Trace
    others: tuple[Trace, ...]
    how: str


def may_be_rounding(verdict: Verdict, original: Trace, migrated: Trace) -> bool:
    """Whether rounding can explain a difference: the first step is about equal then."""
    failed = verdict.failed
    if failed is None or failed.number <= 3 or failed.name == CHECKPOINTS:
        return False
    if original.loss.shape != migrated.loss.shape:
        return False
    first = original.loss[0], migrated.loss[0]
    if not np.isfinite(first).all() or abs(first[1] - first[0]) > _SAME_START * _scale(first):
        return False
    shares = _first_updates(original, migrated)
    return not shares or min(shares) <= _OTHER_START


def _first_updates(original: Trace, migrated: Trace) -> list[float]:
    """Returns by which shares of their lengths the first updates differ, variable by variable."""
    shares = []
    for name in original.trainable:
        old, new = original.variables.get(name), migrated.variables.get(name)
        if old is None or new is None or not len(old) or old.shape != new.shape:
            continue
        first, second = (
            np.ravel(values[0].astype(np.float64) - original.initial[name].astype(np.float64))
            for values in (old, new)
        )
        if first.any():
            apart = float(np.linalg.norm(second - first) / np.linalg.norm(first))
            shares.append(apart)
    return shares


def grows_like_rounding(first: Trace, again: Trace) -> bool:
    """Whether two runs diverge slowly, as by rounding, not at once, as by a random number."""
    if first.loss.shape != again.loss.shape or first.initial.keys() != again.initial.keys():
        return False
    if any(
        value.tobytes() != again.initial[name].tobytes() for name, value in first.initial.items()
    ):
        return False
    with np.errstate(invalid="ignore"):
        apart = np.abs(first.loss - again.loss) / np.maximum(np.abs(first.loss), 1e-12)
    apart = np.maximum.accumulate(np.nan_to_num(apart, nan=0.0, posinf=0.0))
    before = np.concatenate([[0.0], apart[:-1]])
    if not (apart <= _GROWTH * np.maximum(before, _ROUNDED_SHARE)).all():
        return False
    if any(_jumps(name, first, again) for name in first.variables.keys() & again.variables.keys()):
        return False
    variables = _share(first.variables, again.variables)
    results = max(
        (
            _share(old, new)
            for name in ("evaluations", "predictions")
            for old, new in zip(getattr(first, name), getattr(again, name), strict=False)
        ),
        default=0.0,
    )
    return results <= _GROWTH * max(variables, _ROUNDED_SHARE)


def _jumps(name: str, first: Trace, again: Trace) -> bool:
    """Whether a variable that no optimizer updates diverges at once.

    Those that one updates may: where a gradient is nothing but rounding, so is its sign.
    """
    if any(name == own or name.startswith(f"{own}/") for own in first.trainable):
        return False
    old, new = first.variables[name], again.variables[name]
    if Tolerance().loose_rule(name) is not None or old.shape != new.shape or not old.size:
        return False
    if old.dtype.kind != "f":
        return not np.array_equal(old, new)
    size = max(float(np.nanmax(np.abs(old))), 1e-12)
    apart = np.linalg.norm(_flat(new) - _flat(old), axis=1) / size
    first_apart = apart[np.flatnonzero(apart > 0)[:1]]
    return bool((first_apart > _GROWTH * _ROUNDED_SHARE).any())


def _share(first: Results, second: Results) -> float:
    """Returns the greatest difference of any array, as a share of its greatest value."""
    shares = [0.0]
    for name, old in first.items():
        if name in second and old.dtype.kind == "f" and old.size:
            size = max(float(np.nanmax(np.abs(old))), 1e-12)
            shares.append(greatest_difference(old, second[name]).size / size)
    return max(shares)


def shows_at_once(original: Trace, migrated: Trace, moved: Moved) -> bool:
    """Whether rounding does not even explain the first update: further runs show no more then."""
    base, *others = (run.up_to(1) for run in (moved.base, *moved.others))
    moved = replace(moved, base=base, others=tuple(others))
    return bool(_other_updates(original.up_to(1), migrated.up_to(1), moved))


def write_nudged(trace: Trace, target: Path, seed: int = 0) -> None:
    """Writes initial values that are one unit in the last place from a trace's, up or down."""
    rng = np.random.default_rng(seed)
    values = {}
    for name, value in trace.initial.items():
        values[f"initial/{name}"] = value
        if name in trace.trainable and value.dtype.kind == "f":
            where = np.where(rng.random(value.shape) < 0.5, -np.inf, np.inf).astype(value.dtype)
            nudged = np.nextafter(value, where)
            values[f"initial/{name}"] = np.where(value == 0, value, nudged).astype(value.dtype)
    values["meta"] = np.asarray(json.dumps(trace.meta))
    with target.open("wb") as stream:
        np.savez(stream, **cast(Any, values))


def judged(
    verdict: Verdict, original: Trace, migrated: Trace, tolerance: Tolerance, moved: Moved
) -> Verdict:
    """Judges a difference by how far one of the programs moves by rounding.

    Args:
        verdict: of the strict comparison, which fails.
        original: the original's trace.
        migrated: the migrated program's.
        tolerance: how close they had to be.
        moved: runs of the original, or where it cannot be run of the migrated program.

    Returns:
        A verdict that is the same where rounding explains all, else the given one, with what was
        found.
    """
    original, migrated, run, *runs = map(
        with_saves_in_order, (original, migrated, moved.base, *moved.others)
    )
    moved = replace(moved, base=run, others=tuple(runs))
    for run in (migrated, moved.base, *moved.others):
        original = at_common_steps(original, run)[0]
    migrated = at_common_steps(original, migrated)[1]
    base = at_common_steps(original, moved.base)[1]
    others = tuple(at_common_steps(original, run)[1] for run in moved.others)
    others = tuple(run for run in others if _is_comparable(base, run))
    if not others or not _is_comparable(original, base) or verdict.failed is None:
        return verdict
    moved = replace(moved, base=base, others=others)
    updates = _other_updates(original, migrated, moved)
    allowed = _trace_within(original, migrated, [moved.base, *moved.others])
    apart = {name: migrated.variables[name] for name in updates}
    allowed = replace(allowed, variables={**allowed.variables, **apart})
    again = climb(original, allowed, tolerance, verdict.warnings)
    summary = _summary(original, migrated, moved)
    if again.failed is not None:
        found = [*updates.values()][:1] or [
            f"The migrated program differs by more than {FACTOR:g} times that: rounding does not "
            "explain the difference."
        ]
        return verdict.with_details(summary, *found)
    rungs = []
    for rung in again.rungs:
        outcome = compared_by(rung.name, original, migrated, tolerance)
        if not outcome.same and rung.outcome is not None:
            note = _note(original, moved)
            outcome = Outcome(True, outcome.figure, OWN_MOVEMENT, (summary, *note))
        rungs.append(replace(rung, outcome=outcome))
    return replace(again, rungs=tuple(rungs))


def _is_comparable(first: Trace, other: Trace) -> bool:
    return (
        first.loss.shape == other.loss.shape
        and np.array_equal(first.step, other.step)
        and np.array_equal(first.variable_step, other.variable_step)
        and first.variables.keys() == other.variables.keys()
        and all(first.variables[n].shape == v.shape for n, v in other.variables.items())
    )


def _trace_within(original: Trace, migrated: Trace, runs: Sequence[Trace]) -> Trace:
    original, *runs = (
        replace(run, event_values=event_values_of(run, migrated)) for run in (original, *runs)
    )
    changes = {
        field.name: _allowed(
            getattr(original, field.name),
            getattr(migrated, field.name),
            [getattr(run, field.name) for run in runs],
            field.name in _BY_STEP,
        )
        for field in fields(migrated)
        if field.name not in _NO_NUMBERS
    }
    return replace(migrated, **changes)


def _allowed(original: Any, migrated: Any, runs: Sequence[Any], by_step: bool) -> Any:
    """Returns a part of a trace with the original's numbers where they are near enough."""
    if isinstance(migrated, Trace):  # a further model of the program
        return _trace_within(original, migrated, runs)
    if isinstance(migrated, dict) and all(isinstance(run, dict) for run in (original, *runs)):
        return {
            key: _allowed(original[key], value, [run[key] for run in runs], by_step)
            if all(key in run for run in (original, *runs))
            else value
            for key, value in migrated.items()
        }
    if isinstance(migrated, list):
        if any(len(run) != len(migrated) for run in (original, *runs)):
            return migrated
        return [
            _allowed(original[i], value, [run[i] for run in runs], by_step)
            for i, value in enumerate(migrated)
        ]
    arrays = [np.asarray(item) for item in (original, migrated, *runs)]
    if migrated is None or len({(array.shape, array.dtype.kind) for array in arrays}) > 1:
        return migrated
    old, new, base, *others = arrays
    if old.dtype.kind != "f" or not old.size:
        return _allowed_flips(old, new, base, others)
    limit = FACTOR * _spread(base, others, by_step)
    limit = limit.reshape(limit.shape + (1,) * (old.ndim - limit.ndim))
    with np.errstate(invalid="ignore"):
        near = np.abs(new.astype(np.float64) - old.astype(np.float64)) <= limit
    return np.where(near, old, new).astype(old.dtype)


def _allowed_flips(old: Array, new: Array, base: Array, others: Sequence[Array]) -> Array:
    """Returns the original's classes and counts where no more of them differ than by rounding."""
    own = max(int((other != base).sum()) for other in others)
    return old if int((old != new).sum()) <= FACTOR * own else new


def _spread(base: Array, others: Sequence[Array], by_step: bool) -> Array:
    """Returns by how much the base moves: of all elements, or of those of each step so far."""
    with np.errstate(invalid="ignore"):
        apart = [np.abs(o.astype(np.float64) - base.astype(np.float64)) for o in others]
    worst = np.nan_to_num(np.max(apart, axis=0), nan=0.0, posinf=0.0)
    if not by_step or not worst.ndim:
        return np.asarray(worst.max(initial=0.0))
    by_row: Array = worst.reshape(len(worst), -1).max(axis=1)
    return np.maximum.accumulate(by_row)


def _other_updates(original: Trace, migrated: Trace, moved: Moved) -> dict[str, str]:
    """Returns the trainable variables whose updates no rounding explains, and where."""
    found = {}
    for name in original.trainable:
        parts = [run.variables.get(name) for run in (original, migrated, moved.base, *moved.others)]
        starts = [run.initial.get(name) for run in (original, migrated, moved.base, *moved.others)]
        if any(part is None or part.dtype.kind != "f" or not part.size for part in parts):
            continue
        old, new, base, *others = (
            _updates(start, part) for start, part in zip(starts, parts, strict=True)
        )
        own = np.max([np.linalg.norm(other - base, axis=1) for other in others], axis=0)
        apart, length = np.linalg.norm(new - old, axis=1), np.linalg.norm(old, axis=1)
        size = np.linalg.norm(_flat(original.variables[name]), axis=1)
        last = _LAST_PLACES * float(np.finfo(original.variables[name].dtype).eps) * size
        limit = np.maximum(_SAME_UPDATE * length, FACTOR * np.maximum.accumulate(own)) + last
        beyond = np.flatnonzero(~(apart <= limit))
        if len(beyond):
            row = int(beyond[0])
            found[name] = (
                f"The update of {name} at step {int(original.variable_step[row])} differs by "
                f"{apart[row] / max(length[row], 1e-30):.2g} of its length, runs of the "
                f"{moved.whose} itself by {own[: row + 1].max() / max(length[row], 1e-30):.2g}: "
                "rounding does not explain the difference."
            )
    return found


def _updates(start: Any, values: Any) -> Array:
    rows = np.concatenate([np.asarray(start, np.float64).reshape(1, -1), _flat(values)])
    return np.diff(rows, axis=0)


def _flat(values: Array) -> Array:
    return values.reshape(len(values), -1).astype(np.float64)


def _summary(original: Trace, migrated: Trace, moved: Moved) -> str:
    """Describes how much rounding changes the one, and how far the other is away."""
    own = max(_worst(moved.base, other) for other in moved.others)
    loss = max(greatest_difference(moved.base.loss, other.loss).size for other in moved.others)
    theirs = greatest_difference(original.loss, migrated.loss).size
    return (
        f"Rounding alone changes the {moved.whose} by up to {loss:.2g} in the loss and "
        f"{own[0]:.2g} in {own[1]} ({moved.how}); the migrated program differs by up to "
        f"{theirs:.2g} and {_worst(original, migrated)[0]:.2g}."
    )


def _worst(first: Trace, second: Trace) -> tuple[float, str]:
    """Returns the greatest difference of any variable, and its name."""
    sizes = [
        (greatest_difference(values, second.variables[name]).size, name)
        for name, values in first.variables.items()
        if name in second.variables
    ]
    return max(sizes, default=(0.0, "variables"))


def _note(original: Trace, moved: Moved) -> tuple[str, ...]:
    """Describes the tolerance, and from which step on it is too wide to show much."""
    allowed = f"{FACTOR:g} times that was allowed for each step and each variable."
    limit = FACTOR * _spread(moved.base.loss, [run.loss for run in moved.others], True)
    little = np.flatnonzero(limit > 0.1 * np.abs(original.loss))
    if not len(little):
        return (allowed,)
    step = int(original.step[little[0]])
    return (
        allowed,
        f"From step {step} on this is more than a tenth of the loss: from there on the comparison "
        "shows little.",
    )


def _scale(values: Sequence[float]) -> float:
    return max(1e-12, *(abs(float(value)) for value in values))
