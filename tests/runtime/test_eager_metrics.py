"""tf.contrib.eager.metrics in a graph; tests/symbols has their numbers in eager mode."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.eager import metrics


def test_a_metric_of_a_graph_is_updated_by_one_op() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        accuracy = metrics.Accuracy()
        fed = tf.placeholder(tf.int32, [3])
        update = accuracy([1, 2, 3], fed)
        result = accuracy.value()
        local = {variable.name for variable in tf.local_variables()}
        assert local == {"Accuracy/numer:0", "Accuracy/denom:0"}
        session.run(accuracy.init_variables())
        for values in ([1, 2, 0], [0, 0, 0], [1, 2, 3]):
            session.run(update, {fed: values})
        assert session.run(result) == 5 / 9


def test_checkpoints_have_the_variables() -> None:
    with tf.Graph().as_default(), tf.init_scope():
        mean = metrics.Mean("loss")
        mean(2.0)
        names = {name for name, _ in mean._trackable_children().items()}
        assert names == {"numer", "denom"}
