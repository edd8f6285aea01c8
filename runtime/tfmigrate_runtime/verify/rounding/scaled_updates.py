"""Updates that differ by multiples of what is known: no rounding explains these, however large.

A unit that rounding puts on the other side of zero passes its gradient to some elements. Another
learning rate, limit or decay changes all of them alike: what is between the two programs follows
from the update, the value and the slots. Of a slot it is a share of the gradient and one of its
value; of Nesterov's momentum, a share of the slot.

So what follows from these is allowed neither the noise of rounding nor its decisions. A small net
(two convolutions below a frozen batch normalization) needs that: rounding decided in three of 14
steps and changed updates by 0.2 of their size, which was then allowed in all of them, and a weight
decay of 0.0005 that the original has not was called the same.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tfmigrate_runtime.verify.rounding.tolerance import FACTOR, Finding
from tfmigrate_runtime.verify.rounding.updates import UpdatesOfSteps
from tfmigrate_runtime.verify.traces.trace import Array

_ALIKE = 0.01  # of the difference
_LAST_PLACES = 4  # a difference of fewer is nothing but rounding
_SOME = 4096  # elements
_PARALLEL = 1e-12
_MOST = 0.5  # of the steps that differ
# Elements, in all steps, that are not fitted: by chance each is within a hundredth once in hundred.
_FREE = 14
_FITTED = 1  # more than the vectors that are known: gradients of a softmax's bias sum to zero


def is_scaled(updates: UpdatesOfSteps, rows: Sequence[int] | Array) -> bool:
    """Returns whether updates differ by multiples of the gradient, value or slots in all steps.

    Args:
        updates: of one variable.
        rows: the steps; there is no difference where there are none.
    """
    free = [_free_elements(updates, int(row)) for row in rows]
    return all(free) and sum(free) >= _FREE


def without_noise(finding: Finding, updates: UpdatesOfSteps, share: float) -> Finding:
    """Returns a comparison that allows rounding nothing in steps that differ by such multiples.

    Args:
        finding: the comparison of one variable.
        updates: its updates.
        share: of the size, that is allowed in any case.
    """
    least = share * finding.size
    rows = np.flatnonzero((finding.apart > least) & (finding.apart <= finding.limit)).tolist()
    free = {row: count for row in rows if (count := _free_elements(updates, row))}
    if len(free) <= _MOST * len(rows) or sum(free.values()) < _FREE:
        return finding
    if _scales(updates, least):
        return finding
    limit, scaled = finding.limit.copy(), list(free)
    limit[scaled] = least[scaled]
    return replace(finding, limit=limit)


def _scales(updates: UpdatesOfSteps, least: Array) -> bool:
    """Returns whether rounding itself changes updates alike: of a unit, all that are clipped."""
    noise = [
        np.abs(each.noise[1] - each.noise[0]).max(axis=1)
        for each in updates.parts()
        if each.noise is not None
    ]
    rows = np.flatnonzero(FACTOR * np.concatenate(noise) > least) if noise else ()
    return any(_free_elements(updates, int(row), of_rounding=True) for row in rows)


def _free_elements(updates: UpdatesOfSteps, row: int, of_rounding: bool = False) -> int:
    """Returns how many elements of a difference follow from the others, 0 where one does not."""
    step = updates.at(slice(row, row + 1))
    old, apart, unit = step.old[0], step.new[0] - step.old[0], step.unit[0]
    if of_rounding:
        assert step.noise is not None
        apart = (step.noise[1] - step.noise[0])[0]
    greatest = np.abs(apart).max(initial=0.0)
    if greatest <= _LAST_PLACES * unit.max(initial=0.0):
        return 0
    slots = [each[0] for each in updates.slots_at(slice(row, row + 1))]
    known = [old, step.starts[0], *slots]
    # Of millions of elements, some show that a difference does not follow from these.
    for each in (slice(None, None, len(old) // _SOME + 1), slice(None)):
        others = _not_fitted(apart[each], [vector[each] for vector in known])
        if (np.abs(others) - unit[each]).max() > _ALIKE * greatest:
            return 0
    return max(0, int(np.count_nonzero(old) - len(known) - _FITTED))


def _not_fitted(difference: Array, vectors: Sequence[Array]) -> Array:
    """Returns what is left of a difference without multiples of vectors, which may be parallel."""
    lengths = [float(np.linalg.norm(vector)) or 1.0 for vector in vectors]
    basis = np.stack([v / length for v, length in zip(vectors, lengths, strict=True)])
    # By their products, which need no further copy of the vectors.
    factors = np.linalg.lstsq(basis @ basis.T, basis @ difference, rcond=_PARALLEL)[0]
    return np.asarray(difference - factors @ basis)
