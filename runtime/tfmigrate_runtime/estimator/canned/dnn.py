"""Fully connected networks on feature columns."""

import os
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.canned.head import Head
from tfmigrate_runtime.estimator.canned.logits import (
    checked_features,
    dnn_logits,
    input_partitioner_of,
    partitioner_of,
)
from tfmigrate_runtime.estimator.canned.optimizers import optimizer_of
from tfmigrate_runtime.estimator.canned.regression_head import RegressionHead
from tfmigrate_runtime.estimator.canned.version_1 import classification_head
from tfmigrate_runtime.estimator.estimator import Estimator
from tfmigrate_runtime.estimator.run_config import RunConfig
from tfmigrate_runtime.train.passed_on import pass_on

_LEARNING_RATE = 0.05


class _Dnn(Estimator):
    """A fully connected network under a head."""

    def __init__(
        self,
        head: Head,
        hidden_units: Sequence[int],
        feature_columns: Sequence[Any],
        model_dir: str | os.PathLike[str] | None = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        batch_norm: bool = False,
    ) -> None:
        """Makes an Estimator; ``DNNClassifier`` documents what it takes, but for the Head."""

        def model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> Any:
            features = checked_features(features)
            with tf.variable_scope("dnn", partitioner=partitioner_of(None, config)):
                logits = dnn_logits(
                    features,
                    mode,
                    head.logits_dimension,
                    hidden_units,
                    feature_columns,
                    activation_fn,
                    dropout,
                    input_partitioner_of(input_layer_partitioner, config),
                    batch_norm,
                )
                # Inside of the scope, where TensorFlow 1.15 named the slots.
                trained_by = optimizer_of(optimizer, _LEARNING_RATE)
                return head.create_estimator_spec(
                    features, mode, logits, labels, optimizer=trained_by
                )

        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class DNNClassifier(_Dnn):
    """Classification (``tf.estimator.DNNClassifier``, version 1)."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Sequence[Any],
        model_dir: str | os.PathLike[str] | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        loss_reduction: str = tf.losses.Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        """Makes an Estimator; nothing is built yet.

        Args:
            hidden_units: of every layer.
            feature_columns: dense columns.
            model_dir: the folder of checkpoints and events.
            n_classes: how many classes.
            weight_column: the name of a feature, or a numeric column, that weights examples.
            label_vocabulary: string labels; None where labels are numbers.
            optimizer: a tf.train.Optimizer, a function that makes one, or a name (rate 0.05).
            activation_fn: of every hidden layer.
            dropout: the probability that an activation is dropped, None for no dropout.
            input_layer_partitioner: of the columns' variables.
            config: the RunConfig.
            warm_start_from: a checkpoint, a folder with one, or WarmStartSettings.
            loss_reduction: a ``tf.losses.Reduction`` but NONE. SUM is the default of TensorFlow
                1.15.
            batch_norm: whether every hidden layer is followed by a batch normalisation.
        """
        head = classification_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        pass_on(super().__init__, locals())


class DNNRegressor(_Dnn):
    """Regression (``tf.estimator.DNNRegressor``, version 1)."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Sequence[Any],
        model_dir: str | os.PathLike[str] | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        loss_reduction: str = tf.losses.Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        """Makes an Estimator; ``DNNClassifier`` documents what it takes, too.

        ``label_dimension`` is how many numbers an example has.
        """
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        pass_on(super().__init__, locals())


class DNNEstimator(_Dnn):
    """Any head (``tf.estimator.DNNEstimator``, version 1)."""
