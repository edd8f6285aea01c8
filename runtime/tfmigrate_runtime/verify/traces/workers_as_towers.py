"""The recording of a synchronous cluster as that of one process, whose towers are its workers.

Programs with parameter servers on one machine become programs of one process whose replicas have a
GPU each. A step of theirs has the gradients of all replicas, as one of synchronous workers has:
what the workers share is compared as it is, and what each has (its loss, its batch, the random
numbers that it draws) as that of a tower.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tfmigrate_runtime.verify.request import ONE, UsageError
from tfmigrate_runtime.verify.traces.recording import Recording
from tfmigrate_runtime.verify.traces.trace import Array, Results, Trace


def as_one_process(original: Recording) -> Recording:
    """Returns the recording with its workers as towers.

    Raises:
        UsageError: they are asynchronous, or did not make the same steps.
    """
    tasks = {name: trace for name, trace in original.tasks.items() if len(trace.step)}
    workers = list(tasks.values())
    if len(workers) > 1 and not (original.synchronous or original.mirrored):
        raise UsageError(
            f"--migrated-cluster {ONE}: each step of the original's asynchronous workers applies "
            "the gradients of one of them, a step of replicas those of all. Only synchronous "
            "workers can be compared with one process"
        )
    counts = [len(worker.step) for worker in workers]
    if len({*counts}) > 1 and not original.runs_ahead:
        raise UsageError(
            f"--migrated-cluster {ONE}: the workers of the original made "
            f"{', '.join(map(str, counts))} steps: there is no step of all of them"
        )
    return Recording.of(_together(tasks))


def _together(tasks: Mapping[str, Trace]) -> Trace:
    workers = list(tasks.values())
    chief = workers[0]
    count = min(len(worker.loss) for worker in workers)  # with initial tokens, some have more
    losses = np.stack([worker.loss[:count] for worker in workers], axis=1)
    batch, about = _batch(workers)
    # Where rounding is measured, "synchronous" says that no worker makes a step again by itself.
    meta = {key: value for key, value in chief.meta.items() if key not in ("placement", "skipped")}
    return replace(
        chief,
        meta={**meta, "towers": len(workers), "batch": about, "devices": {"replicas": list(tasks)}},
        step=chief.step[:count],
        loss=losses.mean(axis=1),
        tower_loss=losses if len(workers) > 1 else None,
        batch=batch,
        step_draws={
            _of_replica(key, number): values
            for number, worker in enumerate(workers)
            for key, values in worker.step_draws.items()
        },
    )


def _of_replica(key: str, replica: int) -> str:
    """Returns the name of the n-th random numbers of a worker, ``random/0/<n>``, as a replica's."""
    kind, _, number = key.split("/")
    return f"{kind}/{replica}/{number}"


def _batch(workers: Sequence[Trace]) -> tuple[Results, Any]:
    """Returns the rows of all workers' first batches, and what ``meta`` has about them."""
    abouts: list[dict[str, Any]] = []
    for worker in workers:
        about = worker.meta.get("batch")
        if about is None or about["reason"] is not None:
            return {}, about
        abouts.append(about)
    if len({frozenset(worker.batch) for worker in workers}) > 1:
        return {}, {"shapes": {}, "reason": "workers read their batches differently"}
    batch = {key: _rows([worker.batch[key] for worker in workers]) for key in workers[0].batch}
    shapes = {
        key: [sum(about["shapes"][key][0] for about in abouts), *abouts[0]["shapes"][key][1:]]
        for key in batch
    }
    return batch, {**abouts[0], "shapes": shapes}


def _rows(parts: Sequence[Array]) -> Array:
    return np.concatenate(parts) if len({part.shape[1:] for part in parts}) == 1 else parts[0]
