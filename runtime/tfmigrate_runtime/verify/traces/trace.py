"""Traces: the recorded training of a program.

A trace is a NumPy .npz file without pickled objects, with these keys:

* ``meta``: a JSON object as a string: format, versions (tensorflow, python, numpy), script, sources
  (sha256 by file), args, replicas, devices, variables (name, shape, dtype, trainable), which
  initial values were pinned, transferred or free, and calls (what was called on Estimators; the
  recorder's docstring has the keys; absent in traces recorded by its first version).
  ``graph_seeds`` (of every model) are what its random operations have besides their own seeds,
  which the recorder replaces: see ``pinned_randomness.graph_seeds``; absent in old traces.
  ``chance`` is what it used that differs in every run, see ``program/chance_sources.py``; absent in
  old traces. ``operations`` and ``fed`` (of every model) say what its steps compute and were fed,
  see ``sessions/operations.py`` and ``sessions/fed_values.py``; absent in old traces. ``native`` is
  present where the program trains without sessions; ``map`` (of every model) then pairs its
  variables with the original's, see ``native/observer.py``.
* ``step``: int64 [T], the global step after each training step.
* ``loss``: float64 [T], the loss of each training step.
* ``tower_loss``: float64 [T, towers], the loss of each tower that a session program builds in a
  loop; ``loss`` is their mean. Absent where there is one.
* ``initial/<variable>``: the value a variable started from.
* ``drawn/<variable>``: its own initial value, where that of a different trace was copied over it.
* ``law/<variable>``, ``fixed/<variable>``: draws of its initializer, see
  ``draws/initial_values.py``; absent in old traces.
* ``variable/<variable>``: its values [T', ...] after the steps of ``variable_step``, int64 [T'].
* ``other_order/<variable>``: of averages that ops of one run update in no order, as those of
  towers, their values where the last of these comes first; ``ordered_updates`` of ``meta`` has
  their names.
* ``end/<i>/<variable>``: those values that were not as after the last step when the i-th session
  was closed; ``ends`` of ``meta`` has that step for each. Absent in old traces.
* ``batch/<source>/<component>``: the first batch, see ``sessions/first_batch.py``; absent in old
  traces.
* ``batches/<n>/<source>/<component>``: that of the step after n others, with ``--batches``.
* ``written/<name>``: tensors of the first step's checkpoint that are no variables by their names.
* ``checkpoint/<name>``, ``restored/<variable>``: another program's checkpoint, and the variables
  after it was restored, see ``results/checkpoints.py``; only where that was tried.
* ``evaluation/<i>/<metric>``: what the i-th evaluation returned.
* ``exported/<n>``: what exports compute, see ``results/exports.py``; absent in old traces.
* ``fetched``: values fetched from sessions without training, see ``results/fetched_values.py``;
  absent in old traces.
* ``step_fetched/<form>/<position>``: values that training steps return to the program, see
  ``results/step_fetches.py``; absent in old traces.
* ``event_values``, ``saved/<i>/<tensor>``: summaries and checkpoints, see
  ``results/written_files.py``; absent in old traces.
* ``random/<replica>/<n>``, ``random_shape/<replica>/<n>``: the random numbers that steps draw, see
  ``draws/of_steps.py``; absent in old traces.
* ``again/<n>/...``, ``again/row``: steps that were made again, see ``sessions/repeats.py``; only
  where rounding is measured.
* ``prediction/<i>/<key>``: the rows of the i-th prediction, or the first: ``prediction_rows`` of
  ``meta`` has how many there were. Old traces lack that and have 64 rows at most.
* ``model/<k>/...``: the training of a further model, by the keys above, for the k-th entry of
  ``models`` in ``meta``, which has its ``variables`` and ``sessions``. Old traces only list the
  sessions of other models, in ``ignored_sessions``.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tfmigrate_runtime.verify import archive
from tfmigrate_runtime.verify.shared import FORMAT_VERSION

Array = npt.NDArray[Any]
Results = dict[str, Array]


# What NumPy raises for files that are empty, truncated, damaged or in a different format.
DAMAGED = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error)


class TraceError(Exception):
    """A file is not a trace, or has a different format."""

    cause = "trace"


@dataclass(frozen=True)
class Trace:
    """A trace that was loaded; see the module for the meaning of its parts."""

    meta: dict[str, Any]
    step: Array
    loss: Array
    variable_step: Array
    initial: Results
    variables: Results
    evaluations: list[Results]
    predictions: list[Results]
    drawn: Results = field(default_factory=dict)
    tower_loss: Array | None = None
    batch: Results = field(default_factory=dict)
    checkpoint: Results = field(default_factory=dict)
    restored: Results = field(default_factory=dict)
    written: Results = field(default_factory=dict)
    laws: Results = field(default_factory=dict)
    fixed: Results = field(default_factory=dict)
    models: list[Trace] = field(default_factory=list)
    ends: dict[int, Results] = field(default_factory=dict)
    exported: Results = field(default_factory=dict)
    fetched: Array = field(default_factory=lambda: np.zeros(0))
    event_values: Array = field(default_factory=lambda: np.zeros(0))
    saved: Results = field(default_factory=dict)
    step_fetched: Results = field(default_factory=dict)
    other_order: Results = field(default_factory=dict)
    step_draws: Results = field(default_factory=dict)
    again: Results = field(default_factory=dict)
    # What each recorded step began with, where another task's step left it (``recording``).
    starts: Results = field(default_factory=dict)

    def started_from(self, name: str) -> Array:
        """Returns the program's own initial value, before another was copied over it."""
        return self.drawn[name] if name in self.drawn else self.initial[name]

    def up_to(self, steps: int) -> Trace:
        """Returns the trace as if the program had made only this many steps."""
        last = self.step[:steps].max(initial=0)
        towers = self.tower_loss
        return at_rows(
            replace(
                self,
                step=self.step[:steps],
                loss=self.loss[:steps],
                tower_loss=None if towers is None else towers[:steps],
            ),
            self.variable_step[self.variable_step <= last],
            np.flatnonzero(self.variable_step <= last),
        )

    @property
    def replicas_built(self) -> int | None:
        """How many towers or replicas the trained graph had; None if that was not recorded."""
        by_name = (s.get("replicas", 0) for s in self.meta.get("sessions", ()))
        # Towers may have other names; each passes its loss to an optimizer.
        return max([*by_name, self.meta.get("towers", 0)]) or None

    @property
    def calls(self) -> list[dict[str, Any]] | None:
        """The calls of Estimators, in order; None if they were not recorded."""
        return self.meta.get("calls")

    @property
    def is_native(self) -> bool:
        """Whether the program trains without sessions."""
        return self.meta.get("native") is not None

    @property
    def is_port(self) -> bool:
        """Whether the program trains on something other than TensorFlow."""
        return bool(self.meta.get("framework"))

    @property
    def trainable(self) -> list[str]:
        """The names of the trainable variables, in the order they were made."""
        return [v["name"] for v in self.meta["variables"] if v["trainable"]]

    @property
    def devices(self) -> str:
        """Where the replicas ran, in words."""
        devices = self.meta.get("devices") or {}
        names = [name.removeprefix("/device:") for name in devices.get("replicas", ())]
        return f"replicas on {', '.join(names)}" if names else "the program's own devices"


