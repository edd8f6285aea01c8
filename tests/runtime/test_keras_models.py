"""Keras inside of a model function: what is refused, and the names of TensorFlow's it needs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import FLOAT32, MODES, W0, X, Y, batches, config, weights
from tf_keras.src import backend
from tf_keras.src.engine import base_layer, base_layer_v1
from tf_keras.src.layers.rnn import base_rnn, stacked_rnn_cells
from tf_keras.src.optimizers.legacy import optimizer_v2

from tfmigrate_runtime import estimator
from tfmigrate_runtime.estimator import keras_models, replicas


def _model_fn(network: Callable[[Any], Any]) -> Callable[..., Any]:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        loss = tf.losses.mean_squared_error(labels, network(features["x"]))
        if mode == MODES.EVAL:
            return estimator.EstimatorSpec(mode, loss=loss)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        step = optimizer.minimize(loss, tf.train.get_global_step())
        return estimator.EstimatorSpec(mode, loss=loss, train_op=step)

    return model_fn


def test_names_of_keras() -> None:
    assert isinstance(backend.get_default_graph_uid_map(), dict)
    for owner in (base_layer.Layer, base_layer_v1.Layer):
        assert {"__call__", "_init_set_name"} <= set(vars(owner))
    assert "build" in vars(base_rnn.RNN)
    assert "build" in vars(stacked_rnn_cells.StackedRNNCells)
    assert "_fix_unknown_dimension" in vars(tf.keras.layers.Reshape)
    assert "get_gradients" in vars(optimizer_v2.OptimizerV2)


def test_outside_of_the_runtime_keras_names_layers_as_ever() -> None:
    graph = replicas.ReplicaGraph()
    with keras_models.as_in_version_1(graph), graph.as_default():
        assert tf.keras.layers.ConvLSTM2D(1, 1).name == "conv_lst_m2d"
    with tf.Graph().as_default():
        assert tf.keras.layers.ConvLSTM2D(1, 1).name == "conv_lstm2d"


def test_a_model_takes_inputs_of_another_size_than_it_was_built_for(tmp_path: Path) -> None:
    # As the official MNIST model in programs that gave it CIFAR-10's target_shape only.
    def network(inputs: Any) -> Any:
        layers = [tf.keras.layers.Reshape((3, 1), input_shape=(2,)), tf.keras.layers.Flatten()]
        return tf.keras.Sequential([*layers, tf.keras.layers.Dense(1)])(inputs)

    model = estimator.Estimator(_model_fn(network), tmp_path / "m", config(2))
    model.train(batches(), steps=1)
    assert model.get_variable_value("dense/kernel").shape == (3, 1)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be unchanged"):
        tf.keras.Sequential([tf.keras.layers.Reshape((3, 1), input_shape=(2,))])


@pytest.mark.parametrize("count", [1, 2])
def test_a_layer_made_outside_is_good_for_one_graph(tmp_path: Path, count: int) -> None:
    layer = tf.keras.layers.Dense(1)
    model = estimator.Estimator(_model_fn(layer), tmp_path / "m", config(count))
    model.train(batches(), steps=1)
    with pytest.raises(ValueError, match=r"layer '.*' \(Dense\) has a variable.*inside the model"):
        model.evaluate(batches(epochs=1))


def test_a_model_built_outside_is_refused(tmp_path: Path) -> None:
    network = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
    model = estimator.Estimator(_model_fn(network), tmp_path / "m", config(1))
    with pytest.raises(ValueError, match=r"Keras model 'sequential.*Create the layers inside"):
        model.train(batches(), steps=1)


def test_slots_of_keras_optimizers_are_restored_on_another_number_of_replicas(
    tmp_path: Path,
) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        outputs = tf.keras.layers.Dense(1)(features["x"])
        loss = tf.losses.mean_squared_error(labels, outputs)
        optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
        optimizer.iterations = tf.train.get_or_create_global_step()
        updates = optimizer.get_updates(loss, tf.trainable_variables())
        return estimator.EstimatorSpec(mode, loss=loss, train_op=tf.group(updates))

    for count in (1, 2, 1):
        model = estimator.Estimator(model_fn, tmp_path / "m", config(count))
        model.train(batches(), steps=2)
    names = [name for name, _ in tf.train.list_variables(str(tmp_path / "m"))]
    assert "SGD/dense/kernel/momentum" in names
    assert [name for name in names if "replica" in name] == []
    assert tf.train.load_variable(str(tmp_path / "m"), "global_step") == 6


@pytest.mark.parametrize(
    ("count", "reduction", "factor"),
    [
        (1, tf.losses.Reduction.MEAN, 1.0),
        (2, tf.losses.Reduction.MEAN, 1.0),
        (2, tf.losses.Reduction.SUM, 2.0),
    ],
)
def test_updates_of_keras_optimizers_are_those_of_the_loss_reduction(
    tmp_path: Path, count: int, reduction: str, factor: float
) -> None:
    """The mean over replicas is that over the batch; a sum is twice as large."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        loss = tf.losses.mean_squared_error(labels, tf.matmul(features["x"], weights()))
        optimizer = tf.keras.optimizers.SGD(0.1)
        optimizer.iterations = tf.train.get_or_create_global_step()
        updates = optimizer.get_updates(loss, tf.trainable_variables())
        return estimator.EstimatorSpec(mode, loss=loss, train_op=tf.group(updates))

    options = config(count, loss_reduction=reduction)
    trained = estimator.Estimator(model_fn, tmp_path / "m", options)
    trained.train(batches(), steps=1)
    gradient = 2 * X.T @ (X @ W0 - Y) / len(X)
    np.testing.assert_allclose(
        trained.get_variable_value("w"), W0 - 0.1 * factor * gradient, atol=FLOAT32, rtol=0
    )
