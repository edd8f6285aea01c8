"""Checkpoints of partitioned variables, as the recorder reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfmigrate_runtime.verify.recorder import record_checkpoints

pytestmark = pytest.mark.usefixtures("tensorflow_installed")


def test_slots_of_parts_that_are_not_whole_are_left_out(tmp_path: Path) -> None:
    """TensorFlow cuts a scope that an optimizer is in from their names, wherever it is."""
    import tensorflow.compat.v1 as tf

    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope("net", partitioner=tf.fixed_size_partitioner(2)):
            weights = tf.get_variable("weights", [4, 2], use_resource=False)
        loss = tf.reduce_sum(tf.square(tf.convert_to_tensor(weights)))
        with tf.variable_scope("training"):
            tf.train.AdamOptimizer().minimize(loss)
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
    read = record_checkpoints.contents(path)
    assert read["net/weights"].shape == (4, 2)
    assert {"training/beta1_power", "training/beta2_power"} < set(read)
