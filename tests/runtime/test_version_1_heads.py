"""Heads of version 1: their arguments' order, what they refuse, and an Estimator that takes one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as tf
from runtime_support import X

from tfmigrate_runtime import estimator
from tfmigrate_runtime.estimator import heads

TRAIN = estimator.ModeKeys.TRAIN


def test_training_needs_one_of_optimizer_and_function() -> None:
    with tf.Graph().as_default():
        tf.train.get_or_create_global_step()
        head = heads.regression_head()
        logits = tf.get_variable("w", [2, 1])
        labels = tf.ones([2, 1])
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        with pytest.raises(ValueError, match="cannot both be None"):
            head.create_estimator_spec({}, TRAIN, logits, labels)
        with pytest.raises(ValueError, match="cannot both be set"):
            head.create_estimator_spec({}, TRAIN, logits, labels, optimizer, lambda _: tf.no_op())


def test_default_reductions() -> None:
    assert heads.multi_class_head(3).loss_reduction == tf.losses.Reduction.SUM_OVER_BATCH_SIZE
    private = heads._multi_class_head_with_softmax_cross_entropy_loss(3)
    assert private.loss_reduction == tf.losses.Reduction.SUM


def test_an_estimator_takes_one(tmp_path: Path) -> None:
    def batches() -> Any:
        labels = tf.constant([[1.0]] * len(X))
        return tf.data.Dataset.from_tensors(({"x": X}, labels)).repeat(3)

    width = X.shape[1]
    columns = [tf.feature_column.numeric_column("x", shape=(width,))]
    trained = estimator.DNNEstimator(
        heads.binary_classification_head(), [3], columns, tmp_path, optimizer="SGD"
    )
    trained.train(batches, steps=2)
    assert set(trained.evaluate(batches, steps=1)) >= {"auc", "average_loss", "loss"}
