"""An Estimator whose calls are listed, with a model of one variable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator
from tfmigrate_runtime.learn import Experiment
from tfmigrate_runtime.learn.utils.saved_model_export_utils import make_export_strategy

ROWS = [[float(i % 5), 1.0] for i in range(40)]
LABELS = [[2.0 * row[0] - 1.0] for row in ROWS]
Call = tuple[Any, ...]


class ListedEstimator(estimator.Estimator):
    """Lists (kind, global step before, after, name) of its calls; exports have one step."""

    def __init__(self, folder: Path, **config: Any) -> None:
        self.calls: list[Call] = []
        super().__init__(model_fn, folder, estimator.RunConfig(**config))
        # Of this object alone: an Estimator's class may not replace what others call.
        vars(self).update(
            train=self.listed_train,
            evaluate=self.listed_evaluate,
            export_savedmodel=self.listed_export,
        )

    @property
    def step(self) -> int:
        path = self.latest_checkpoint()
        return int(tf.train.load_variable(path, "global_step")) if path else 0

    def listed_train(self, *arguments: Any, **options: Any) -> Any:
        index, before = len(self.calls), self.step
        super().train(*arguments, **options)
        self.calls.insert(index, ("train", before, self.step))
        return self

    def listed_evaluate(self, *arguments: Any, **options: Any) -> Any:
        metrics = super().evaluate(*arguments, **options)
        self.calls.append(("evaluate", int(metrics["global_step"]), options.get("name")))
        return metrics

    def listed_export(self, *arguments: Any, **options: Any) -> Any:
        self.calls.append(("export", self.step))
        return super().export_savedmodel(*arguments, **options)


def model_fn(features: Any, labels: Any, mode: str) -> Any:
    """A linear model."""
    w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
    output = tf.matmul(features["x"], w)
    if mode == estimator.ModeKeys.PREDICT:
        outputs = {"serving_default": estimator.export.PredictOutput({"y": output})}
        return estimator.EstimatorSpec(mode, {"y": output}, export_outputs=outputs)
    loss = tf.losses.mean_squared_error(labels, output)
    train_op = tf.train.GradientDescentOptimizer(0.02).minimize(loss, tf.train.get_global_step())
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def train_input_fn() -> Any:
    """Gives batches of 4 rows, in order, for ever."""
    return tf.data.Dataset.from_tensor_slices(({"x": ROWS}, LABELS)).repeat().batch(4)


def eval_input_fn() -> Any:
    """Gives three batches."""
    return tf.data.Dataset.from_tensor_slices(({"x": ROWS}, LABELS)).batch(4).take(3)


def serving_input_fn() -> Any:
    """Takes the features of a request."""
    x = tf.placeholder(tf.float32, [None, 2])
    return estimator.export.ServingInputReceiver({"x": x}, {"x": x})


def experiment(folder: Path, steps_of_checkpoints: int | None = None, **options: Any) -> Experiment:
    """Returns an Experiment on a ListedEstimator, with twelve steps and one export strategy."""
    config = (
        {} if steps_of_checkpoints is None else {"save_checkpoints_steps": steps_of_checkpoints}
    )
    given = {
        "train_steps": 12,
        "eval_delay_secs": 0,
        "export_strategies": make_export_strategy(serving_input_fn),
        **options,
    }
    return Experiment(ListedEstimator(folder, **config), train_input_fn, eval_input_fn, **given)