def models_of(trace: Trace) -> list[Trace]:
    """Returns the traces of all models of a task, the first one's first."""
    return [trace, *trace.models]


def at_common_steps(first: Trace, second: Trace) -> tuple[Trace, Trace]:
    """Returns both traces with the variables of only those steps that both recorded."""
    if np.array_equal(first.variable_step, second.variable_step):
        return first, second  # a program that trains twice has each step twice
    steps, rows, other_rows = np.intersect1d(
        first.variable_step, second.variable_step, return_indices=True
    )
    return at_rows(first, steps, rows), at_rows(second, steps, other_rows)


def at_seen_steps(first: Trace, second: Trace) -> tuple[Trace, Trace]:
    """Returns both traces without the steps that one of them made together with others."""
    if not (unseen := _unseen(first, second)):
        return first, second
    pair = [_at_steps(trace, ~np.isin(trace.step, list(unseen))) for trace in (first, second)]
    return pair[0], pair[1]


def end_stretches(steps: Array, first: Trace, second: Trace) -> Array:
    """Returns by step whether it ends several that one of both made together.

    The program was not given the original's state within these: what differs after them, its loss
    included, follows from what single steps show by themselves.
    """
    return np.isin(steps - 1, list(_unseen(first, second)))


def _unseen(first: Trace, second: Trace) -> set[int]:
    return {*first.meta.get("unseen", ()), *second.meta.get("unseen", ())}


