"""Recordings: the traces of all tasks of a program. One process is a cluster of one task.

The recording of one process is a file as ``trace.py`` describes it. That of a cluster is a NumPy
.npz file without pickled objects too. Its ``meta`` is a JSON object with ``format``, ``cluster``
(tasks by job), ``turns`` (whether workers took turns), ``tensorflow``, ``legacy`` (whether the
legacy runtime gave it, absent in old traces), ``args``, ``sources`` and ``tasks``: the ``meta`` of
every task that trains by its name, in the order of turns, the chief first. All other keys are those
of a trace of one process behind the task's name: ``worker/0/loss``, ``worker/0/variable/<name>``.
``final_losses`` of ``meta`` are those of several runs without turns, where these were made
(``run_statistics.final_loss``).

The ``meta`` of a task has besides ``placement`` (device by variable), ``mirrored`` (variables are
copies on the workers), ``synchronous``, ``runs_ahead`` (synchronous workers have initial tokens)
and ``skipped`` (turns that others let pass).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tfmigrate_runtime.verify import archive
from tfmigrate_runtime.verify.running.cluster import ALONE, ONE_PROCESS, Cluster
from tfmigrate_runtime.verify.shared import FORMAT_VERSION
from tfmigrate_runtime.verify.traces.trace import (
    Array,
    Trace,
    TraceError,
    load_trace,
    meta_of,
    read_trace,
    trace_of_arrays,
)

_DEVICE_PART = re.compile(r"/(job|task|replica|device):([^/]+)")
_FIRST_CPU = re.compile(r"(?i)cpu:(0|\*)")


@dataclass(frozen=True)
class Recording:
    """The recording of one run of a program.

    Attributes:
        meta: as described above; of one process, that of its trace.
        tasks: the trace of every task that trains, by its name, the chief first; "" is the name of
            one process.
    """

    meta: dict[str, Any]
    tasks: dict[str, Trace]

    @classmethod
    def of(cls, recorded: Trace | Recording) -> Recording:
        """Returns a recording; of a trace, that of one process."""
        if isinstance(recorded, Trace):
            return cls(recorded.meta, {ALONE.name: recorded})
        return recorded

    @property
    def is_cluster(self) -> bool:
        """Whether it is of a cluster, not of one process."""
        return "cluster" in self.meta

    @property
    def cluster(self) -> Cluster:
        """The jobs it was run as."""
        return Cluster(dict(self.meta["cluster"])) if self.is_cluster else ONE_PROCESS

    @property
    def chief(self) -> Trace:
        """The first task's trace: it initialised the variables."""
        return next(iter(self.tasks.values()))

    @property
    def runs_freely(self) -> bool:
        """Whether the order of the workers' steps was left to chance."""
        is_apart = len(self.tasks) > 1 and not self.turns and not self.synchronous
        return is_apart or self.runs_ahead

    @property
    def runs_ahead(self) -> bool:
        """Whether synchronous workers have tokens: chance decides which gradients are stale."""
        return any(trace.meta.get("runs_ahead") for trace in self.tasks.values())

    @property
    def repeats_itself(self) -> bool:
        """Whether nothing was seen that differs in every run; False of old recordings."""
        return all(trace.meta.get("chance") == [] for trace in self.tasks.values())

    @property
    def turns(self) -> bool:
        """Whether workers took turns."""
        return bool(self.meta.get("turns"))

    @property
    def synchronous(self) -> bool:
        """Whether the workers' gradients were aggregated by a SyncReplicasOptimizer."""
        return any(trace.meta.get("synchronous") for trace in self.tasks.values())

    @property
    def races(self) -> bool:
        """Whether synchronous workers share variables, which all of them may update by themselves.

        Moving averages of batch normalization have as many updates a step, in any order, and what
        is saved or evaluated then has some of them. Where ``minimize`` is called with control
        dependencies on them, the chief's queue runner makes one more before the first step.
        """
        return self.is_cluster and self.synchronous and not self.mirrored

    @property
    def mirrored(self) -> bool:
        """Whether every worker has copies of the variables."""
        return any(trace.meta.get("mirrored") for trace in self.tasks.values())

    @property
    def placement(self) -> dict[str, str]:
        """The device of every variable, as the chief's graph has it."""
        return dict(self.chief.meta.get("placement") or {})

    def place(self, device: str) -> tuple[str, str, str]:
        """Returns job, task and device of a variable, completed as TensorFlow does.

        TensorFlow 1.x places ops without a task on the first task in the order of names, TensorFlow
        2 on the task of the session (semantics.md, section 3).

        Args:
            device: of a variable, as the graph of the chief has it.
        """
        parts = dict(_DEVICE_PART.findall(device))
        kind = _FIRST_CPU.sub("CPU:0", parts.get("device", "CPU:0"))
        own_job, _, own_task = next(iter(self.tasks)).partition("/")
        if str(self.meta.get("tensorflow", "")).startswith("2."):
            job = parts.get("job", own_job)
            return job, parts.get("task", own_task if job == own_job else "0"), kind
        return parts.get("job", min(self.cluster.jobs)), parts.get("task", "0"), kind


