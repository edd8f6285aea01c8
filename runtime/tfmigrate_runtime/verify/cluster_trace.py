"""Traces of clusters: what was recorded of every task that trains.

Such a trace is a NumPy .npz file without pickled objects. ``meta`` is a JSON object with
``format``, ``cluster`` (tasks by job), ``turns`` (whether workers took turns), ``tensorflow``,
``legacy`` (whether the legacy runtime gave it, absent in old traces), ``args``, ``sources`` and
``tasks``: the ``meta`` of every task that trains by its name, in the order of turns, the chief
first. All other keys are those of a trace of one program behind the
task's name: ``worker/0/loss``, ``worker/0/variable/<name>``. ``final_losses`` of ``meta`` are those
of several runs without turns, where these were made (``cluster_ladder.final_loss``).

The ``meta`` of a task has besides ``placement`` (device by variable), ``mirrored`` (variables are
copies on the workers), ``synchronous`` and ``skipped`` (turns that others let pass).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tfmigrate_runtime.verify.cluster import Cluster
from tfmigrate_runtime.verify.record import FORMAT_VERSION
from tfmigrate_runtime.verify.trace import DAMAGED, Trace, TraceError, trace_of_arrays

_DEVICE_PART = re.compile(r"/(job|task|replica|device):([^/]+)")
_FIRST_CPU = re.compile(r"(?i)cpu:(0|\*)")


@dataclass(frozen=True)
class ClusterTrace:
    """A trace of a cluster.

    Attributes:
        meta: what is said above.
        tasks: the trace of every task that trains, by its name, the chief first.
    """

    meta: dict[str, Any]
    tasks: dict[str, Trace]

    @property
    def cluster(self) -> Cluster:
        """The jobs it was run as."""
        return Cluster(dict(self.meta["cluster"]))

    @property
    def chief(self) -> Trace:
        """The first task's trace: it initialised the variables."""
        return next(iter(self.tasks.values()))

    @property
    def turns(self) -> bool:
        """Whether workers took turns."""
        return bool(self.meta["turns"])

    @property
    def synchronous(self) -> bool:
        """Whether the workers' gradients were aggregated by a SyncReplicasOptimizer."""
        return any(trace.meta.get("synchronous") for trace in self.tasks.values())

    @property
    def mirrored(self) -> bool:
        """Whether every worker has copies of the variables."""
        return any(trace.meta.get("mirrored") for trace in self.tasks.values())

    @property
    def placement(self) -> dict[str, str]:
        """The device of every variable, as the chief's graph has it."""
        return dict(self.chief.meta.get("placement") or {})

    def place(self, device: str) -> tuple[str, str, str]:
        """Returns job, task and device of what was asked for, completed as TensorFlow does.

        TensorFlow 1.x puts what is on no task on the first one in the order of names, TensorFlow
        2 on the one whose session it is (docs/semantics.md, section 3).

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


def is_cluster_trace(path: Path) -> bool:
    """Whether a file is a trace of a cluster, not of one program."""
    return "cluster" in _read(path)[0]


def write_cluster_trace(
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
        states: what each told last.
        arguments: the program's, with placeholders.

    Raises:
        TraceError: one of the traces cannot be read.
    """
    arrays: dict[str, Any] = {}
    metas: dict[str, Any] = {}
    for name, source in traces.items():
        metas[name], own = _read(source)
        metas[name]["skipped"] = states[name]["skipped"]
        # Its own have the folder and the ports of one run.
        metas[name]["args"] = arguments
        arrays.update({f"{name}/{key}": value for key, value in own.items()})
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
    with path.open("wb") as stream:
        np.savez_compressed(stream, meta=np.asarray(json.dumps(meta)), **arrays)


def add_final_losses(path: Path, losses: list[float]) -> None:
    """Adds the final losses of free runs to a trace of a cluster.

    Raises:
        TraceError: the file is no trace.
    """
    meta, arrays = _read(path)
    meta["final_losses"] = losses
    with path.open("wb") as stream:
        np.savez_compressed(stream, meta=np.asarray(json.dumps(meta)), **arrays)


def load_cluster_trace(path: Path) -> ClusterTrace:
    """Loads a trace of a cluster.

    Raises:
        TraceError: the file is not there, is damaged, has another format, or is no such trace.
    """
    meta, arrays = _read(path)
    if "cluster" not in meta:
        raise TraceError(f"{path}: the trace of one program, not of a cluster")
    tasks = {}
    for name, own in meta["tasks"].items():
        prefix = f"{name}/"
        parts = {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
        tasks[name] = trace_of_arrays(own, parts)
    return ClusterTrace(meta, tasks)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns a trace's ``meta`` and its arrays."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
        meta: dict[str, Any] = json.loads(str(arrays.pop("meta")))
        found = meta["format"]
    except DAMAGED as error:
        raise TraceError(f"{path}: not a trace ({error})") from error
    if found != FORMAT_VERSION:
        raise TraceError(
            f"{path}: a trace of format {found}, not {FORMAT_VERSION}: record it again"
        )
    return meta, arrays
