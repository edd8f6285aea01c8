"""Heads compute what those of TensorFlow 1.15 do."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any

import canned_cases
import head_calls
import head_cases
import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from long_tail import one_in
from runtime_support import two_cpus
from test_canned import assert_same, name_over_replicas

from tfmigrate_runtime import estimator

RECORDED = Path(__file__).parent / "heads_of_tensorflow_1_15.npz"


@functools.cache
def recorded(name: str) -> dict[str, Any]:
    """Returns what TensorFlow 1.15 computed in a case."""
    with np.load(RECORDED) as arrays:
        return {key[len(name) + 1 :]: arrays[key] for key in arrays if key.startswith(f"{name}/")}


def computed(name: str, folder: Path, config: Any) -> dict[str, Any]:
    """Returns what the runtime computes from the same initial values."""
    initial = {
        key[len("initial/") :]: value
        for key, value in recorded(name).items()
        if key.startswith("initial/")
    }
    start = canned_cases.write_checkpoint(initial, str(folder))
    return head_cases.results(estimator, name, str(folder / "model"), config, start)


@pytest.mark.parametrize("name", one_in(4, head_cases.CASES))
def test_one_device_computes_what_tensorflow_1_15_did(name: str, tmp_path: Path) -> None:
    assert_same(computed(name, tmp_path, estimator.RunConfig()), recorded(name))


@pytest.mark.parametrize("name", one_in(3, head_cases.CASES))
def test_two_replicas_compute_what_one_device_of_tensorflow_1_15_did(
    name: str, tmp_path: Path
) -> None:
    strategy = two_cpus()
    # The sum over a batch is the sum of its parts' sums; its mean is the mean of their means.
    with tf.Graph().as_default():
        by_sum = head_cases.CASES[name].head(estimator).loss_reduction == "sum"
    config = estimator.RunConfig(
        train_distribute=strategy,
        eval_distribute=strategy,
        global_batch=True,
        loss_reduction=tf.losses.Reduction.SUM if by_sum else None,
    )
    expected = {name_over_replicas(key): value for key, value in recorded(name).items()}
    assert_same(computed(name, tmp_path, config), expected)


@pytest.mark.parametrize("name", head_calls.VALUES)
def test_calls_of_heads_return_what_those_of_tensorflow_1_15_did(name: str) -> None:
    assert_same(head_calls.values(estimator, name), recorded(f"value_of_{name}"))


@pytest.mark.parametrize("name", head_calls.ERRORS)
def test_errors_are_those_of_tensorflow_1_15(name: str) -> None:
    assert head_calls.message(estimator, name) == recorded("error")[name]


class SquaredHead(estimator.Head):
    """A head of a user's own, with what tf.estimator.Head asks for."""

    name = "own"
    logits_dimension = 1
    loss_reduction = "sum_over_batch_size"

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: Any = None,
        regularization_losses: Any = None,
    ) -> Any:
        return tf.reduce_mean(tf.square(tf.cast(labels[:, tf.newaxis], tf.float32) - logits))

    def predictions(self, logits: Any, keys: Any = None) -> dict[Any, Any]:
        return {"squares": tf.square(logits)}

    def create_estimator_spec(
        self, features: Any, mode: str, logits: Any, labels: Any = None, **given: Any
    ) -> Any:
        predictions = self.predictions(logits)
        if mode == estimator.ModeKeys.PREDICT:
            outputs = {"served": estimator.export.PredictOutput(predictions)}
            return estimator.EstimatorSpec(mode, predictions, export_outputs=outputs)
        loss = self.loss(labels, logits)
        train_op = given["train_op_fn"](loss) if mode == estimator.ModeKeys.TRAIN else None
        metrics = {"mean/own": tf.metrics.mean(predictions["squares"])}
        return estimator.EstimatorSpec(mode, predictions, loss, train_op, metrics)


def heads_with_an_own_one() -> Any:
    return estimator.MultiHead([SquaredHead(), estimator.MultiLabelHead(3, name="several")])


def model_with_an_own_head(folder: Path) -> Any:
    """Returns a trained model."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        head = heads_with_an_own_one()
        logits = tf.layers.dense(features["x"], head.logits_dimension)
        train_op_fn = head_cases.training(tf.train.GradientDescentOptimizer(0.1))
        return head.create_estimator_spec(features, mode, logits, labels, train_op_fn=train_op_fn)

    model = estimator.Estimator(model_fn, folder)
    model.train(inputs, steps=3)
    return model


def inputs() -> Any:
    labels = {"own": head_cases.TWO, "several": head_cases.SEVERAL}
    features = {"x": head_cases.FEATURES["x"]}
    return tf.data.Dataset.from_tensor_slices((features, labels)).batch(head_cases.ROWS).repeat(3)


def test_a_users_own_head_is_one_of_several(tmp_path: Path) -> None:
    model = model_with_an_own_head(tmp_path)
    metrics = model.evaluate(inputs, steps=1)
    (row, *_) = model.predict(inputs, yield_single_examples=False)
    assert set(row) == {("own", "squares"), ("several", "logits"), ("several", "probabilities")}
    # float32 means of twelve rows
    assert metrics["mean/own"] == pytest.approx(row["own", "squares"].mean(), rel=1e-6)
    assert metrics["loss"] == pytest.approx(metrics["loss/own"] + metrics["loss/several"], rel=1e-6)


def test_outputs_of_all_modes_have_the_names_of_their_heads(tmp_path: Path) -> None:
    model = model_with_an_own_head(tmp_path / "model")
    with tf.Graph().as_default():
        features = {"x": tf.placeholder(tf.float32, [1, 2], name="x")}
        labels = {
            "own": tf.placeholder(tf.int64, [1], name="own"),
            "several": tf.placeholder(tf.int64, [1, 3], name="several"),
        }
        supervised = estimator.experimental.build_raw_supervised_input_receiver_fn(features, labels)
        serving = estimator.export.build_raw_serving_input_receiver_fn(features)
    folder = model.experimental_export_all_saved_models(
        tmp_path / "export",
        {estimator.ModeKeys.EVAL: supervised, estimator.ModeKeys.PREDICT: serving},
    )
    names = {}
    for tag in ("eval", "serve"):
        with tf.Graph().as_default(), tf.Session() as session:
            loaded = tf.saved_model.load(session, [tag], os.fsdecode(folder))
            names[tag] = {key: set(s.outputs) for key, s in loaded.signature_def.items()}
    assert names["serve"] == {
        "serving_default": {"squares"},
        "own/served": {"squares"},
        "own": {"squares"},  # the only output of a head is also its default
        "several/predict": {"logits", "probabilities"},
        "predict": {"several/logits", "several/probabilities"},
    }
    assert {name for name in names["eval"]["eval"] if name.startswith("predictions/")} == {
        "predictions/own/squares",
        "predictions/several/logits",
        "predictions/several/probabilities",
    }


def test_heads_have_different_names() -> None:
    pair = [estimator.RegressionHead(name="a"), estimator.BinaryClassHead(name="a")]
    with pytest.raises(ValueError, match="All given heads must have different names"):
        estimator.MultiHead(pair)


def test_an_optimizer_of_another_kind_is_refused() -> None:
    head = estimator.LogisticRegressionHead()
    with pytest.raises(ValueError, match="The given optimizer is not a"):
        head.create_estimator_spec({}, "train", tf.zeros([2, 1]), tf.zeros([2]), optimizer="SGD")
