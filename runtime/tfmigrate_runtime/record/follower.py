"""What a training loop calls: ``record.follow()``, and an object with three methods."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tfmigrate_runtime.record import trees
from tfmigrate_runtime.record.draws import NORMAL, UNIFORM
from tfmigrate_runtime.record.environment import FOLLOW, MAP, OUT, STEPS
from tfmigrate_runtime.record.maps import PairingError, read_map
from tfmigrate_runtime.record.original import Original, TraceError
from tfmigrate_runtime.record.pairing import PortVariable
from tfmigrate_runtime.record.run import Run
from tfmigrate_runtime.verify.shared import REFUSED

_current: list[Run] = []


class Follower:
    """A training loop that follows an original; without one its methods change nothing.

    Parameters, averages and slots are trees: dictionaries, lists, tuples and named tuples of arrays
    of any framework that NumPy reads.
    """

    def __init__(self, run: Run | None) -> None:
        """Takes the run to record to, None for none."""
        self._run = run

    def begin(self, params: Any, averages: Any = None) -> Any:
        """Pairs variables with the original's.

        Args:
            params: what is trained.
            averages: what else a step changes (moving means of batch normalization).

        Returns:
            ``params`` with the original's initial values, and ``averages`` beside it if passed.
        """
        if self._run is not None:
            trained, others = trees.leaves(params), trees.leaves(averages or {})
            values = trees.as_numpy({**trained, **others})
            variables = [PortVariable(n, values[n].shape, n in trained) for n in values]
            try:
                start = self._run.begin(variables, values)
            except PairingError as error:
                refuse(str(error))
            params = trees.with_leaves(params, start)
            averages = None if averages is None else trees.with_leaves(averages, start)
        return params if averages is None else (params, averages)

    def step(
        self,
        loss: Any,
        params: Any,
        slots: Mapping[str, Any] | None = None,
        batch: Any = None,
        averages: Any = None,
    ) -> Any:
        """Records a step that was just made.

        Args:
            loss: what it minimized, one number.
            params: after it.
            slots: the optimizer's trees of the form of ``params``, by role: "m" and "v" of Adam,
                "momentum", "rms", "sum" (``slots.py`` has the list).
            batch: what it read: a tree of arrays.
            averages: after it, if ``begin`` was given some.

        Returns:
            params and slots to go on with: the original's after the same step; averages as the
            third if they were passed.
        """
        slot_trees = dict(slots or {})
        if self._run is not None:
            values = trees.as_numpy({**trees.leaves(params), **trees.leaves(averages or {})})
            by_role = {
                role: trees.as_numpy(trees.leaves(tree)) for role, tree in slot_trees.items()
            }
            read = None if batch is None else trees.as_numpy(trees.leaves({"": batch}))
            new, new_slots = self._run.step(loss, values, by_role, read)
            params = trees.with_leaves(params, new)
            slot_trees = {
                role: trees.with_leaves(tree, new_slots[role]) for role, tree in slot_trees.items()
            }
            averages = None if averages is None else trees.with_leaves(averages, new)
        return (params, slot_trees) if averages is None else (params, slot_trees, averages)

    def uniform(self, shape: tuple[int, ...]) -> Any:
        """Returns the next numbers in [0, 1) that the original's step drew, as for a mask.

        An element stays where its number is at least the rate of dropout. float32; without an
        original, or where it drew no such numbers, they are NumPy's.
        """
        drawn = None if self._run is None else self._run.draws.take(UNIFORM, shape)
        return np.random.random(shape).astype(np.float32) if drawn is None else drawn

    def normal(self, shape: tuple[int, ...]) -> Any:
        """Returns the next numbers of a standard normal that the original's step drew, float32."""
        drawn = None if self._run is None else self._run.draws.take(NORMAL, shape)
        return np.random.standard_normal(shape).astype(np.float32) if drawn is None else drawn

    def batch(self) -> dict[str, Any]:
        """Returns what the original's next step was fed, by source and component; {} if unknown.

        The first step's is in every trace, all are where ``verify`` recorded it with ``--batches``.
        """
        if self._run is None or self._run.original is None:
            return {}
        return self._run.original.batch(self._run.step_number)


def follow(
    trace: Path | str | None = None, out: Path | str | None = None, map: Path | str | None = None
) -> Follower:
    """Returns what records this program's training.

    Args:
        trace: the original's trace; by default the one that ``tfmigrate verify`` passes.
        out: the trace to write, likewise. Without both nothing is recorded.
        map: a file that pairs variables, likewise.

    Raises:
        TraceError: the trace cannot be read.
        PairingError: the map cannot.
    """
    run = run_from(trace or os.environ.get(FOLLOW), out or os.environ.get(OUT), map)
    return Follower(run)


def run_from(trace: Any, out: Any, map_path: Any = None) -> Run | None:
    """Returns the run of this process: the one that there is, or a new one; None without ``out``.

    Raises:
        TraceError: the trace cannot be read.
        PairingError: the map cannot.
    """
    if not out:
        return None
    if not _current:
        path = map_path or os.environ.get(MAP)
        steps = os.environ.get(STEPS)
        _current.append(
            Run(
                Original(trace) if trace else None,
                Path(out),
                read_map(path) if path else {},
                int(steps) if steps else None,
            )
        )
    return _current[0]


def evaluation(results: Mapping[str, Any]) -> None:
    """Records what an evaluation returned; nothing where no training is recorded.

    Args:
        results: numbers by name.
    """
    if _current:
        numbers = {name: float(np.asarray(value)) for name, value in results.items()}
        _current[0].evaluation(numbers, is_stated=True)


def refuse(reason: str) -> None:
    """Ends the process with one line, as an invalid use of ``tfmigrate verify``."""
    sys.stderr.write(f"record: {reason}\n")
    sys.stderr.flush()
    if out := os.environ.get(OUT):
        Path(out + REFUSED).write_text(reason, "utf-8")
    sys.stdout.flush()
    os._exit(2)


__all__ = ["Follower", "TraceError", "evaluation", "follow", "refuse", "run_from"]
