"""Ready-made models with fixed data, for TensorFlow 1.15 and for the runtime alike.

``scripts/record/record_canned.py`` runs every case with TensorFlow 1.15's tf.estimator and stores
what comes out; the tests run the same cases with the runtime. Python 3.7 has to understand this
file.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tensorflow.compat.v1 as tf

ROWS = 12
BATCH = 6
STEPS = 6

_random = np.random.RandomState(11)
FEATURES = {
    "x": _random.normal(size=(ROWS, 2)).astype(np.float32),
    "c": _random.choice(["a", "b", "z"], size=(ROWS, 2)),
    "d": _random.randint(0, 4, size=ROWS),
    "w": _random.uniform(0.5, 2.0, size=ROWS).astype(np.float32),
}
TWO = _random.randint(0, 2, size=ROWS)
THREE = np.array(["low", "mid", "high"])[_random.randint(0, 3, size=ROWS)]
NUMBERS = _random.normal(size=(ROWS, 2)).astype(np.float32)
VOCABULARY = ["low", "mid", "high"]
MEAN = tf.losses.Reduction.SUM_OVER_BATCH_SIZE


def dense_columns() -> Any:
    """Returns columns for a network."""
    column = tf.feature_column
    letters = column.categorical_column_with_vocabulary_list("c", ["a", "b"], num_oov_buckets=1)
    digits = column.categorical_column_with_identity("d", 4)
    return [
        column.numeric_column("x", shape=(2,)),
        column.embedding_column(letters, 2),
        column.indicator_column(digits),
    ]


def wide_columns() -> Any:
    """Returns columns for a linear model."""
    column = tf.feature_column
    letters = column.categorical_column_with_vocabulary_list("c", ["a", "b"], num_oov_buckets=1)
    digits = column.categorical_column_with_identity("d", 4)
    return [
        column.numeric_column("x", shape=(2,)),
        letters,
        column.crossed_column([letters, digits], 7),
        column.bucketized_column(column.numeric_column("w"), [1.0, 1.5]),
    ]


class Case(NamedTuple):
    """A model.

    Attributes:
        make: from the estimator module and the arguments common to all to an Estimator.
        labels: array [ROWS, ...].
        warm: whether make takes ``warm_start_from``.
        per_batch: why several replicas compute something else, "" where they do not.
    """

    make: Callable[..., Any]
    labels: Any
    warm: bool = True
    per_batch: str = ""


CASES: dict[str, Case] = {
    "dnn_classifier": Case(
        lambda e, **k: e.DNNClassifier([4, 3], dense_columns(), weight_column="w", **k), TWO
    ),
    "dnn_classifier_of_three": Case(
        lambda e, **k: e.DNNClassifier(
            [4],
            dense_columns(),
            n_classes=3,
            label_vocabulary=VOCABULARY,
            optimizer="SGD",
            activation_fn=tf.nn.tanh,
            batch_norm=True,
            **k,
        ),
        THREE,
        per_batch="batch normalisation takes the statistics of a replica's examples",
    ),
    "dnn_regressor": Case(
        lambda e, **k: e.DNNRegressor(
            [4],
            dense_columns(),
            label_dimension=2,
            optimizer=lambda: tf.train.AdamOptimizer(0.01),
            weight_column="w",
            **k,
        ),
        NUMBERS,
    ),
    "dnn_regressor_of_the_mean": Case(
        lambda e, **k: e.DNNRegressor(
            [4], dense_columns(), label_dimension=2, loss_reduction=MEAN, **k
        ),
        NUMBERS,
    ),
    "linear_classifier": Case(
        lambda e, **k: e.LinearClassifier(wide_columns(), weight_column="w", **k), TWO
    ),
    "linear_classifier_of_three": Case(
        lambda e, **k: e.LinearClassifier(
            wide_columns(),
            n_classes=3,
            label_vocabulary=VOCABULARY,
            optimizer="Adagrad",
            sparse_combiner="mean",
            **k,
        ),
        THREE,
    ),
    "linear_regressor": Case(
        lambda e, **k: e.LinearRegressor(wide_columns(), optimizer=None, **k), NUMBERS[:, 0]
    ),
    "combined_classifier": Case(
        lambda e, **k: e.DNNLinearCombinedClassifier(
            linear_feature_columns=wide_columns(),
            dnn_feature_columns=dense_columns(),
            dnn_hidden_units=[4],
            **k,
        ),
        TWO,
    ),
    "combined_regressor": Case(
        lambda e, **k: e.DNNLinearCombinedRegressor(
            linear_feature_columns=wide_columns(),
            linear_optimizer=tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
            dnn_feature_columns=dense_columns(),
            dnn_optimizer="Adam",
            dnn_hidden_units=[4, 2],
            **k,
        ),
        NUMBERS[:, 0],
    ),
    "baseline_classifier": Case(
        lambda e, **k: e.BaselineClassifier(weight_column="w", **k), TWO, warm=False
    ),
    "baseline_classifier_of_three": Case(
        lambda e, **k: e.BaselineClassifier(n_classes=3, label_vocabulary=VOCABULARY, **k),
        THREE,
        warm=False,
    ),
    "baseline_regressor": Case(
        lambda e, **k: e.BaselineRegressor(label_dimension=2, **k), NUMBERS, warm=False
    ),
}


class Observer(tf.train.SessionRunHook):  # type: ignore[misc]
    """Keeps the initial values of trainable variables and the loss of every step."""

    def __init__(self) -> None:
        self.losses: Any = []
        self.initial: Any = {}

    def begin(self) -> None:
        self._loss = tf.get_collection(tf.GraphKeys.LOSSES)[-1]
        # TensorFlow 1.15 makes variables of one part, under the name of the whole.
        self._variables = {v.op.name.replace("/part_0", ""): v for v in tf.trainable_variables()}

    def after_create_session(self, session: Any, coord: Any) -> None:
        self.initial = session.run(self._variables)

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.losses.append(run_values.results)


def results(module: Any, name: str, folder: str, config: Any, start: Any) -> dict[str, Any]:
    """Trains, evaluates and predicts with a model.

    Args:
        module: tf.estimator, or the runtime's.
        name: of the case.
        folder: the model_dir.
        config: the RunConfig.
        start: a checkpoint with the initial values, None for the model's own.

    Returns:
        Arrays by name: initial/*, loss, variable/*, metric/*, prediction/*.
    """
    case = CASES[name]
    warm = {"warm_start_from": start} if start and case.warm else {}
    model = case.make(module, model_dir=folder, config=config, **warm)

    def inputs(epochs: Any) -> Any:
        return module.inputs.numpy_input_fn(
            FEATURES, case.labels, batch_size=BATCH, num_epochs=epochs, shuffle=False
        )

    observer = Observer()
    model.train(inputs(None), steps=STEPS, hooks=[observer])
    found = {"initial/" + key: value for key, value in observer.initial.items()}
    found["loss"] = np.array(observer.losses)
    for variable in model.get_variable_names():
        found["variable/" + variable] = model.get_variable_value(variable)
    for key, value in model.evaluate(inputs(1)).items():
        found["metric/" + key] = np.asarray(value)
    rows = list(model.predict(inputs(1)))
    for key in rows[0]:
        column = np.stack([row[key] for row in rows])
        found["prediction/" + key] = column.astype("S") if column.dtype == object else column
    return found


def write_checkpoint(values: dict[str, Any], folder: str) -> str:
    """Writes variables into a checkpoint; returns its path."""
    with tf.Graph().as_default(), tf.Session() as session:
        for name, value in values.items():
            tf.get_variable(name, initializer=tf.constant(value), use_resource=False)
        session.run(tf.global_variables_initializer())
        return str(tf.train.Saver().save(session, str(Path(folder, "start"))))
