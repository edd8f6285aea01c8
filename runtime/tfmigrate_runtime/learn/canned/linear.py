"""contrib.learn's LinearClassifier and LinearRegressor."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.optimize_loss import OPTIMIZER_CLS_NAMES
from tfmigrate_runtime.learn.canned import networks
from tfmigrate_runtime.learn.canned.heads import RegressionHead, classification_head
from tfmigrate_runtime.learn.canned.readouts import Classifier, Regressor

_LEARNING_RATE = 0.2


class LinearClassifier(Classifier):
    """A linear model that classifies (``tf.contrib.learn.LinearClassifier``)."""

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        _joint_weight: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_keys: Sequence[str] | None = None,
    ) -> None:
        """Makes an Estimator; see tf.contrib.learn.LinearClassifier for the arguments.

        Raises:
            ValueError: there are no columns, or see classification_head.
        """
        head = classification_head(n_classes, weight_column_name, enable_centered_bias, label_keys)
        params = _params(head, feature_columns, optimizer, gradient_clip_norm, _joint_weight)
        super().__init__(_model_fn, model_dir, config, params, feature_engineering_fn)


class LinearRegressor(Regressor):
    """A linear model that predicts numbers (``tf.contrib.learn.LinearRegressor``)."""

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        _joint_weights: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        """Makes an Estimator; see tf.contrib.learn.LinearRegressor for the arguments.

        Raises:
            ValueError: there are no columns.
        """
        head = RegressionHead(label_dimension, weight_column_name, enable_centered_bias)
        params = _params(head, feature_columns, optimizer, gradient_clip_norm, _joint_weights)
        super().__init__(_model_fn, model_dir, config, params, feature_engineering_fn)


def learning_rate(columns: Sequence[Any]) -> float:
    """Returns the learning rate of a linear model without its own optimizer."""
    return min(_LEARNING_RATE, 1.0 / math.sqrt(len(columns)))


def _params(
    head: Any, columns: Iterable[Any], optimizer: Any, clip_norm: float | None, joint: bool
) -> dict[str, Any]:
    """Returns the params of the model function.

    Raises:
        ValueError: there are no columns.
    """
    columns = tuple(columns or ())
    if not columns:
        raise ValueError("feature_columns must not be empty.")
    return {
        "head": head,
        "feature_columns": columns,
        "optimizer": optimizer,
        "gradient_clip_norm": clip_norm,
        "joint_weights": joint,
    }


def _model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any = None
) -> Any:
    """The model of both: contrib/learn/python/learn/estimators/linear.py, _linear_model_fn."""
    head, columns = params["head"], params["feature_columns"]
    named = networks.features_by_name(features)
    slices = networks.partitioner(config, networks.SLICE)
    with tf.variable_scope("linear", partitioner=slices) as scope:
        logits = networks.linear_logits(
            named, columns, head.logits_dimension, params["joint_weights"], scope
        )

        def train_op_fn(loss: Any) -> Any:
            optimizer = params["optimizer"] or tf.train.FtrlOptimizer(learning_rate(columns))
            if isinstance(optimizer, str):
                # By its name it had this rate, however many columns there are.
                optimizer = OPTIMIZER_CLS_NAMES[optimizer](learning_rate=_LEARNING_RATE)
            optimizer = networks.made(optimizer)
            pairs = optimizer.compute_gradients(loss, tf.get_collection("linear"))
            if params["gradient_clip_norm"]:
                gradients, variables = zip(*pairs, strict=True)
                gradients, _ = tf.clip_by_global_norm(gradients, params["gradient_clip_norm"])
                pairs = list(zip(gradients, variables, strict=True))
            return optimizer.apply_gradients(pairs, global_step=tf.train.get_global_step())

        return head.create_model_fn_ops(named, mode, labels, train_op_fn, logits)
