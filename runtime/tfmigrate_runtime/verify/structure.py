"""What chance cannot explain: steps, names, shapes, calls, numbers of results, laws of draws.

Programs with free random numbers differ in all numbers that follow from these. So the numbers of
one run are put in the place of the other's wherever these have the same shape; a rung that fails
even then fails by something else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from tfmigrate_runtime.verify.cluster_trace import ClusterTrace
from tfmigrate_runtime.verify.trace import Array, Results, Trace

# What a trace has of numbers that random numbers may change. ``drawn`` is none of them: what a
# variable would have started from shows by which law it is drawn.
_RESULTS = ("initial", "variables", "batch")
_LISTS = ("evaluations", "predictions")

Recorded = TypeVar("Recorded", Trace, ClusterTrace)


def with_numbers_of(original: Recorded, migrated: Recorded) -> Recorded:
    """Returns a trace with another one's numbers wherever these have the same shape and kind."""
    return _by_task(original, migrated, _with_numbers)


def as_if_taken_over(original: Recorded, again: Recorded) -> Recorded:
    """Returns another run of the original as a migrated program's, started from its values.

    What it started from itself becomes ``drawn`` then, as the recorder writes it.
    """
    return _by_task(original, again, _with_drawn)


def as_started(run: Recorded) -> Recorded:
    """Returns a run with what it started from itself, whatever it was given then."""
    return _by_task(run, run, lambda _, t: replace(t, initial={**t.initial, **t.drawn}, drawn={}))


def tasks_of(run: Trace | ClusterTrace) -> dict[str, Trace]:
    """Returns the traces of a run's tasks by name."""
    return run.tasks if isinstance(run, ClusterTrace) else {"": run}


def _by_task(original: Any, run: Any, change: Callable[[Trace, Trace], Trace]) -> Any:
    """Returns a run in which every task's trace was changed, given the original's."""
    if isinstance(run, Trace):
        return change(original, run)
    tasks = {
        name: change(original.tasks[name], trace) if name in original.tasks else trace
        for name, trace in run.tasks.items()
    }
    return replace(run, tasks=tasks)


def _with_numbers(original: Trace, migrated: Trace) -> Trace:
    old, new = original.tower_loss, migrated.tower_loss
    changes: dict[str, Any] = {"loss": _numbers(original.loss, migrated.loss)}
    if old is not None and new is not None:
        changes["tower_loss"] = _numbers(old, new)
    for name in _RESULTS:
        changes[name] = _results(getattr(original, name), getattr(migrated, name))
    for name in _LISTS:
        first, second = getattr(original, name), getattr(migrated, name)
        if len(first) == len(second):
            changes[name] = [_results(*pair) for pair in zip(first, second, strict=True)]
    return replace(migrated, **changes)


def _with_drawn(original: Trace, again: Trace) -> Trace:
    drawn = {
        name: value
        for name, value in again.initial.items()
        if name in original.initial
        and value.shape == original.initial[name].shape
        and value.tobytes() != original.initial[name].tobytes()
    }
    return replace(again, drawn={**again.drawn, **drawn})


def _results(original: Results, migrated: Results) -> Results:
    return {
        name: _numbers(original[name], value) if name in original else value
        for name, value in migrated.items()
    }


def _numbers(original: Array, migrated: Array) -> Array:
    old, new = np.asarray(original), np.asarray(migrated)
    return original if (old.shape, old.dtype.kind) == (new.shape, new.dtype.kind) else migrated
