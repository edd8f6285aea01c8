"""Linear models on feature columns."""

import math
import os
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.canned.head import Head
from tfmigrate_runtime.estimator.canned.logits import (
    checked_features,
    input_partitioner_of,
    linear_logits,
)
from tfmigrate_runtime.estimator.canned.optimizers import optimizer_of
from tfmigrate_runtime.estimator.canned.regression_head import RegressionHead
from tfmigrate_runtime.estimator.canned.version_1 import classification_head
from tfmigrate_runtime.estimator.estimator import Estimator
from tfmigrate_runtime.estimator.run_config import RunConfig
from tfmigrate_runtime.train.passed_on import pass_on

_LEARNING_RATE = 0.2


class _Linear(Estimator):
    """A linear model under a head."""

    def __init__(
        self,
        head: Head,
        feature_columns: Sequence[Any],
        model_dir: str | os.PathLike[str] | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Any = None,
        sparse_combiner: str = "sum",
        warm_start_from: Any = None,
    ) -> None:
        """Makes an Estimator; ``LinearClassifier`` documents what it takes, but for the Head."""
        rate = min(_LEARNING_RATE, 1.0 / math.sqrt(len(feature_columns)))

        def model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> Any:
            features = checked_features(features)
            parts = input_partitioner_of(partitioner, config)
            with tf.variable_scope("linear", partitioner=parts):
                logits = linear_logits(
                    features, head.logits_dimension, feature_columns, sparse_combiner
                )
                # Inside of the scope, where TensorFlow 1.15 named the slots.
                if optimizer is None:
                    trained_by = optimizer_of("Ftrl", rate)
                else:
                    trained_by = optimizer_of(optimizer, _LEARNING_RATE)
                return head.create_estimator_spec(
                    features, mode, logits, labels, optimizer=trained_by
                )

        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class LinearClassifier(_Linear):
    """Classification (``tf.estimator.LinearClassifier``, version 1)."""

    def __init__(
        self,
        feature_columns: Sequence[Any],
        model_dir: str | os.PathLike[str] | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = tf.losses.Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        """Makes an Estimator; nothing is built yet.

        Args:
            feature_columns: dense or categorical columns.
            model_dir: the folder of checkpoints and events.
            n_classes: how many classes.
            weight_column: the name of a feature, or a numeric column, that weights examples.
            label_vocabulary: string labels; None where labels are numbers.
            optimizer: a tf.train.Optimizer, a function that makes one, or a name (rate 0.2).
            config: the RunConfig.
            partitioner: of the variables.
            warm_start_from: a checkpoint, a folder with one, or WarmStartSettings.
            loss_reduction: a ``tf.losses.Reduction`` but NONE. SUM is the default of TensorFlow
                1.15.
            sparse_combiner: "sum", "mean" or "sqrtn", for columns with several values.
        """
        head = classification_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        pass_on(super().__init__, locals())


class LinearRegressor(_Linear):
    """Regression (``tf.estimator.LinearRegressor``, version 1)."""

    def __init__(
        self,
        feature_columns: Sequence[Any],
        model_dir: str | os.PathLike[str] | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = tf.losses.Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        """Makes an Estimator; ``LinearClassifier`` documents what it takes, too.

        ``label_dimension`` is how many numbers an example has.
        """
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        pass_on(super().__init__, locals())


class LinearEstimator(_Linear):
    """Any head (``tf.estimator.LinearEstimator``, version 1)."""
