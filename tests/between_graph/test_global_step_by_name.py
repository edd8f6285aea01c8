"""A step counter that a program makes itself is found by its name, as TensorFlow 1.x found it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.between_graph.global_step import find_by_name
from tfmigrate_runtime.between_graph.parameter_servers import ParameterServerStrategy


def test_counter_is_found() -> None:
    with tf.Graph().as_default():
        counter = tf.Variable(0, name="global_step", trainable=False, use_resource=True)
        assert find_by_name(counter) is counter
        assert tf.train.get_global_step() is counter
        assert tf.train.get_or_create_global_step() is counter


@pytest.mark.parametrize(
    ("name", "value"),
    [("steps", 0), ("global_step", 0.0), ("global_step", np.zeros(2, np.int32))],
)
def test_other_variables_are_not(name: str, value: Any) -> None:
    with tf.Graph().as_default():
        find_by_name(tf.Variable(value, name=name, use_resource=True))
        assert tf.get_collection(tf.GraphKeys.GLOBAL_STEP) == []


def test_counter_in_the_collection_stays() -> None:
    with tf.Graph().as_default():
        with tf.variable_scope("counters"):
            first = tf.train.create_global_step()
        find_by_name(tf.Variable(0, name="global_step", use_resource=True))
        assert tf.get_collection(tf.GraphKeys.GLOBAL_STEP) == [first]


def test_strategy_of_parameter_servers_finds_it() -> None:
    setter = tf.train.replica_device_setter(ps_tasks=1)
    with tf.Graph().as_default():
        strategy = ParameterServerStrategy(setter, "/job:worker/task:0", 1)

        def replica_fn() -> Any:
            return tf.Variable(0, name="global_step", trainable=False, use_resource=True)

        assert strategy.run(replica_fn) is tf.train.get_global_step()
