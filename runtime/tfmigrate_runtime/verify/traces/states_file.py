"""What a program starts from and follows, taken from a trace and written for its recorder."""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tfmigrate_runtime.verify import archive
from tfmigrate_runtime.verify.traces.recording import Recording, load_recording, with_starts
from tfmigrate_runtime.verify.traces.trace import Trace, meta_of

Plan = Mapping[str, Any]  # which steps of a model to make again, see ``repeats.Repeats``


def write_states(
    target: Path, trace: Trace, rows: int | None = None, more: Mapping[str, Any] | None = None
) -> Path:
    """Writes initial values, losses and states of all models, and what the steps draw.

    Args:
        target: the file.
        trace: the trace.
        rows: how many of the recorded states; None for all.
        more: further arrays.
    """
    return _written(target, trace.meta, {**_arrays(trace, rows), **(more or {})})


def write_states_of_all(
    target: Path, recording: Recording, again: Mapping[str, Sequence[Plan | None]] | None = None
) -> Path:
    """Writes the states of all tasks that train; of one process, as ``write_states`` does.

    Args:
        target: the file.
        recording: whose states these are.
        again: which steps to make again (``sessions/repeats.py``), by task and model.
    """
    metas = {
        name: _with_plans(trace.meta, (again or {}).get(name, ()))
        for name, trace in recording.tasks.items()
    }
    if not recording.is_cluster:
        (meta,) = metas.values()
        return _written(target, meta, _arrays(recording.chief))
    arrays = {
        f"{name}/{key}": value
        for name, trace in recording.tasks.items()
        for key, value in _arrays(trace).items()
    }
    return _written(target, {**recording.meta, "tasks": metas}, arrays)


def states_of_all(source: Path, like: Recording) -> Recording:
    """Returns a recording with the initial values and states of ``write_states_of_all``, mapped.

    Args:
        source: the file.
        like: the recording that these are moved from.
    """
    arrays = archive.read(str(source))

    def with_states(trace: Trace, lead: str) -> Trace:
        return replace(
            trace,
            initial={name: arrays[f"{lead}initial/{name}"] for name in trace.initial},
            variables={name: arrays[f"{lead}variable/{name}"] for name in trace.variables},
            models=[
                with_states(model, f"{lead}model/{number}/")
                for number, model in enumerate(trace.models, start=1)
            ],
        )

    tasks = {
        name: with_states(trace, f"{name}/" if like.is_cluster else "")
        for name, trace in like.tasks.items()
    }
    return replace(like, tasks=with_starts(tasks) if like.turns else tasks)


def _with_plans(meta: Mapping[str, Any], plans: Sequence[Plan | None]) -> dict[str, Any]:
    """Returns what is known of a trace with which steps to make again of each of its models."""
    first, *others = plans or (None,)
    models = itertools.zip_longest(meta.get("models", ()), others)
    return {**meta, "again": first, "models": [{**own, "again": plan} for own, plan in models]}


def _arrays(trace: Trace, rows: int | None = None) -> dict[str, Any]:
    values: dict[str, Any] = dict(trace.step_draws)
    for number, model in enumerate((trace, *trace.models)):
        lead = f"model/{number}/" if number else ""
        values.update({f"{lead}initial/{k}": v for k, v in model.initial.items()})
        values.update({f"{lead}variable/{k}": v[:rows] for k, v in model.variables.items()})
        values[f"{lead}variable_step"] = model.variable_step[:rows]
        values.update({f"{lead}step": model.step, f"{lead}loss": model.loss})
    return values


def _written(target: Path, meta: Mapping[str, Any], arrays: Mapping[str, Any]) -> Path:
    archive.write(str(target), json.dumps(meta), arrays)
    return target


def write_start_of_chief(target: Path, recording: Path) -> Path:
    """Writes the chief's initial values, and what it wrote after its first step."""
    chief = load_recording(recording).chief
    written = {f"written/{name}": value for name, value in chief.written.items()}
    return write_states(target, chief, 1, written)


def write_states_of_task(target: Path, recording: Path, index: int) -> Path | None:
    """Writes the states of the n-th task of a recording that trains; None if it has fewer.

    Where tasks took turns, the first one's file has the states after the steps of all, for a
    coordinator that makes them.
    """
    recorded = load_recording(recording)
    tasks = list(recorded.tasks.values())
    if not recorded.is_cluster:  # whose towers are the workers, which share these states
        tasks *= index + 1
    if index >= len(tasks):
        return None
    more = _in_turns(tasks) if recorded.turns and index == 0 else {}
    return write_states(target, tasks[index], more=more)


def _in_turns(tasks: Sequence[Trace]) -> dict[str, Any]:
    """Returns the states after the steps of all tasks, in the order of their global steps."""
    steps = np.concatenate([task.variable_step for task in tasks])
    order = np.argsort(steps, kind="stable")
    names = [n for n in tasks[0].variables if all(n in task.variables for task in tasks)]
    arrays = {
        f"turns/variable/{name}": np.concatenate([task.variables[name] for task in tasks])[order]
        for name in names
    }
    return {**arrays, "turns/variable_step": steps[order]}


def steps_in(trace: Path) -> int:
    """Returns how many steps a trace has."""
    with np.load(trace, allow_pickle=False) as stored:
        return len(stored["step"])


def is_of_coordinator(trace: Path) -> bool:
    """Returns whether a trace is of a ClusterCoordinator, which makes the steps of all workers."""
    if not trace.exists():
        return False
    return bool((meta_of(trace).get("native") or {}).get("coordinator"))
