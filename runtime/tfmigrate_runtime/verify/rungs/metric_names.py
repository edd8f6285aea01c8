"""Pairing the metrics of evaluations that have other names in Keras.

The names of an Estimator's metrics are the keys of a dict, ``{"acc": ...}``; those of Keras are
mostly its own, ``accuracy``. A port has no reason to keep them.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tfmigrate_runtime.verify.traces.trace import Array, Results, Trace

_CLOSE = 1e-4  # of its size; the comparison that follows is the stricter one


def with_names_of(original: Trace, migrated: Trace) -> tuple[Trace, tuple[str, ...]]:
    """Gives metrics the original's names: those that are equal everywhere, and the last of both.

    Returns:
        The migrated program's trace, and lines about the pairs.
    """
    old, new = original.evaluations, migrated.evaluations
    if len(old) != len(new) or not old:
        return migrated, ()
    ours, theirs = _only_in(old, new), _only_in(new, old)
    alike = {
        name: [other for other in theirs if _are_close(_of(old, name), _of(new, other))]
        for name in ours
    }
    taken = [other for others in alike.values() for other in others]
    names = {
        others[0]: name
        for name, others in alike.items()
        if len(others) == 1 and taken.count(others[0]) == 1
    }
    ours = [name for name in ours if name not in names.values()]
    theirs = [name for name in theirs if name not in names]
    if len(ours) == len(theirs) == 1:
        names[theirs[0]] = ours[0]
    renamed = [{names.get(name, name): v for name, v in metrics.items()} for metrics in new]
    lines = tuple(
        f"Metric {name} of the original is {other} in the migrated program."
        for other, name in names.items()
    )
    return replace(migrated, evaluations=renamed), lines


def _only_in(these: Sequence[Results], those: Sequence[Results]) -> list[str]:
    """Returns the names that all evaluations of one program have, and none of the other's."""
    everywhere = set.intersection(*map(set, these))
    return sorted(everywhere - set().union(*those))


def _of(evaluations: Sequence[Results], name: str) -> list[Array]:
    return [np.asarray(metrics[name]) for metrics in evaluations]


def _are_close(first: Sequence[Array], second: Sequence[Array]) -> bool:
    return all(
        old.shape == new.shape and np.allclose(old, new, rtol=_CLOSE, atol=0.0)
        for old, new in zip(first, second, strict=True)
    )
