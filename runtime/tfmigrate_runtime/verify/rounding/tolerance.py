"""How far two programs may differ and still train the same: one rule for all that is compared.

    apart <= max(share * size, FACTOR * noise)

* size: the greatest element of what the original computed: of a variable, how far a step moves it.
* apart: the greatest difference of an element, less what the number's type cannot hold.
* noise: the same, between two runs of one program that differ by rounding only. It is measured
  where apart exceeds the share of the size; in lock-step it does not grow, so that what it was in
  any step is what it may be in every step.

Kernels of two versions of TensorFlow differ by some units in the last place, which sums of terms
with both signs lift to 2e-5 of an update at most (verification.md has the measurements); the share
is five times that. The noise is a sample of what right programs differ by, whose greatest value is
compared with its own greatest value.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from tfmigrate_runtime.verify.traces.trace import Array, Trace, at_common_steps

Rows = TypeVar("Rows", bound="tuple[Any, ...]")

SHARE = 1e-4
FACTOR = 3.0
_PARTS = ("size", "apart", "noise", "limit")  # of a Finding
_SMALL = 0.1  # of the usual size: what moves less has no share of its own

# In traces without a fixed order of the towers' updates their averages are known to this.
_IN_NO_ORDER = 5e-3
_AVERAGES = ("*moving_mean", "*moving_variance")


@dataclass(frozen=True)
class Loose:
    """Variables that need not be equal, and how close they must be.

    Attributes:
        pattern: a shell pattern for their names.
        tolerance: the largest absolute difference.
        reason: why they cannot be equal.
    """

    pattern: str
    tolerance: float
    reason: str


@dataclass(frozen=True)
class Noise:
    """Two runs of one program, step by step from states that differ by rounding only.

    Attributes:
        whose: "original" or "migrated program".
        base: the one run.
        moved: the other; its variables are what rounding changes of the updates of ``base``.
        wide: the same from states that differ by more (``switches.py``), where these were needed.
        again: runs of which only the steps that were made again are moved (``samples.py``).
        same: whether these gave equal bits from the states that they were made from.
    """

    whose: str
    base: Trace
    moved: Trace
    wide: tuple[Trace, ...] = ()
    again: tuple[Trace, ...] = ()
    same: bool = False

    def changed(self, change: Callable[[Trace], Trace]) -> Noise:
        """Returns the noise of other traces."""
        wide = tuple(change(run) for run in self.wide)
        return Noise(self.whose, change(self.base), change(self.moved), wide, same=self.same)


@dataclass(frozen=True)
class Finding:
    """The comparison of one array, row by row.

    Attributes:
        size: of what the original computed.
        apart: how far the migrated program is from it.
        noise: how far rounding alone moves it.
        limit: how far it may be.
    """

    size: Array
    apart: Array
    noise: Array
    limit: Array

    @property
    def beyond(self) -> Array:
        """The rows that are too far apart."""
        return np.flatnonzero(~(self.apart <= self.limit))

    @property
    def quotients(self) -> Array:
        """By row, the share of what is allowed that it is apart."""
        return divided(self.apart, self.limit)

    @property
    def quotient(self) -> float:
        """The greatest share of what is allowed that a row is apart."""
        return float(np.max(self.quotients, initial=0.0))

    def nearer(self, other: Finding) -> Finding:
        """Returns by row that of two comparisons which uses less of what is allowed."""
        first = self.quotients <= other.quotients
        pairs = (getattr(each, name) for name in _PARTS for each in (self, other))
        return Finding(*(np.where(first, a, b) for a, b in zip(pairs, pairs, strict=True)))

    @property
    def relative(self) -> tuple[float, float]:
        """How far the row with that share is apart and may be, as shares of its size."""
        if not len(self.apart):
            return 0.0, 0.0
        row = int(np.argmax(self.quotients))
        if not self.size[row] and not self.apart[row]:
            return 0.0, SHARE  # nothing moved, in either program
        return float(divided(self.apart, self.size)[row]), float(
            divided(self.limit, self.size)[row]
        )


class Measured(NamedTuple):
    """What is measured of one array, row by row, before the rule is applied.

    Attributes:
        size: of what the original computed.
        apart: how far the migrated program is from it.
        noise: how far two runs are apart that differ by rounding; 0 where none were made.
    """

    size: Array
    apart: Array
    noise: Array


@dataclass(frozen=True)
class Tolerance:
    """How close the programs must be.

    Attributes:
        share: of the size.
        loss: of losses, and ``variable`` of variables, ``metric`` of results: an absolute
            difference that was asked for instead of the rule (0.0: equal bits), a share of what is
            greater than one; None for the rule.
        loose: exceptions for variables.
        noise: what rounding does to one of the programs; None while that is not measured. Of a
            cluster, the chief's.
        of_tasks: the same by the names of a cluster's tasks; empty for one process.
    """

    share: float = SHARE
    loss: float | None = None
    variable: float | None = None
    metric: float | None = None
    loose: tuple[Loose, ...] = field(default=())
    noise: Noise | None = None
    of_tasks: Mapping[str, Noise] = field(default_factory=dict)

    def of_task(self, name: str) -> Tolerance:
        """Returns the tolerance for a task of a cluster; for one process, this one."""
        if not self.of_tasks:
            return self
        return replace(self, noise=self.of_tasks.get(name), of_tasks={})

    def of_model(self, number: int) -> Tolerance:
        """Returns the tolerance for the n-th further model, from 0."""
        if (noise := self.noise) is None:
            return self
        runs = (noise.base, noise.moved, *noise.wide)
        is_known = all(len(run.models) > number for run in runs)
        model_noise = noise.changed(lambda run: run.models[number]) if is_known else None
        return replace(self, noise=model_noise)

    def up_to(self, steps: int) -> Tolerance:
        """Returns the tolerance for the first steps only."""
        return self._with_runs(lambda run: run.up_to(steps))

    def at_steps_of(self, trace: Trace) -> Tolerance:
        """Returns the tolerance for the steps after which a trace has variables."""
        return self._with_runs(lambda run: at_common_steps(run, trace)[0])

    def _with_runs(self, change: Callable[[Trace], Trace]) -> Tolerance:
        return self if self.noise is None else replace(self, noise=self.noise.changed(change))

    def loose_rule(self, name: str) -> Loose | None:
        """Returns the exception that a variable falls under, None for none."""
        return next((rule for rule in self.loose if fnmatch.fnmatchcase(name, rule.pattern)), None)

    def absolute(self, name: str) -> float | None:
        """Returns the absolute difference that was asked for of a variable, None for the rule."""
        rule = self.loose_rule(name)
        return self.variable if rule is None else rule.tolerance

    def is_apart(self, name: str, old: Array, new: Array) -> bool:
        """Returns whether two values of a variable, of one shape, are too far apart."""
        finding = self.judged(old[np.newaxis], new[np.newaxis], absolute=self.absolute(name))
        return len(finding.beyond) > 0

    @property
    def runs(self) -> list[Trace]:
        """Two runs of one program that differ by rounding, where these were made."""
        return [] if self.noise is None else [self.noise.base, self.noise.moved]

    def with_old_averages(self, original: Trace) -> Tolerance:
        """Returns the tolerance for a trace whose towers updated their averages in no order."""
        towers = int(original.meta.get("replicas") or original.replicas_built or 1)
        if "ordered_updates" in original.meta or towers < 2 or "native" in original.meta:
            return self
        reason = "its trace has no order of the towers' updates (semantics.md, 1.11)"
        rules = [Loose(pattern, _IN_NO_ORDER, reason) for pattern in _AVERAGES]
        return replace(self, loose=(*self.loose, *rules))

    def losses(self, old: Array, new: Array, of: str = "loss") -> Finding:
        """Compares losses, whose first axis is the step.

        Args:
            old: the original's.
            new: the migrated program's.
            of: which they are, as an attribute of a trace.
        """
        noise = None
        if self.noise is not None:
            pair = getattr(self.noise.base, of), getattr(self.noise.moved, of)
            # Only sessions and replicas record towers; the noise may be the other program's.
            noise = None if pair[0] is None or pair[1] is None else pair
        # Losses are stored as float64, but they were computed as float32.
        unit = float(np.finfo(np.float32).eps) * np.abs(old)
        return self.judged(old, new, noise, unit=unit, absolute=self.loss)

    def results(
        self,
        old: Sequence[Array],
        new: Sequence[Array],
        noise: Sequence[Sequence[Array]] = (),
        exact: bool = False,
    ) -> Finding:
        """Compares results of one kind, such as a metric of all evaluations: each is a row.

        Args:
            old: the original's, all of one shape.
            new: the migrated program's.
            noise: the same of two runs that differ by rounding, where that is known.
            exact: whether they are whole numbers, which are stored as others.
        """
        rows = [np.stack([np.ravel(each) for each in side]) for side in (old, new)]
        pair = None
        shape = np.shape(old[0])
        if len(noise) == 2 and all(
            len(side) == len(old) and all(np.shape(each) == shape for each in side)
            for side in noise
        ):
            first, second = (np.stack([np.ravel(each) for each in side]) for side in noise)
            pair = first, second
        if exact:
            return replace(self, share=0.0).judged(rows[0], rows[1], pair, unit=np.zeros(1))
        return self.judged(rows[0], rows[1], pair, absolute=self.metric)

    def judged(
        self,
        old: Array,
        new: Array,
        noise: tuple[Array, Array] | None = None,
        unit: Array | None = None,
        absolute: float | None = None,
    ) -> Finding:
        """Applies the rule to the rows of two arrays of one shape.

        Args:
            old: the original's.
            new: the migrated program's.
            noise: the same of two runs that differ by rounding.
            unit: by element what its type cannot hold.
            absolute: how far each may be, instead of the rule.
        """
        if unit is None:
            unit = _unit(old)
        if absolute == 0.0:
            unit = np.zeros(1)
        rows = measured(old, new, noise, unit)
        is_float = old.dtype.kind in "fc"
        if absolute is None or not is_float:
            return self.by_rule(rows, is_float)
        none = np.zeros(len(rows.apart))
        return Finding(rows.size, rows.apart, none, absolute * np.maximum(1.0, rows.size))

    def by_rule(self, rows: Measured, is_float: bool = True) -> Finding:
        """Applies the rule to what was measured; of whole numbers the noise alone is allowed."""
        rounding = _pooled(rows.noise, rows.size)
        share = self.share * rows.size if is_float else np.zeros(len(rows.size))
        return Finding(rows.size, rows.apart, rounding, np.maximum(share, FACTOR * rounding))


def joined(parts: Sequence[Rows]) -> Rows:
    """Returns the rows of all parts, tuples of arrays whose last axis these are."""
    columns = zip(*parts, strict=True)
    return type(parts[0])(*(np.concatenate(column, axis=-1) for column in columns))


def measured(old: Array, new: Array, noise: tuple[Array, Array] | None, unit: Array) -> Measured:
    """Measures the rows of two arrays of one shape; the arguments are those of ``judged``."""
    apart = _apart(old, new, unit)
    rounding = np.zeros(len(apart))
    if noise is not None and noise[0].shape == noise[1].shape == old.shape:
        rounding = _apart(*noise, unit)
    return Measured(_greatest(old), apart, rounding)


def worst_of(findings: Iterable[Finding]) -> Finding | None:
    """Returns the comparison that uses most of what is allowed; None of nothing."""
    return max(findings, key=lambda each: (each.quotient, each.relative[1]), default=None)


def _pooled(noise: Array, sizes: Array) -> Array:
    """Returns by row the greatest noise of any row, of its own or as a share of its size."""
    usual = sizes > _SMALL * np.median(sizes) if len(sizes) else sizes > 0
    finite = np.where(np.isfinite(noise), noise, 0.0)
    share = float(np.max(divided(finite, sizes)[usual], initial=0.0))
    share = share if np.isfinite(share) else 0.0
    return np.asarray(np.maximum(float(np.max(finite, initial=0.0)), share * sizes))


def _unit(values: Array) -> Array:
    """Returns one unit in the last place of each element."""
    if values.dtype.kind != "f":
        return np.zeros(1)
    kind = np.float32 if values.dtype.itemsize > 4 else values.dtype
    unit: Array = float(np.finfo(kind).eps) * np.abs(values.astype(np.float64))
    return unit


def _apart(old: Array, new: Array, unit: Array) -> Array:
    """Returns by row how far elements are apart; of what is not a number, how many differ."""
    first, second = (values.reshape(len(values), -1) for values in (old, new))
    if first.dtype.kind not in "fc" or second.dtype.kind not in "fc":
        counts: Array = (first != second).sum(axis=1).astype(np.float64)
        return counts
    with np.errstate(invalid="ignore"):
        distance = np.abs(np.subtract(second, first, dtype=np.float64))
    if not np.isfinite(distance).all():
        same = (first == second) | (np.isnan(first) & np.isnan(second))
        distance = np.where(same, 0.0, np.where(np.isnan(distance), np.inf, distance))
        unit = np.where(np.isfinite(unit), unit, 0.0)
    distance -= np.broadcast_to(unit, old.shape).reshape(distance.shape)
    return np.asarray(distance.max(axis=1, initial=0.0))


def _greatest(values: Array) -> Array:
    """Returns by row the greatest finite element; 1 of what is not a number."""
    if values.dtype.kind not in "biuf":
        return np.ones(len(values))
    rows = np.abs(values.reshape(len(values), -1)).astype(np.float64, copy=False)
    greatest = rows.max(axis=1, initial=0.0)
    if not np.isfinite(greatest).all():
        greatest = np.where(np.isfinite(rows), rows, 0.0).max(axis=1, initial=0.0)
    return np.asarray(greatest)


def divided(apart: Array, by: Array) -> Array:
    """Returns quotients; of two zeros 0."""
    nothing = np.where(apart > 0, np.inf, 0.0)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(np.divide(apart, by, out=nothing, where=by > 0))