def _at_steps(trace: Trace, is_kept: Array) -> Trace:
    towers = trace.tower_loss
    return replace(
        trace,
        step=trace.step[is_kept],
        loss=trace.loss[is_kept],
        tower_loss=None if towers is None or len(towers) != len(is_kept) else towers[is_kept],
    )


def at_rows(trace: Trace, steps: Array, rows: Array) -> Trace:
    """Returns a trace with the variables of these rows only, as those after these steps."""
    values, other, starts = (
        {name: array[rows] for name, array in arrays.items()}
        for arrays in (trace.variables, trace.other_order, trace.starts)
    )
    return replace(trace, variable_step=steps, variables=values, other_order=other, starts=starts)


def meta_of(path: Path) -> dict[str, Any]:
    """Returns the ``meta`` of a trace, of a program or a cluster.

    Raises:
        TraceError: the file does not exist or is not a trace.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            meta: dict[str, Any] = json.loads(str(stored["meta"]))
    except DAMAGED as error:
        raise TraceError(f"{path}: not a trace ({error})") from error
    return meta


def load_trace(path: Path) -> Trace:
    """Loads the trace of one process.

    Raises:
        TraceError: the file does not exist, is damaged, has a different format, or is of a cluster.
    """
    meta, arrays = read_trace(path)
    if "cluster" in meta:
        raise TraceError(f"{path} is the trace of a cluster: pass --cluster")
    try:
        return trace_of_arrays(meta, arrays)
    except DAMAGED as error:
        raise TraceError(f"{path}: not a trace ({error})") from error


def read_trace(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the ``meta`` of a trace, of a program or a cluster, and its arrays.

    Raises:
        TraceError: the file does not exist, is damaged, or has a different format.
    """
    try:
        arrays = archive.read(str(path))
        meta: dict[str, Any] = json.loads(str(arrays.pop("meta")))
        version = meta["format"]
    except DAMAGED as error:
        raise TraceError(f"{path}: not a trace ({error})") from error
    if version != FORMAT_VERSION:
        raise TraceError(
            f"{path} has trace format {version}, not {FORMAT_VERSION}: record it again"
        )
    return meta, arrays


def trace_of_arrays(meta: dict[str, Any], arrays: Results) -> Trace:
    """Returns the trace that these arrays are.

    Raises:
        KeyError: an array that every trace has is missing.
    """
    parts = [arrays[name] for name in ("step", "loss", "variable_step")]
    return Trace(
        meta,
        parts[0],
        parts[1],
        parts[2],
        _below(arrays, "initial/"),
        _below(arrays, "variable/"),
        _numbered(_below(arrays, "evaluation/")),
        _numbered(_below(arrays, "prediction/")),
        _below(arrays, "drawn/"),
        arrays.get("tower_loss"),
        _below(arrays, "batch/"),
        _below(arrays, "checkpoint/"),
        _below(arrays, "restored/"),
        _below(arrays, "written/"),
        _below(arrays, "law/"),
        _below(arrays, "fixed/"),
        [
            trace_of_arrays({**meta, **own, "models": []}, _below(arrays, f"model/{number}/"))
            for number, own in enumerate(meta.get("models", ()), start=1)
        ],
        {
            step: _below(arrays, f"end/{number}/")
            for number, step in enumerate(meta.get("ends", ()))
        },
        {key: array for key, array in arrays.items() if key.startswith("exported/")},
        arrays.get("fetched", np.zeros(0)),
        arrays.get("event_values", np.zeros(0)),
        {key: array for key, array in arrays.items() if key.startswith("saved/")},
        _below(arrays, "step_fetched/"),
        _below(arrays, "other_order/"),
        {key: array for key, array in arrays.items() if key.startswith("random")},
        _below(arrays, "again/"),
    )


def changed_sources(original: Path, sources: dict[str, str]) -> list[Path]:
    """Returns the files of the original whose SHA-256 differ from these."""
    paths = {original.with_name(name): digest for name, digest in sources.items()}
    return [
        path
        for path, digest in paths.items()
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != digest
    ]


def _below(arrays: Results, prefix: str) -> Results:
    return {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}


def _numbered(arrays: Results) -> list[Results]:
    """Returns results by their number, which is the first part of their key."""
    results: dict[int, Results] = {}
    for key, value in arrays.items():
        number, _, name = key.partition("/")
        results.setdefault(int(number), {})[name] = value
    return [results[number] for number in sorted(results)]
