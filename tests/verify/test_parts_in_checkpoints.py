"""Checkpoints of partitioned variables, as the recorder reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfmigrate_runtime.verify.recorder.results import checkpoints

pytestmark = pytest.mark.usefixtures("tensorflow_installed")


def test_slots_that_are_saved_in_parts_are_named(tmp_path: Path) -> None:
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
    with pytest.raises(checkpoints.PartsError, match=r"net/weights/.*part_0/Adam"):
        checkpoints.contents(path)


def test_checkpoints_of_objects_are_read_without_their_graph(tmp_path: Path) -> None:
    """What model_to_estimator writes: a single string made the recorder fail with the program."""
    import numpy as np
    import tensorflow as tf

    saved = tf.train.Checkpoint(weights=tf.Variable([1.0]), name=tf.Variable("a"))
    contents = checkpoints.contents(saved.write(str(tmp_path / "model")))
    assert sorted(name.split("/")[0] for name in contents) == ["name", "weights"]
    assert all(isinstance(value, np.ndarray) for value in contents.values())
