"""What chooses parameter servers, against tf.contrib.training of TensorFlow 1.15.5."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import training

VARIABLES = (
    ("a", [10, 4], tf.float32),
    ("b", [4], tf.float32),
    ("c", [4, 4], tf.float64),
    ("d", [], tf.int64),
    ("e", [30], tf.float32),
    ("f", [2], tf.int32),
)


@pytest.mark.parametrize("resources", [True, False])
@pytest.mark.parametrize(
    ("strategy", "tasks"),
    [
        (
            lambda: training.GreedyLoadBalancingStrategy(3, training.byte_size_load_fn),
            [0, 1, 2, 1, 1, 2],
        ),
        (lambda: training.RandomStrategy(3), [1, 0, 1, 0, 0, 2]),
        (lambda: training.RandomStrategy(3, seed=5), [2, 2, 0, 0, 2, 1]),
    ],
    ids=["greedy", "random", "random with a seed"],
)
def test_variables_are_on_the_servers_of_tensorflow_1(
    strategy: Any, tasks: list[int], resources: bool
) -> None:
    setter = tf.train.replica_device_setter(ps_tasks=3, ps_strategy=strategy())
    with tf.Graph().as_default(), tf.device(setter):
        made = [
            tf.get_variable(
                name, shape, kind, initializer=tf.zeros_initializer(), use_resource=resources
            )
            for name, shape, kind in VARIABLES
        ]
    assert [variable.device for variable in made] == [f"/job:ps/task:{task}" for task in tasks]


def test_load_of_an_operation_without_one_known_size_is_an_error() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="must have a single output"):
            training.byte_size_load_fn(tf.no_op())
        with pytest.raises(ValueError, match="not fully defined"):
            training.byte_size_load_fn(tf.placeholder(tf.float32, [None, 3]).op)


def test_handle_is_one_byte_where_only_some_variables_are_resources() -> None:
    with tf.Graph().as_default():
        variable = tf.get_variable("v", [5], use_resource=True)
    assert training.byte_size_load_fn(variable.op) == 20
    tf.disable_resource_variables()
    try:
        # The load that TensorFlow 1.15.5 had for it.
        assert training.byte_size_load_fn(variable.op) == 1
    finally:
        tf.enable_resource_variables()
