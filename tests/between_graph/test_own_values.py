"""Calls of one worker whose updates are averaged over the workers: they wait for nobody."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from cluster_support import start

from tfmigrate_runtime.between_graph.own_values import fetches_of_copies, with_own_values

PROGRAMS = Path(__file__).parent / "programs"


@pytest.mark.parametrize(
    ("by", "after", "averages"),
    [
        # TensorFlow 1.15, with 0.5 s between steps: w is 0.2, 0.46, 0.668, 0.8344, 0.9675.
        ([0], [1], [0.0, *[0.5] * 3]),
        # There, the one moves it after the other: to 1.0 or to 1.25.
        ([0, 1], [1], [0.0, *[0.75] * 3]),
        ([0], [0, 12], [*[0.5] * 12, *[0.75] * 3]),
    ],
)
def test_summaries_move_an_average_of_all_workers(
    by: list[int], after: list[int], averages: list[float], tmp_path: Path
) -> None:
    options = {"summarizes": by, "after": after, "steps": len(averages)}
    command = [str(PROGRAMS / "shared_writes.py"), json.dumps(options)]
    tasks = start({}, tmp_path, command, worker=2)
    values = [0.0]
    for average in averages:  # in the loss (w - 1 - average) ** 2
        values.append(values[-1] + 0.2 * (1.0 + average - values[-1]))
    for number, task in enumerate(tasks.values()):
        assert task.losses() == pytest.approx(values[1:], rel=1e-6)  # rounding of float32
        lines = [line.split() for line in task.text().splitlines() if line.startswith("FOUND")]
        losses = [(values[step] - 1.0) ** 2 for step in after if number in by]
        assert [float(loss) for _, loss in lines] == pytest.approx(losses, rel=1e-5)


@pytest.mark.parametrize("by", [[0], [0, 1]])
def test_summaries_move_an_average_that_steps_move_too(by: list[int], tmp_path: Path) -> None:
    """For once the others begin a step before they know, as they may on TensorFlow 1.x."""
    options = {"summarizes": by, "after": [12], "steps": 15, "in_steps": True}
    command = [str(PROGRAMS / "shared_writes.py"), json.dumps(options)]
    tasks = start({}, tmp_path, command, worker=2)
    own, w, values = np.zeros(2), 0.0, []
    batches = np.array([1.0, 2.0])
    for step in range(15):
        if step == 12:
            own[by] += 0.5 * (batches - own)[by]
        own += np.mean(0.5 * (batches - own))
        w += 0.2 * np.mean(1.0 + own - w)
        own[:] = own[by].mean()
        values.append(w)
    for task in tasks.values():
        assert task.losses() == pytest.approx(values, rel=1e-6)  # rounding of float32


def test_summaries_of_a_supervisor(tmp_path: Path) -> None:
    """Its thread fetches them at once, and moves the average by 1.0, the chief's."""
    command = [str(PROGRAMS / "supervised_summaries.py"), str(tmp_path / "events")]
    for task in start({}, tmp_path, command, worker=2).values():
        average, w = task.losses()
        assert average == pytest.approx(1.0 + 4.5)  # one update of 1.5, the mean, a step
        assert w == pytest.approx(1 - 0.8**3)
    (events,) = (tmp_path / "events").glob("events*")
    tags = [v.tag for e in tf.train.summary_iterator(str(events)) for v in e.summary.value]
    assert "loss" in tags


def test_what_needs_nothing_of_others_is_not_copied() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        number = tf.placeholder(tf.float32, [], "number")
        own = number * 2.0
        reduced = own + 1.0  # as of two workers, say
        tf.add_to_collection("between_graph_reduced", (reduced, own))
        again = reduced * 10.0
        reduced_again = again + 100.0
        tf.add_to_collection("between_graph_reduced", (reduced_again, again))
        alone = own + 5.0

        def summed(values: tf.Tensor) -> tf.Tensor:
            _, total = tf.while_loop(
                lambda i, _: i < 3, lambda i, t: (i + 1, t + values), [0, tf.identity(own)]
            )
            return total

        fetches = {"sum": [summed(reduced_again), alone], "op": (reduced_again.op,), "none": ()}
        with tf.control_dependencies([reduced_again]):
            fetches["late"] = [tf.identity(alone)]
        graph.finalize()
        ops = [t.op for t in (*fetches["sum"], *fetches["late"])]
        copies = with_own_values(graph, ops, [])
        assert graph.finalized and alone.op not in copies and not {own.op, again.op} <= set(copies)
        replaced = fetches_of_copies(graph, {**fetches, "op": ()}, copies)
        results = session.run(replaced, {number: 1.0})
        assert results == {"sum": [2.0 + 3 * 20.0, 7.0], "op": (), "none": (), "late": [7.0]}
        # What is fed is fed.
        copies = with_own_values(graph, ops, [reduced_again.name])
        replaced = fetches_of_copies(graph, fetches["sum"], copies)
        assert session.run(replaced, {number: 1.0, reduced_again: 1.0}) == [5.0, 7.0]
