"""Small models on towers, run alike by TensorFlow 1.15 and by the legacy runtime.

Python 3.7 has to understand this file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

estimator = tf.contrib.estimator
TRAIN, EVAL, PREDICT = "train", "eval", "infer"
TWO = ["/device:CPU:0", "/device:CPU:1"]
ROWS = 8


def columns(rows: int, width: int, start: float) -> np.ndarray:
    """Returns float32 [rows, width] that repeats nowhere."""
    values = np.sin(start + 1.7 * np.arange(rows * width, dtype=np.float64))
    return values.reshape(rows, width).astype(np.float32)


X = 2.0 * columns(ROWS, 4, 0.3)
Y = columns(ROWS, 1, 2.0) + X[:, :1]


def fixed(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
    """Initialises a variable with numbers that depend on its shape only."""
    del dtype, partition_info
    return tf.constant(0.5 * columns(int(np.prod(shape)), 1, 1.0).reshape([int(n) for n in shape]))


def network(x: Any) -> Any:
    """Returns float32 [batch, 1] of a network 4-5-1, its variables by tf.get_variable."""
    hidden = tf.nn.relu(
        tf.matmul(x, tf.get_variable("w1", [4, 5], initializer=fixed))
        + tf.get_variable("b1", [5], initializer=fixed)
    )
    return tf.matmul(hidden, tf.get_variable("w2", [5, 1], initializer=fixed))


def squared(labels: Any, found: Any, reduction: str = "weighted_sum_over_batch_size") -> Any:
    """Returns the squared error, as a mean over the rows unless told otherwise."""
    return tf.losses.mean_squared_error(labels, found, reduction=reduction)


def train_spec(loss: Any, optimizer: Any = None, **fields: Any) -> Any:
    """Returns a spec that trains with a TowerOptimizer over gradient descent or another."""
    optimizer = optimizer or tf.train.GradientDescentOptimizer(0.05)
    step = tf.train.get_or_create_global_step()
    train_op = estimator.TowerOptimizer(optimizer).minimize(loss, global_step=step)
    return tf.estimator.EstimatorSpec(TRAIN, loss=loss, train_op=train_op, **fields)


def session() -> Any:
    """Returns a session with two CPU devices."""
    config = tf.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=True)
    return tf.Session(config=config)


def initialized() -> Any:
    """Returns a session with all variables of the default graph initialised."""
    opened = session()
    opened.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    return opened


def variables_of(opened: Any) -> dict[str, Any]:
    """Returns the value of every global variable, by its name."""
    found = {variable.op.name: variable for variable in tf.global_variables()}
    return {name: value.tolist() for name, value in opened.run(found).items()}


def trained(
    model_fn: Callable[..., Any],
    reduction: Any = None,
    devices: Any = TWO,
    steps: int = 2,
    features: Any = X,
    labels: Any = Y,
    params: Any = None,
) -> dict[str, Any]:
    """Trains a model function on towers.

    Returns:
        "losses", one for each step; "variables" afterwards; "loss_name"; "devices" of the
        variables.
    """
    reduction = reduction or tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS
    with tf.Graph().as_default():
        replicated = estimator.replicate_model_fn(model_fn, reduction, devices)
        given = (
            {name: tf.constant(value) for name, value in features.items()}
            if isinstance(features, dict)
            else tf.constant(features)
        )
        spec = replicated(given, tf.constant(labels), TRAIN, params=params, config=None)
        return _results(spec, steps)


def trained_plainly(
    model_fn: Callable[..., Any], steps: int = 2, features: Any = X, labels: Any = Y
) -> dict[str, Any]:
    """Trains a model function on one device, without replicate_model_fn."""
    with tf.Graph().as_default():
        return _results(model_fn(tf.constant(features), tf.constant(labels), TRAIN), steps)


def _results(spec: Any, steps: int) -> dict[str, Any]:
    with initialized() as opened:
        losses = []
        for _ in range(steps):
            # Not in one run with the update, which may come before a loss that no gradient needs.
            losses.append(float(opened.run(spec.loss)))
            opened.run(spec.train_op)
        return {
            "losses": losses,
            "variables": variables_of(opened),
            "loss_name": spec.loss.name,
            "devices": {v.op.name: v.device for v in tf.global_variables()},
        }


def error_of(call: Callable[[], Any], whole: bool = True) -> list[str]:
    """Returns the kind and the text of the error that a call raises.

    Args:
        call: what raises.
        whole: False leaves out the text, where it is one of TensorFlow's own that changes.
    """
    try:
        with tf.Graph().as_default():
            call()
    except Exception as error:
        return [type(error).__name__, str(error) if whole else ""]
    raise AssertionError("nothing was raised")
