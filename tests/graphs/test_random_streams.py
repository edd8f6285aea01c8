"""Random numbers of runners are those of sessions, bit for bit, whatever else is fetched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import graphs

raw = tf.raw_ops
DRAWS: dict[str, Callable[[Any, int], Any]] = {
    "uniform": lambda shape, seed: tf.random_uniform(shape, seed=seed),
    "uniform of half": lambda shape, seed: tf.random_uniform(shape, dtype=tf.half, seed=seed),
    "normal": lambda shape, seed: tf.random_normal(shape, seed=seed),
    "normal of double": lambda shape, seed: tf.random_normal(shape, dtype=tf.double, seed=seed),
    "truncated": lambda shape, seed: tf.truncated_normal(shape, seed=seed),
    "integers": lambda shape, seed: tf.random_uniform(shape, 3, 900, tf.int32, seed=seed),
    "long integers": lambda shape, seed: tf.random_uniform(shape, 3, 10**12, tf.int64, seed=seed),
    "dropout": lambda shape, seed: tf.nn.dropout(tf.ones(shape), 0.5, seed=seed),
    "in a loop": lambda shape, seed: tf.while_loop(
        lambda i, _: i < 3,
        lambda i, total: (i + 1, total + tf.random_uniform(shape, seed=seed)),
        (0, tf.zeros(shape)),
        parallel_iterations=1,
    )[1],
    "in a branch": lambda shape, seed: tf.cond(
        tf.constant(True),
        lambda: tf.random_uniform(shape, seed=seed),
        lambda: tf.random_normal(shape, seed=seed),
    ),
}


@pytest.mark.parametrize("control_flow", [1, 2])
@pytest.mark.parametrize("kind", DRAWS)
def test_numbers_go_on_as_in_a_session(kind: str, control_flow: int) -> None:
    if control_flow == 1:
        tf.disable_control_flow_v2()
    try:
        with tf.Graph().as_default() as graph:
            size = tf.placeholder(tf.int32, [])
            numbers = DRAWS[kind](tf.stack([size, 3]), 5)
            other = DRAWS[kind]([2], -7)
    finally:
        tf.enable_control_flow_v2()
    calls = [(numbers, 4), ([numbers, other], 2), (numbers, 1), (other, 1), ([other, numbers], 300)]

    def drawn(session: Any) -> list[Any]:
        return [
            value
            for fetches, count in calls
            for value in np.atleast_1d(
                np.concatenate(
                    [np.ravel(v) for v in tf.nest.flatten(session.run(fetches, {size: count}))]
                )
            )
        ]

    with tf.Session(graph=graph) as session:
        expected = drawn(session)
    runner = graphs.Runner(graph=graph)
    assert drawn(runner) == expected
    assert drawn(graphs.Runner(graph=graph)) == expected  # a new runner begins anew, as a session


def test_without_a_seed_runners_differ() -> None:
    with tf.Graph().as_default() as graph:
        numbers = raw.RandomUniform(shape=[8], dtype=tf.float32, seed=0, seed2=0)
        first, second = graphs.Runner(graph=graph), graphs.Runner(graph=graph)
        assert first.run(numbers).tolist() != second.run(numbers).tolist()
