"""Steps that read and count the global step without an order read it first, as TensorFlow 1.15."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import FLOAT32, W0, X, Y, config, train, variables, weights

from tfmigrate_runtime import estimator

STEPS = 4


def _counted(count: Callable[[Any], Any]) -> Callable[..., Any]:
    """Returns a model function that applies gradients at steps 0 and 2, and counts by itself."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        weight = weights()
        loss = tf.losses.mean_squared_error(labels, tf.matmul(features["x"], weight))
        step = tf.train.get_global_step()
        rate = tf.train.exponential_decay(0.1, step, 1, 0.5, staircase=True)
        optimizer = tf.train.GradientDescentOptimizer(rate)
        pairs = optimizer.compute_gradients(loss)
        is_even = tf.cast(tf.equal(step % 2, 0), tf.float32)
        apply = optimizer.apply_gradients([(is_even * g, v) for g, v in pairs])
        return estimator.EstimatorSpec(mode, loss=loss, train_op=tf.group(apply, count(step)))

    return model_fn


@pytest.mark.parametrize(
    "count", [lambda step: step.assign_add(1), lambda step: step.assign(step + 1)]
)
def test_a_step_reads_before_it_counts(count: Any, tmp_path: Path) -> None:
    trained, losses = train(_counted(count), tmp_path, config(replicas=1), STEPS)
    weight, expected = W0, []
    for step in range(STEPS):
        expected.append(float(np.mean((X @ weight - Y) ** 2)))
        if step % 2 == 0:
            weight = weight - 0.1 * 0.5**step * 2 * X.T @ (X @ weight - Y) / Y.size
    np.testing.assert_allclose(losses, expected, rtol=FLOAT32)
    np.testing.assert_allclose(variables(trained)["w"], weight, rtol=FLOAT32)
