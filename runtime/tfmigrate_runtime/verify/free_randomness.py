"""Programs that are not the same twice: their final losses are compared as distributions.

Random numbers that the recorder cannot pin (a generator that takes its seed from the clock, threads
that fill a queue) make two runs of one program differ. Then no step can be compared, but the losses
that several runs end with can: by a permutation test, which assumes nothing about how they are
distributed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np

from tfmigrate_runtime.verify import compare, compare_towers
from tfmigrate_runtime.verify.compare import Outcome, Samples
from tfmigrate_runtime.verify.ladder import Rung, Verdict
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Trace, at_common_steps

NAME = "final loss of several runs"
LEAST_RUNS = 5  # of each; with four the smallest p is 0.029, and nothing could ever differ
_LEFT_TO_CHANCE = (
    "same initial values, batch",
    "same loss at every step",
    "same variables and slots",
    "same calls and results",
)
_SIGNIFICANT = 0.02
_LAST_SHARE = 4  # the final loss is the mean over the last quarter of the steps
_MOST_SPLITS = 20_000  # that are tried one by one; more are sampled


def differs_from_itself(first: Trace, again: Trace, tolerance: Tolerance) -> bool:
    """Says whether two runs of one program differ in steps, initial values, losses or variables."""
    if not _start_from_the_same(first, again):
        return True
    first, again = at_common_steps(first, again)
    checks = (compare.steps, compare_towers.losses, compare.variables)
    return any(not check(first, again, tolerance).same for check in checks)


def _start_from_the_same(first: Trace, again: Trace) -> bool:
    """Compares the bits that each run started from by itself, before any were copied to it."""
    return first.initial.keys() == again.initial.keys() and all(
        first.started_from(name).tobytes() == again.started_from(name).tobytes()
        for name in first.initial
    )


def final_loss(trace: Trace) -> float:
    """Returns the mean loss over the last quarter of the steps."""
    return float(np.mean(trace.loss[-max(1, len(trace.loss) // _LAST_SHARE) :]))


class Runs(Samples):
    """The runs of both programs, and how they compare."""

    def outcome(self) -> Outcome:
        """Returns how the two compare, as the outcome of a rung."""
        chance = chance_of_difference(self.original, self.migrated)
        means = float(np.mean(self.original)), float(np.mean(self.migrated))
        spread = float(np.sqrt((np.var(self.original) + np.var(self.migrated)) / 2))
        visible = _visible(len(self.original), spread)
        shown = [", ".join(f"{x:.5g}" for x in runs) for runs in (self.original, self.migrated)]
        details = (
            f"{len(self.original)} runs of the original end at {shown[0]}; "
            f"{len(self.migrated)} of the migrated program at {shown[1]}.",
            f"Means {means[0]:.6g} and {means[1]:.6g}; a difference of means as large as this one "
            f"comes in {chance:.2g} of all ways to tell these runs apart.",
            f"So few runs show a difference of about {visible:.2g} and more; a smaller one would "
            "go unnoticed.",
        )
        same = chance > _SIGNIFICANT
        limit = f"p > {_SIGNIFICANT:g}"
        return Outcome(same, f"p = {chance:.2g}", limit, details, samples=self)


def told_apart(
    verdict: Verdict,
    traces: tuple[Trace, Trace],
    again: Callable[[int], Trace],
    runs: int,
    tolerance: Tolerance,
    original_is_stored: bool,
) -> Verdict:
    """Looks whether a difference is one of the programs or of chance.

    Where one of the programs is not the same twice, both are run several times, and the rungs that
    chance decides are replaced by one on their final losses.

    Args:
        verdict: what the ladder came to.
        traces: the original's and the migrated program's.
        again: runs one of them, by its position in ``traces``, once more.
        runs: how many of each, at least LEAST_RUNS.
        tolerance: how close they had to be.
        original_is_stored: whether the original's trace is a stored one. What is run now may be
            another program then (other arguments, other sources), and says nothing about it.
    """
    failed = verdict.failed
    if failed is None or failed.name not in _LEFT_TO_CHANCE:
        return verdict
    repeated: list[list[Trace]] = [[trace] for trace in traces]
    for side in (1,) if original_is_stored else (1, 0):
        repeated[side].append(again(side))
        if differs_from_itself(repeated[side][0], repeated[side][1], tolerance):
            break
    else:
        return verdict
    which = ("original", "migrated program")[side]
    if original_is_stored:
        repeated[0] = []
    for traces_of in repeated:
        while len(traces_of) < max(runs, LEAST_RUNS):
            traces_of.append(again(0 if traces_of is repeated[0] else 1))
    losses = [tuple(final_loss(trace) for trace in traces_of) for traces_of in repeated]
    reason = f"The {which} is not the same twice: this is left to chance."
    free = Outcome(True, "free", "", (reason,), skipped=True)
    rungs = [
        replace(rung, outcome=free) if rung.number >= failed.number else rung
        for rung in verdict.rungs
    ]
    last = Rung(len(rungs) + 1, NAME, Runs(losses[0], losses[1]).outcome())
    return replace(verdict, rungs=(*rungs, last))


def chance_of_difference(first: Sequence[float], second: Sequence[float]) -> float:
    """Returns the p value of the two-sided permutation test on the difference of means.

    A run that ended without a finite loss counts as one with a very large loss.
    """
    values = np.array([*first, *second], np.float64)
    finite = values[np.isfinite(values)]
    greatest = float(np.abs(finite).max()) if finite.size else 1.0
    values = np.where(np.isfinite(values), values, 1e3 * max(greatest, 1.0))
    count = len(first)
    seen = abs(values[:count].mean() - values[count:].mean())
    slack = 1e-12 * max(1.0, float(np.abs(values).max()))
    splits = _splits(len(values), count)
    at_least = 0
    for chosen in splits:
        mask = np.zeros(len(values), bool)
        mask[list(chosen)] = True
        at_least += abs(values[mask].mean() - values[~mask].mean()) >= seen - slack
    return at_least / len(splits)


def _splits(total: int, count: int) -> list[tuple[int, ...]]:
    if comb(total, count) <= _MOST_SPLITS:
        return list(combinations(range(total), count))
    rng = np.random.default_rng(0)
    drawn = (rng.permutation(total)[:count] for _ in range(_MOST_SPLITS - 1))
    return [tuple(range(count)), *(tuple(int(i) for i in indices) for indices in drawn)]


def _visible(runs: int, spread: float) -> float:
    """Returns the difference of means that such a test finds four times out of five, roughly.

    (z of 0.99 + z of 0.8) standard errors of a difference of two means.
    """
    return (2.33 + 0.84) * spread * float(np.sqrt(2 / runs))
