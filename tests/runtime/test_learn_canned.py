"""contrib.learn's ready-made Estimators: what cannot be, and what their cases do not show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import FLOAT32

from tfmigrate_runtime import layers, learn

AGE = layers.real_valued_column("age")
KIND = layers.sparse_column_with_keys("kind", ["a", "b"])


def input_fn() -> tuple[dict[str, Any], Any]:
    features = {"age": tf.constant([[1.0], [2.0]]), "kind": tf.constant([["a"], ["b"]])}
    return features, tf.constant([[1], [0]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: learn.DNNClassifier([2], [AGE], n_classes=1), "n_classes must be > 1"),
        (lambda: learn.DNNClassifier([2], [AGE], label_keys=["a", "b"]), "not supported"),
        (lambda: learn.LinearClassifier([AGE], n_classes=3, label_keys=["a"]), "Length of"),
        (lambda: learn.LinearRegressor([]), "must not be empty"),
        (lambda: learn.DNNLinearCombinedRegressor(), "Either linear_feature_columns"),
        (
            lambda: learn.DNNLinearCombinedClassifier(dnn_feature_columns=[AGE]),
            "dnn_hidden_units must be defined",
        ),
    ],
)
def test_what_cannot_be(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weight_column_name": "weight"}, "Weights weight missing"),
        ({"activation_fn": "swish"}, "Activation name should be one of"),
        ({"embedding_lr_multipliers": {AGE: 0.5}}, "can only be defined for embedding columns"),
        (
            {"embedding_lr_multipliers": {layers.embedding_column(KIND, 2): 0.5}},
            "Couldn't find a variable",
        ),
    ],
)
def test_what_a_model_cannot_have(arguments: dict[str, Any], message: str, tmp_path: Path) -> None:
    network = learn.DNNClassifier([2], [AGE], model_dir=str(tmp_path), **arguments)
    with pytest.raises(ValueError, match=message):
        network.fit(input_fn=input_fn, steps=1)


def test_columns_of_the_core_and_a_centered_bias(tmp_path: Path) -> None:
    columns = [
        tf.feature_column.numeric_column("age"),
        tf.feature_column.indicator_column(
            tf.feature_column.categorical_column_with_vocabulary_list("kind", ["a", "b"])
        ),
    ]
    model = learn.LinearClassifier(
        columns,
        model_dir=str(tmp_path),
        optimizer=lambda: tf.train.GradientDescentOptimizer(0.5),
        enable_centered_bias=True,
    )
    first = model.fit(input_fn=input_fn, steps=1).evaluate(input_fn=input_fn, steps=1)
    last = model.fit(input_fn=input_fn, steps=20).evaluate(input_fn=input_fn, steps=1)
    assert last["loss"] < first["loss"] < np.log(2.0)
    assert last["accuracy"] == 1.0
    names = model.get_variable_names()
    assert "linear/binary_logistic_head/centered_bias_weight" in names


def test_arrays_and_several_outputs(tmp_path: Path) -> None:
    x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], np.float32)
    y = x @ np.array([[2.0, 0.0], [0.0, 3.0]], np.float32)
    model = learn.DNNRegressor(
        [4],
        [layers.real_valued_column("", dimension=2)],
        model_dir=str(tmp_path),
        activation_fn="tanh",
        dropout=0.1,
        label_dimension=2,
    )
    model.fit(x, y, steps=2, batch_size=3)
    error = model.evaluate(x, y, steps=1, metrics={"error": tf.metrics.mean_squared_error})
    scores = model.predict(x, as_iterable=False)
    np.testing.assert_allclose(error["error"], error["loss"], rtol=FLOAT32)
    np.testing.assert_allclose(error["loss"], np.mean((scores - y) ** 2), rtol=FLOAT32)
    outputs = list(model.predict(x, outputs=["scores"]))
    np.testing.assert_allclose([output["scores"] for output in outputs], scores, rtol=FLOAT32)


def test_variables_of_an_optimizer_are_named_after_the_training_op(tmp_path: Path) -> None:
    """As in TensorFlow 1.15.5, whose checkpoints are restored by these names."""
    adam = tf.train.AdamOptimizer(0.1)
    network = learn.LinearClassifier([AGE], str(tmp_path), n_classes=3, optimizer=adam)
    network.fit(input_fn=input_fn, steps=1)
    powers = [name for name in network.get_variable_names() if "beta1" in name]
    assert powers == ["linear/multi_class_head/train_op/beta1_power"]
