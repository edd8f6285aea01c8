"""Measurements of runs of programs that are not reproducible, and a test of several runs.

A final loss alone hides most of what a wrong migration changes. So a run is measured by its first
loss, its loss in each quarter of the curve, how far every trainable variable has moved after some
of the steps, the length of its updates, and its evaluation metrics. All of them enter one
permutation test, which assumes nothing about how they are distributed or depend on each other: the
labels "original" and "migrated" are exchanged in all ways, and p is the share of ways that separate
the runs as clearly as the true labels do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, expm1

import numpy as np

from tfmigrate_runtime.verify.traces.trace import Array, Trace

LAST_SHARE = 4  # the final loss is the mean over the last quarter of the steps
FINAL_LOSS = "final loss"
_MOVED = "logarithm of how far"  # names of what is measured as a logarithm begin so
_PARTS_OF_THE_WAY = (0.0, 0.125, 0.25, 0.5, 1.0)
_MOST_SPLITS = 20_000  # that are tried one by one; more are sampled
_MOST_VARIABLES = 60  # the largest; more cost time and add little
_NOTHING = 1e-30
# Differences below this share of a quantity are no finding where programs can be compared step by
# step, and rounding grows in runs that are free. It is what moves a variable that hardly moves at
# all: biases of a model that starts from one constant moved by 1e-10 of what its weights did, in
# each version of TensorFlow by another 1e-10, and no other chance reached them.
_ROUNDING = 1e-4
_LEAST_MOVED = 1e-6  # of the variable that moves most

Measured = dict[str, float]


@dataclass(frozen=True)
class Found:
    """The result of a test of two groups of runs.

    Attributes:
        chance: p.
        clearest: the quantities that differ most for their spread, with the mean of each group.
    """

    chance: float
    clearest: tuple[tuple[str, float, float], ...]


def measured(tasks: Mapping[str, Trace]) -> Measured:
    """Returns the measurements of a run.

    Args:
        tasks: the traces of its tasks by their names; of one process, one trace.
    """
    measurements: Measured = {}
    losses = []
    for task, trace in tasks.items():
        lead = f"{task}: " if len(tasks) > 1 else ""
        if len(trace.loss):
            losses.append(last_losses(trace))
            measurements.update({lead + name: value for name, value in _of_losses(trace).items()})
        measurements.update({lead + name: value for name, value in _of_variables(trace).items()})
        measurements.update({lead + name: value for name, value in _of_evaluations(trace).items()})
    if losses:
        measurements[FINAL_LOSS] = float(np.mean(np.concatenate(losses)))
    return measurements


def final_loss(tasks: Mapping[str, Trace]) -> float:
    """Returns the mean loss of all workers over the last quarter of their steps."""
    return measured(tasks)[FINAL_LOSS]


def last_losses(trace: Trace) -> Array:
    """Returns the losses of the last quarter of the steps."""
    return trace.loss[-max(1, len(trace.loss) // LAST_SHARE) :]


def _of_losses(trace: Trace) -> Measured:
    quarters = np.array_split(trace.loss, min(LAST_SHARE, len(trace.loss)))
    named = {f"loss in quarter {n} of the steps": q for n, q in enumerate(quarters, start=1)}
    means = {name: float(np.mean(values)) for name, values in named.items()}
    return {**means, "first loss": float(trace.loss[0]), "mean loss": float(np.mean(trace.loss))}


def _of_variables(trace: Trace) -> Measured:
    measurements: Measured = {}
    count = len(trace.variable_step)
    names = [name for name in trace.trainable if name in trace.variables and count]
    names = [name for name in names if trace.variables[name].dtype.kind == "f"]
    names.sort(key=lambda name: -trace.initial[name].size)
    ways = {n: float(np.linalg.norm(trace.variables[n][-1] - trace.initial[n])) for n in names}
    least = _LEAST_MOVED * max(ways.values(), default=0.0)
    for name in names[:_MOST_VARIABLES]:
        values = trace.variables[name].reshape(count, -1).astype(np.float64)
        start = trace.initial[name].reshape(-1).astype(np.float64)
        for part in _PARTS_OF_THE_WAY:
            row = round(part * (count - 1))
            way = _logarithm(float(np.linalg.norm(values[row] - start)), least)
            measurements[f"{_MOVED} {name} moved after {part:.0%} of the steps"] = way
        steps = np.diff(np.concatenate([start[np.newaxis], values]), axis=0)
        length = float(np.mean(np.linalg.norm(steps, axis=1)))
        measurements[f"{_MOVED} an update moves {name}"] = _logarithm(length, least)
    return measurements


def _logarithm(length: float, least: float) -> float:
    return float(np.log(max(length, least, _NOTHING)))


def _of_evaluations(trace: Trace) -> Measured:
    return {
        f"{name} of evaluation {number}": float(value)
        for number, metrics in enumerate(trace.evaluations, start=1)
        for name, value in metrics.items()
        if np.size(value) == 1 and np.asarray(value).dtype.kind in "biuf"
    }


def compare_groups(first: Sequence[Measured], second: Sequence[Measured]) -> Found:
    """Tests whether two groups of runs can be of one program, by all their measurements."""
    names = [name for name in first[0] if all(name in run for run in (*first, *second))]
    rows = [[run[name] for name in names] for run in (*first, *second)]
    values = _with_numbers(np.array(rows, np.float64).reshape(len(rows), len(names)))
    spread = np.ptp(values, axis=0) > _ROUNDING * _size(values)
    names = [name for name, differs in zip(names, spread, strict=True) if differs]
    values = values[:, spread]
    if not names:
        return Found(1.0, ())
    clear = _clearness(values, _splits(len(rows), len(first)))
    order = np.argsort(-clear[0])[:3]
    count = len(first)
    clearest = tuple(
        _shown(names[i], float(values[:count, i].mean()), float(values[count:, i].mean()))
        for i in order
    )
    ranks = np.minimum(_shares(clear.sum(axis=1)), _shares(clear.max(axis=1)))
    return Found(float(np.mean(ranks <= ranks[0] + 1e-12)), clearest)


def _shown(name: str, *means: float) -> tuple[str, float, float]:
    """Returns a quantity and two means in readable form, without logarithms."""
    if _MOVED in name:
        name = name.replace("logarithm of ", "")
        means = tuple(float(np.exp(mean)) for mean in means)
    return name, means[0], means[1]


def one_draw(runs: Sequence[Measured]) -> Sequence[Measured]:
    """Returns one of several runs that are all the same: they are one draw, not several."""
    return runs[:1] if all(run == runs[0] for run in runs) else runs


def least_chance(first: int, second: int) -> float:
    """Returns the smallest p that a test of this many runs can have."""
    return (2 if first == second else 1) / comb(first + second, first)


def visible(first: Sequence[float], second: Sequence[float]) -> float:
    """Returns the difference of means that such a test finds four times out of five, roughly.

    (z of 0.99 + z of 0.8) standard errors of a difference of two means.
    """
    groups = [np.asarray(group) for group in (first, second)]
    variance = float(np.mean([np.var(g, ddof=1) for g in groups if len(g) > 1] or [0.0]))
    return (2.33 + 0.84) * float(np.sqrt(variance * sum(1 / len(g) for g in groups)))


def visible_movement(first: Sequence[Measured], second: Sequence[Measured]) -> tuple[str, float]:
    """Returns the movement that is seen best, and the change of it that is found."""
    names = [n for n in first[0] if _MOVED in n and all(n in r for r in (*first, *second))]
    shares = {n: visible([r[n] for r in first], [r[n] for r in second]) for n in names}
    if not shares:
        return "", float("inf")
    best = min(shares, key=shares.__getitem__)
    return best.replace("logarithm of ", ""), expm1(min(shares[best], 50.0))


def _with_numbers(values: Array) -> Array:
    """Returns the values with very large ones in place of NaN and inf."""
    finite = np.isfinite(values)
    greatest = np.where(finite, np.abs(values), 0.0).max(axis=0)
    return np.where(finite, values, 1e3 * np.maximum(greatest, 1.0))


def _size(values: Array) -> Array:
    size: Array = np.abs(values).max(axis=0)
    return size


def _splits(total: int, count: int) -> Array:
    """Returns ways to choose a first group as rows of bools, the true one first."""
    if comb(total, count) <= _MOST_SPLITS:
        chosen: list[tuple[int, ...]] = list(combinations(range(total), count))
    else:
        rng = np.random.default_rng(0)
        drawn = (rng.permutation(total)[:count] for _ in range(_MOST_SPLITS - 1))
        chosen = [tuple(range(count)), *(tuple(int(i) for i in row) for row in drawn)]
    masks = np.zeros((len(chosen), total), bool)
    for row, members in zip(masks, chosen, strict=True):
        row[list(members)] = True
    return masks


def _clearness(values: Array, masks: Array) -> Array:
    """Returns by split and quantity how clearly it separates the groups: a likelihood ratio."""
    values = values - values.mean(axis=0)
    inside = masks.astype(np.float64)
    sizes = inside.sum(axis=1, keepdims=True)
    others = len(values) - sizes
    means = inside @ values / sizes, (1 - inside) @ values / others
    total = (values**2).sum(axis=0)
    between = sizes * means[0] ** 2 + others * means[1] ** 2
    within = np.maximum(total - between, 0.0) + (_ROUNDING * _size(values)) ** 2
    clear: Array = np.log1p(between / within)
    return clear


def _shares(values: Array) -> Array:
    """Returns for each value which share of all is at least as large."""
    slack = 1e-9 * max(1.0, float(np.abs(values).max()))
    return 1.0 - np.searchsorted(np.sort(values), values - slack, side="left") / len(values)
