"""What rounding does to a program: it is run in lock-step once more, from states moved by rounding.

Every float of every recorded state is multiplied by 1 + e, with |e| of at most one unit in the last
place. How far each loss, update and result is then from what it was is the noise that any other
way to compute the same sums may have. In lock-step each step has only its own: it does not grow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from tfmigrate_runtime.verify.compare_batch import first_batch
from tfmigrate_runtime.verify.recording import Recording
from tfmigrate_runtime.verify.states_file import write_states
from tfmigrate_runtime.verify.tolerance import Noise, Tolerance
from tfmigrate_runtime.verify.trace import Array, Results, Trace, at_common_steps
from tfmigrate_runtime.verify.updates import is_followed, rebased, updates_of

_LOSS = 1e-3  # a share of a loss: no step in lock-step turns rounding into more
_RESULTS = 0.1, 1e-5  # the same of results, and in any case
_UPDATES = 0.1  # the same of updates; where a gradient is nothing but rounding it may be all


def measured(
    whose: str,
    pair: tuple[Trace, Trace],
    rerun: Callable[[Path], Recording],
    states: Path,
) -> Noise | None:
    """Measures the noise of one of two programs.

    Args:
        whose: "original" or "migrated program".
        pair: the original's trace, and the migrated program's.
        rerun: runs that program from the states in a file.
        states: where to write them.

    Returns:
        The noise; None where the run differs by more than rounding: it draws other random numbers.
    """
    original, migrated = pair
    base = original if whose == "original" else migrated
    moved_states = _moved(original)
    write_states(states, moved_states)
    again = rerun(states).chief
    if not _is_same_program(base, again):
        return None
    # A migrated program may make other steps than the original: only common ones are measured.
    original, base = at_common_steps(original, base)
    again, moved_states = (at_common_steps(run, base)[0] for run in (again, moved_states))
    noise = Noise(whose, base, rebased(again, moved_states, original))
    return noise if _is_rounding(original, noise) else None


def _moved(trace: Trace, seed: int = 0) -> Trace:
    """Returns the states of a trace moved by rounding."""
    rng = np.random.default_rng(seed)
    return replace(
        trace,
        initial=_moved_values(trace.initial, rng),
        variables=_moved_values(trace.variables, rng),
        models=[_moved(model, seed + number) for number, model in enumerate(trace.models, 1)],
    )


def _moved_values(values: Results, rng: np.random.Generator) -> Results:
    return {name: _moved_array(array, rng) for name, array in values.items()}


def _moved_array(values: Array, rng: np.random.Generator) -> Array:
    if values.dtype.kind != "f":
        return values
    unit = float(np.finfo(values.dtype).eps)
    moved = values * (1 + unit * rng.uniform(-1, 1, values.shape))
    return np.asarray(moved).astype(values.dtype)


def _is_same_program(base: Trace, again: Trace) -> bool:
    """Whether a run makes the same steps, of the same form, from the same first batch."""
    return (
        base.loss.shape == again.loss.shape
        and np.array_equal(base.variable_step, again.variable_step)
        and base.variables.keys() == again.variables.keys()
        and all(base.variables[n].shape == v.shape for n, v in again.variables.items())
        and first_batch(base, again).same
    )


def _is_rounding(original: Trace, noise: Noise) -> bool:
    """Whether two runs differ by rounding only, not by random numbers."""
    if not np.array_equal(np.isfinite(noise.base.loss), np.isfinite(noise.moved.loss)):
        return False
    found = Tolerance(noise=noise).losses(original.loss, original.loss)
    usual = float(np.median(found.size)) if len(found.size) else 0.0
    if (found.noise > _LOSS * np.maximum(found.size, usual)).any():
        return False
    if any(_beyond(*pair) for pair in _results(noise)):
        return False
    shares = []
    for name in original.trainable:
        values = noise.moved.variables.get(name)
        if values is None or values.dtype.kind != "f" or not is_followed(noise.moved, name):
            continue
        made = updates_of(name, original, noise.base, noise)
        if made.noise is None or not np.abs(made.old).max(initial=0.0):
            continue
        judged = Tolerance().judged(made.old, made.old, made.noise, unit=made.unit)
        shares.append(float(judged.noise.max() / judged.size.max()))
    return not shares or float(np.median(shares)) <= _UPDATES


def _results(noise: Noise) -> Iterator[tuple[Array, Array]]:
    """Yields the results of both runs that have the same form."""
    base, moved = noise.base, noise.moved
    for kind in ("evaluations", "predictions"):
        for first, second in zip(getattr(base, kind), getattr(moved, kind), strict=False):
            yield from ((first[name], second[name]) for name in first if name in second)
    yield base.fetched, moved.fetched


def _beyond(first: Array, second: Array) -> bool:
    """Whether results differ by more than rounding."""
    old, new = np.asarray(first), np.asarray(second)
    if old.shape != new.shape or old.dtype.kind != "f":
        return False
    share, least = _RESULTS
    limit = np.maximum(share * np.abs(old), least)
    return bool((np.abs(new - old) > limit).any())