def write_recording(
    path: Path,
    traces: Mapping[str, Path],
    cluster: Cluster,
    turns: bool,
    states: Mapping[str, Mapping[str, Any]],
    arguments: list[str],
) -> None:
    """Writes the traces of all tasks that train as one.

    Args:
        path: where to.
        traces: the trace of each, by its name, the chief first.
        cluster: the cluster.
        turns: whether they took turns.
        states: the last state of each.
        arguments: the program's, with placeholders.

    Raises:
        TraceError: one of the traces cannot be read.
    """
    arrays: dict[str, Any] = {}
    metas: dict[str, Any] = {}
    for name, source in traces.items():
        metas[name], own = read_trace(source)
        metas[name]["skipped"] = states[name]["skipped"]
        # Its own arguments contain the folder and the ports of one run.
        metas[name]["args"] = arguments
        arrays.update({f"{name}/{key}": value for key, value in own.items()})
    _share_out(arrays, metas)
    first = next(iter(metas.values()))
    meta = {
        "format": FORMAT_VERSION,
        "cluster": cluster.jobs,
        "turns": turns,
        "args": arguments,
        "tasks": metas,
        "legacy": bool(first.get("legacy")),
        **{key: first[key] for key in ("tensorflow", "python", "numpy", "script", "sources")},
    }
    archive.write(str(path), json.dumps(meta), arrays)


def _share_out(arrays: dict[str, Any], metas: dict[str, Any]) -> None:
    """Gives each worker the steps that a coordinator, the first task, made for it."""
    coordinator = next(iter(metas))
    workers = [name for name in metas if name.startswith("worker/")]
    steps = metas[coordinator].pop("coordinated", {})
    if not workers or not (metas[coordinator].get("native") or {}).get("coordinator"):
        return
    native = metas[coordinator]["native"]
    if coordinator not in workers:  # what it recorded as its own is of the first worker
        _move(arrays, coordinator, workers[0], [f"{coordinator}/coordinated/"])
        metas[workers[0]] = metas.pop(coordinator)
    for number, name in enumerate(workers[1:], start=1):
        if (own := steps.get(str(number))) is not None:
            _move(arrays, f"{coordinator}/coordinated/{number}", name)
            metas[name].update(own, native=native)


def _move(arrays: dict[str, Any], old: str, new: str, but: Sequence[str] = ()) -> None:
    """Moves what is recorded of one task to another, in place of what that has."""
    for key in [key for key in arrays if key.startswith(f"{new}/")]:
        del arrays[key]
    for key in [key for key in arrays if key.startswith(f"{old}/")]:
        if not key.startswith(tuple(but)):
            arrays[f"{new}/{key.removeprefix(f'{old}/')}"] = arrays.pop(key)


def add_final_losses(path: Path, losses: list[float]) -> None:
    """Adds the final losses of free runs to a trace of a cluster.

    Raises:
        TraceError: the file is not a trace.
    """
    meta, arrays = read_trace(path)
    meta["final_losses"] = losses
    archive.write(str(path), json.dumps(meta), arrays)


def load_recording(path: Path, is_cluster: bool | None = None) -> Recording:
    """Loads the recording of a program.

    Args:
        path: the file.
        is_cluster: whether it must be of a cluster, or of one process; None for either.

    Raises:
        TraceError: the file does not exist, is damaged, or has a different format or kind.
    """
    if is_cluster is False or (is_cluster is None and "cluster" not in meta_of(path)):
        return Recording.of(load_trace(path))
    meta, arrays = read_trace(path)
    if "cluster" not in meta:
        raise TraceError(f"{path} is the trace of one process, not of a cluster")
    tasks = {}
    for name, own in meta["tasks"].items():
        prefix = f"{name}/"
        parts = {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
        tasks[name] = trace_of_arrays(own, parts)
    return Recording(meta, with_starts(tasks) if meta.get("turns") else tasks)


def with_starts(tasks: dict[str, Trace]) -> dict[str, Trace]:
    """Returns workers that take turns with what each step began with: what another's step left.

    Known are variables that all workers share, after steps that were recorded.
    """
    chief = next(iter(tasks.values()))
    rows = {
        int(step): (trace, row)
        for trace in tasks.values()
        for row, step in enumerate(trace.variable_step)
    }
    recorded = sum(len(trace.variable_step) for trace in tasks.values())
    if len(tasks) == 1 or len(rows) < recorded:
        return tasks  # they do not count their steps together

    def before(name: str, trace: Trace, row: int) -> Array:
        if (step := int(trace.variable_step[row])) == min(rows):
            return chief.initial[name]
        other, at = rows.get(step - 1, (trace, row - 1))
        return other.variables[name][at] if at >= 0 else trace.initial[name]

    return {
        name: replace(
            trace,
            starts={
                each: np.stack([before(each, trace, row) for row in range(len(values))])
                for each, values in trace.variables.items()
                if len(values) and _is_shared(each, tasks)
            },
        )
        for name, trace in tasks.items()
    }


def _is_shared(variable: str, tasks: Mapping[str, Trace]) -> bool:
    """Whether all tasks that train have one variable, not each its own of that name."""
    training = [trace for trace in tasks.values() if len(trace.step)]
    devices = {(trace.meta.get("placement") or {}).get(variable, "") for trace in training}
    forms = {
        (trace.variables[variable].shape[1:], trace.variables[variable].dtype)
        for trace in training
        if variable in trace.variables
    }
    return (
        all(variable in trace.variables for trace in training)
        and len(devices) == len(forms) == 1
        and "/job:" in devices.pop()
    )
