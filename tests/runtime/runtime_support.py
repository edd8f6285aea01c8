"""Small models, data and hooks that the tests of the runtime share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator

# Two devices to make a strategy of, on any machine: TensorFlow sees one CPU device by default.
tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)

MODES = estimator.ModeKeys
ROWS = 8  # rows of a global batch; each of two replicas gets four
WIDTH = 3

# One float32 step after another: products and sums of eight rows in another order.
FLOAT32 = 2e-6

_random = np.random.RandomState(7)
X = _random.normal(size=(ROWS, WIDTH)).astype(np.float32)
Y = _random.normal(size=(ROWS, 1)).astype(np.float32)
W0 = _random.normal(size=(WIDTH, 1)).astype(np.float32)


def two_cpus() -> Any:
    """Returns a strategy of two CPU replicas."""
    return tf.distribute.MirroredStrategy(["/device:CPU:0", "/device:CPU:1"])


def config(replicas: int = 2, **fields: Any) -> estimator.RunConfig:
    """Returns a RunConfig as migrated programs write it: the batch is global."""
    strategy = two_cpus() if replicas == 2 else None
    given = {
        "train_distribute": strategy,
        "eval_distribute": strategy,
        "global_batch": True,
        "log_step_count_steps": None,
        "save_summary_steps": None,
        **fields,
    }
    return estimator.RunConfig(**given)


def batches(
    features: Any = None, labels: Any = None, size: int = ROWS, epochs: int | None = None
) -> Callable[[], Any]:
    """Returns an input function over arrays, in order, X and Y by default."""

    def input_fn() -> Any:
        data = ({"x": X}, Y) if features is None else (features, labels)
        rows = tf.data.Dataset.from_tensor_slices(data if data[1] is not None else data[0])
        return rows.repeat(epochs).batch(size)

    return input_fn


def weights(value: Any = W0, name: str = "w") -> Any:
    """Returns the model's one variable."""
    return tf.get_variable(name, initializer=tf.constant(value))


def linear_model(
    loss: Callable[[Any, Any], Any] = tf.losses.mean_squared_error,
    optimizer: Callable[[], Any] = lambda: tf.train.GradientDescentOptimizer(0.1),
    spec: Callable[[str, Any], Mapping[str, Any]] = lambda mode, output: {},
) -> Callable[..., Any]:
    """Returns a model function: a linear model with one variable "w".

    Args:
        loss: from labels and outputs to the loss.
        optimizer: makes the optimizer.
        spec: further fields of the EstimatorSpec, from the mode and the outputs.
    """

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        output = tf.matmul(features["x"], weights())
        if mode == MODES.PREDICT:
            return estimator.EstimatorSpec(mode, predictions={"y": output}, **spec(mode, output))
        value = loss(labels, output)
        train_op = None
        if mode == MODES.TRAIN:
            train_op = optimizer().minimize(value, tf.train.get_global_step())
        return estimator.EstimatorSpec(mode, loss=value, train_op=train_op, **spec(mode, output))

    return model_fn


class Losses(tf.train.SessionRunHook):  # type: ignore[misc]
    """Keeps the reported loss and the global step of every step."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def begin(self) -> None:
        # The Estimator puts the loss that it reports there last.
        self._loss = tf.get_collection(tf.GraphKeys.LOSSES)[-1]

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.values.append(float(run_values.results))


def train(
    model_fn: Callable[..., Any],
    folder: Path,
    run_config: Any = None,
    steps: int = 2,
    input_fn: Callable[..., Any] | None = None,
    hooks: Sequence[Any] = (),
) -> tuple[Any, list[float]]:
    """Trains a model; returns the Estimator and the loss of every step."""
    losses = Losses()
    trained = estimator.Estimator(model_fn, folder, run_config or config())
    trained.train(input_fn or batches(), hooks=[losses, *hooks], steps=steps)
    return trained, losses.values


def variables(trained: Any) -> dict[str, Any]:
    """Returns the arrays of the latest checkpoint by name."""
    return {name: trained.get_variable_value(name) for name in trained.get_variable_names()}
