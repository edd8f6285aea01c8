"""Models that ignore their features."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.canned.head import Head
from tfmigrate_runtime.estimator.canned.labels_and_weights import weight_key
from tfmigrate_runtime.estimator.canned.optimizers import optimizer_of
from tfmigrate_runtime.estimator.canned.regression_head import RegressionHead
from tfmigrate_runtime.estimator.canned.version_1 import classification_head
from tfmigrate_runtime.estimator.estimator import Estimator
from tfmigrate_runtime.estimator.run_config import RunConfig
from tfmigrate_runtime.train.passed_on import pass_on

_LEARNING_RATE = 0.3


class _Baseline(Estimator):
    """One bias a logit under a head: what can be said without looking at the features."""

    def __init__(
        self,
        head: Head,
        model_dir: str | os.PathLike[str] | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        weight_column: Any = None,
    ) -> None:
        """Makes an Estimator; ``BaselineClassifier`` documents what it takes, but for the Head."""

        def model_fn(features: Any, labels: Any, mode: str) -> Any:
            with tf.variable_scope("baseline"):
                bias = tf.get_variable(
                    "bias", shape=[head.logits_dimension], initializer=tf.zeros_initializer()
                )
            rows = _batch_size(features, weight_key(weight_column))
            logits = tf.multiply(bias, tf.ones([rows, head.logits_dimension]))
            return head.create_estimator_spec(
                features, mode, logits, labels, optimizer=optimizer_of(optimizer, _LEARNING_RATE)
            )

        super().__init__(model_fn, model_dir, config)


def _batch_size(features: Any, key_of_weights: str | None) -> Any:
    """Returns the size of the first axis of any feature."""
    if not isinstance(features, Mapping):
        return tf.shape(features)[0]
    named = [tensor for name, tensor in features.items() if name != key_of_weights]
    if not named:
        raise ValueError("features must not be empty: they determine the number of examples.")
    return tf.shape(named[0])[0]


class BaselineClassifier(_Baseline):
    """Classification (``tf.estimator.BaselineClassifier``, version 1)."""

    def __init__(
        self,
        model_dir: str | os.PathLike[str] | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        loss_reduction: str = tf.losses.Reduction.SUM,
    ) -> None:
        """Makes an Estimator; nothing is built yet.

        Args:
            model_dir: the folder of checkpoints and events.
            n_classes: how many classes.
            weight_column: the name of a feature, or a numeric column, that weights examples.
            label_vocabulary: string labels; None where labels are numbers.
            optimizer: a tf.train.Optimizer, a function that makes one, or a name (rate 0.3).
            config: the RunConfig.
            loss_reduction: a ``tf.losses.Reduction`` but NONE. SUM is the default of TensorFlow
                1.15.
        """
        head = classification_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        pass_on(super().__init__, locals())


class BaselineRegressor(_Baseline):
    """Regression (``tf.estimator.BaselineRegressor``, version 1)."""

    def __init__(
        self,
        model_dir: str | os.PathLike[str] | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        loss_reduction: str = tf.losses.Reduction.SUM,
    ) -> None:
        """Makes an Estimator; ``BaselineClassifier`` documents what it takes, too.

        ``label_dimension`` is how many numbers an example has.
        """
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        pass_on(super().__init__, locals())


class BaselineEstimator(_Baseline):
    """Any head (``tf.estimator.BaselineEstimator``, version 1)."""
