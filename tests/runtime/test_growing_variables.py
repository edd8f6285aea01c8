"""A variable that grows while an Estimator evaluates, as TFM732 migrates it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator


def _kept(values: Any, **shape: Any) -> tuple[Any, Any]:
    local = ["local_variables"]
    kept = tf.Variable([], trainable=False, collections=local, validate_shape=False, **shape)
    update = tf.assign(kept, tf.concat([kept, values], 0), validate_shape=False)
    return tf.reduce_sum(kept) + 100.0 * tf.cast(tf.size(kept), tf.float32), update


def _model(features: Any, labels: Any, mode: str) -> Any:
    loss = tf.reduce_mean(tf.square(tf.get_variable("w", []) * features - labels))
    step = tf.train.get_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    metrics = {"kept": _kept(features), "loose": _kept(features, shape=tf.TensorShape(None))}
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def _input() -> Any:
    numbers = np.arange(6, dtype=np.float32)
    return tf.data.Dataset.from_tensor_slices((numbers, numbers)).batch(4)


def test_a_metric_that_keeps_all_values(tmp_path: Path) -> None:
    model = estimator.Estimator(_model, str(tmp_path))
    model.train(_input, steps=1)

    # As on 1.15 (recorded): tf.size is that of the static shape, [0], unless the program created
    # the variable with validate_shape=False.
    found = model.evaluate(_input)
    assert found["kept"] == 15.0
    assert found["loose"] == 615.0
