"""``initialized_value`` of the variables of Estimators, which are no reference variables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import FLOAT32, W0, X, Y, config, train, variables, weights

from tfmigrate_runtime import estimator

EVERY = 2


def _model(features: Any, labels: Any, mode: str) -> Any:
    """Adds up gradients and applies their mean, as programs with small batches do."""
    weight = weights()
    loss = tf.losses.mean_squared_error(labels, tf.matmul(features["x"], weight))
    step = tf.train.get_global_step()
    gradient = tf.gradients(loss, weight)[0]
    total = tf.Variable(tf.zeros_like(weight.initialized_value()), trainable=False, name="total")
    tf.Variable(2 * weight.initialized_value(), trainable=False, name="twice")
    rate = tf.where(tf.equal(step % EVERY, EVERY - 1), 0.1 / EVERY, 0.0)
    with tf.control_dependencies([total.assign_add(gradient)]):
        train_op = tf.group(weight.assign_sub(rate * total), step.assign_add(1))
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def test_a_variable_starts_at_that_of_another(tmp_path: Path) -> None:
    trained, _ = train(_model, tmp_path, config(replicas=1), steps=EVERY)
    values = variables(trained)
    gradient = 2 * X.T @ (X @ W0 - Y) / Y.size
    np.testing.assert_array_equal(values["twice"], 2 * W0)
    np.testing.assert_allclose(values["total"], EVERY * gradient, rtol=FLOAT32)
    np.testing.assert_allclose(values["w"], W0 - 0.1 * gradient, rtol=FLOAT32)


def test_replicas_of_a_variable_start_at_its_value(tmp_path: Path) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        weight = weights()
        copied = tf.get_variable("copied", initializer=weight.initialized_value(), trainable=False)
        loss = tf.losses.mean_squared_error(labels, tf.matmul(features["x"], weight))
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        return estimator.EstimatorSpec(mode, loss=loss + 0 * tf.norm(copied), train_op=train_op)

    trained, losses = train(model_fn, tmp_path, steps=1)
    np.testing.assert_array_equal(variables(trained)["copied"], W0)
    assert losses[0] == pytest.approx(np.mean((X @ W0 - Y) ** 2), rel=FLOAT32)
