"""Seeds are counted by the operations that have them."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def tf(tensorflow_installed: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """TensorFlow with pinned seeds."""
    import tensorflow.compat.v1 as tf
    from tensorflow.python.framework import random_seed

    from tfmigrate_runtime.verify.recorder.record_random import PinnedRandomness

    pinned = PinnedRandomness(tf.distribute.get_replica_context)
    monkeypatch.setattr(random_seed, "get_seed", pinned.get_seed)
    return tf


def seeds(graph: Any) -> list[tuple[str, int]]:
    operations = graph.get_operations()
    attributes = [(op.type, op.node_def.attr) for op in operations]
    return [(kind, attribute["seed2"].i) for kind, attribute in attributes if "seed2" in attribute]


@pytest.mark.parametrize("rate", [0, 0.0])
def test_a_dropout_of_rate_0_takes_no_seed(tf: Any, rate: float) -> None:
    """TensorFlow 2 requests one, 1.15 did not: all later masks were others."""
    with tf.Graph().as_default() as graph:
        x = tf.nn.dropout(tf.ones([4]), rate=rate)
        x = tf.nn.dropout(x, rate=0.5)
        tf.nn.dropout(tf.nn.dropout(x, rate=rate), rate=0.5)
    assert seeds(graph) == [("RandomUniform", 1), ("RandomUniform", 2)]


def test_input_pipelines_count_separately_and_loops_with_their_graph(tf: Any) -> None:
    with tf.Graph().as_default() as graph:
        dataset = tf.data.Dataset.range(3).shuffle(3)
        tf.random_normal([2])
        tf.data.make_one_shot_iterator(dataset).get_next()
        tf.while_loop(
            lambda i: i < 3, lambda i: i + tf.random_uniform([], maxval=2, dtype=tf.int32), [0]
        )
        tf.random_normal([2])
    assert next(seed for kind, seed in seeds(graph) if kind == "RandomStandardNormal") == 1
    assert len({seed for _, seed in seeds(graph)}) == len(seeds(graph))
