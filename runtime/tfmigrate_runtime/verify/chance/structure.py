"""What chance cannot explain: steps, names, shapes, calls, counts of results, distributions.

Programs with unpinned random numbers differ in all numbers that follow from these. So the numbers
of one run replace those of the other wherever they have the same shape; a rung that fails even then
fails for another reason.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from tfmigrate_runtime.verify.traces.recording import Recording
from tfmigrate_runtime.verify.traces.trace import Array, Trace

# Parts of a trace that are no results of training: draws show the distribution, restored values
# belong to a checkpoint, steps are counts.
_OTHERS = (
    *("meta", "step", "variable_step", "drawn", "laws", "fixed"),
    *("checkpoint", "restored", "written"),
)


def with_numbers_of(original: Recording, migrated: Recording) -> Recording:
    """Returns a trace with the original's numbers wherever these have the same shape and kind."""
    return _by_task(original, migrated, _with_numbers)


def as_if_copied(original: Recording, again: Recording) -> Recording:
    """Returns another run of the original as if the first run's initial values were copied to it.

    Its own initial values become ``drawn``, as in traces of the recorder.
    """
    return _by_task(original, again, _with_drawn)


def as_started(run: Recording) -> Recording:
    """Returns a run with its own initial values, without those that were copied to it."""
    return _by_task(run, run, lambda _, t: replace(t, initial={**t.initial, **t.drawn}, drawn={}))


def _by_task(
    original: Recording, run: Recording, change: Callable[[Trace, Trace], Trace]
) -> Recording:
    """Returns a run in which every task's trace was changed, given the original's."""
    old = original.tasks
    tasks = {name: change(old[name], t) if name in old else t for name, t in run.tasks.items()}
    return replace(run, tasks=tasks)


def _with_numbers(original: Trace, migrated: Trace) -> Trace:
    names = [field.name for field in fields(migrated) if field.name not in _OTHERS]
    changes = {name: _numbers(getattr(original, name), getattr(migrated, name)) for name in names}
    changes["event_values"] = event_values_of(original, migrated)
    return replace(migrated, **changes)


def event_values_of(run: Trace, other: Trace) -> Array:
    """Returns a run's summary values in the order in which another run wrote its summaries.

    A clock decides how many some hooks write, so two runs may have other numbers of them.

    Args:
        run: whose values.
        other: in whose order; its own value where the run has none of that tag at that step.
    """
    values = dict(zip(_event_keys(run), run.event_values, strict=True))
    own = zip(_event_keys(other), other.event_values, strict=True)
    return np.array([values.get(key, value) for key, value in own], dtype=np.float64)


def _event_keys(run: Trace) -> list[tuple[Any, ...]]:
    """Returns folder, tag, kind and step of each summary, and how many of these came before."""
    seen: Counter[tuple[Any, ...]] = Counter()
    keys = []
    for folder, tag, kind, step, _ in (run.meta.get("written") or {}).get("events", ()):
        key = (folder, tag, kind, step)
        keys.append((*key, seen[key]))
        seen[key] += 1
    return keys


def _with_drawn(original: Trace, again: Trace) -> Trace:
    drawn = {
        name: value
        for name, value in again.initial.items()
        if name in original.initial
        and value.shape == original.initial[name].shape
        and value.tobytes() != original.initial[name].tobytes()
    }
    return replace(again, drawn={**again.drawn, **drawn})


def _numbers(original: Any, migrated: Any) -> Any:
    """Returns the original's arrays in the form of the migrated program's."""
    if isinstance(migrated, Trace):
        return _with_numbers(original, migrated)
    if isinstance(migrated, dict) and isinstance(original, dict):
        return {k: _numbers(original[k], v) if k in original else v for k, v in migrated.items()}
    if isinstance(migrated, list) and isinstance(original, list):
        if len(original) != len(migrated):
            return migrated
        return [_numbers(*pair) for pair in zip(original, migrated, strict=True)]
    if not isinstance(migrated, (np.ndarray, np.generic)):
        return migrated
    old, new = np.asarray(original), np.asarray(migrated)
    return original if (old.shape, old.dtype.kind) == (new.shape, new.dtype.kind) else migrated
