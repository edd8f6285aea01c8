"""Savers, Scaffolds and partitioned tables of models on several replicas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf
from runtime_support import (
    FLOAT32,
    MODES,
    ROWS,
    W0,
    WIDTH,
    Y,
    batches,
    config,
    linear_model,
    train,
    weights,
)

from tfmigrate_runtime import estimator

IDS = np.arange(ROWS).astype(np.int64)


def table_model(features: Any, labels: Any, mode: str) -> Any:
    """Looks rows up in a partitioned table, whose rows "mod" takes from partitions in turns."""
    table = tf.get_variable(
        "table", [ROWS, 1], initializer=tf.zeros_initializer(), partitioner=lambda **_: [3, 1]
    )
    output = tf.nn.embedding_lookup(table, features["ids"])
    if mode == MODES.PREDICT:
        return estimator.EstimatorSpec(mode, predictions={"y": output})
    loss = tf.losses.mean_squared_error(labels, output)
    train_op = tf.train.GradientDescentOptimizer(0.5).minimize(loss, tf.train.get_global_step())
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def rows_of_part(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
    """Starts a variable from how many rows it, or its part, has."""
    del partition_info
    return tf.fill(shape, tf.cast(shape[0], dtype))


def model_in_parts(features: Any, labels: Any, mode: str) -> Any:
    kernel = tf.get_variable(
        "kernel", [WIDTH, 1], initializer=rows_of_part, partitioner=tf.fixed_size_partitioner(3)
    )
    output = tf.matmul(features["x"], tf.convert_to_tensor(kernel))
    loss = tf.losses.mean_squared_error(labels, output)
    train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, tf.train.get_global_step())
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def test_replicas_for_towers_train_parts_as_one_device_does(tmp_path: Path) -> None:
    """Parts were joined, as other strategies join them: each step was another one."""
    folders = [tmp_path / name for name in ("alone", "twice", "in_two_runs")]
    _, alone = train(model_in_parts, folders[0], config(1), steps=4)
    _, twice = train(model_in_parts, folders[1], steps=4)
    _, first = train(model_in_parts, folders[2], steps=2)
    _, second = train(model_in_parts, folders[2], steps=2)
    np.testing.assert_allclose(twice, alone, rtol=FLOAT32)
    assert [*first, *second] == twice  # all replicas have the parts that were restored
    names = [tf.train.list_variables(str(folder)) for folder in folders[:2]]
    assert names[0] == names[1]
    assert ("kernel", [WIDTH, 1]) in names[0]
    assert second[-1] < first[0]


def test_one_device_predicts_with_a_partitioned_table_that_replicas_trained(
    tmp_path: Path,
) -> None:
    input_fn = batches({"ids": IDS}, Y)
    trained, losses = train(table_model, tmp_path, steps=40, input_fn=input_fn)
    assert losses[-1] < 0.01 * losses[0]
    epoch = batches({"ids": IDS}, Y, epochs=1)
    alone = estimator.Estimator(
        table_model, trained.model_dir, trained.config.replace(eval_distribute=None)
    )
    predicted = np.stack([row["y"] for row in alone.predict(epoch)])
    # Forty steps leave 0.875^40 of what is to be learnt: less than 0.5 %.
    np.testing.assert_allclose(predicted, Y, atol=0.05)


def test_a_saver_of_the_model_saves_and_restores_all_replicas(tmp_path: Path) -> None:
    def spec(mode: str, output: Any) -> dict[str, Any]:
        del output
        saver = tf.train.Saver(max_to_keep=1) if mode == MODES.TRAIN else None
        return {"scaffold": tf.train.Scaffold(saver=saver)}

    model_fn = linear_model(spec=spec)
    train(model_fn, tmp_path / "twice", steps=2)
    _, continued = train(model_fn, tmp_path / "twice", steps=2)
    _, whole = train(model_fn, tmp_path / "once", steps=4)
    assert continued == whole[2:]


def test_a_saver_by_names_restores_all_replicas(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        other = tf.get_variable("other", initializer=tf.constant(2 * W0))
        session.run(other.initializer)
        path = tf.train.Saver([other]).save(session, str(tmp_path / "other"))

    def spec(mode: str, output: Any) -> dict[str, Any]:
        del output
        if mode != MODES.TRAIN:
            return {}
        with tf.variable_scope(tf.get_variable_scope(), reuse=True):
            saver = tf.train.Saver({"other": weights()})
        return {
            "scaffold": tf.train.Scaffold(init_fn=lambda _, session: saver.restore(session, path))
        }

    def doubled(features: Any, labels: Any, mode: str) -> Any:
        return linear_model()({"x": 2 * features["x"]}, labels, mode)

    # The loss of weights that were doubled is that of features that are.
    _, restored = train(linear_model(spec=spec), tmp_path / "restored", steps=1)
    _, expected = train(doubled, tmp_path / "expected", steps=1)
    assert restored == expected


def test_one_init_fn_for_each_replica(tmp_path: Path) -> None:
    calls: list[int] = []

    def spec(mode: str, output: Any) -> dict[str, Any]:
        return {"scaffold": tf.train.Scaffold(init_fn=lambda *_: calls.append(1))}

    train(linear_model(spec=spec), tmp_path / "two", steps=1)
    assert len(calls) == 2
    train(linear_model(spec=spec), tmp_path / "one", config(replicas=1), steps=1)
    assert len(calls) == 3
