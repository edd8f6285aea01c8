"""contrib.learn's canned linear models."""

from __future__ import annotations

import math
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.tf1_shim.contrib import layers
from tfmigrate_runtime.tf1_shim.contrib.learn import ready_made
from tfmigrate_runtime.tf1_shim.contrib.learn.estimator import Estimator
from tfmigrate_runtime.tf1_shim.contrib.learn.head import multi_class_head, regression_head
from tfmigrate_runtime.tf1_shim.contrib.learn.model_fn import ModelFnOps

_LEARNING_RATE = 0.2


class LinearEstimator(Estimator):
    """A linear model with a head of one's own."""

    def __init__(
        self,
        feature_columns: Any,
        head: Any,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        _joint_weights: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        """Takes columns; the optimizer is FTRL by default.

        Raises:
            AssertionError: there are no columns.
        """
        del weight_column_name  # the head's counts
        if not feature_columns:
            raise AssertionError("feature_columns must not be empty")
        params = {
            "head": head,
            "feature_columns": feature_columns,
            "optimizer": optimizer,
            "gradient_clip_norm": gradient_clip_norm,
            "joint_weights": _joint_weights,
        }
        super().__init__(_linear_model_fn, model_dir, config, params, feature_engineering_fn)


class LinearClassifier(LinearEstimator, ready_made.Classifier):
    """A linear model for classes."""

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        _joint_weight: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_keys: Any = None,
    ) -> None:
        """Takes columns, the number of classes and their names."""
        head = multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        options = (optimizer, gradient_clip_norm, _joint_weight, config, feature_engineering_fn)
        super().__init__(feature_columns, head, model_dir, None, *options)


class LinearRegressor(LinearEstimator, ready_made.Regressor):
    """A linear model for numbers."""

    def __init__(
        self,
        feature_columns: Any,
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
        """Takes columns and how many numbers there are."""
        head = regression_head(
            weight_column_name=weight_column_name,
            label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )
        options = (optimizer, gradient_clip_norm, _joint_weights, config, feature_engineering_fn)
        super().__init__(feature_columns, head, model_dir, None, *options)


def learning_rate(columns: int) -> float:
    """Returns the rate of the default optimizer: one by the root of the columns, at most 0.2."""
    return min(_LEARNING_RATE, 1.0 / math.sqrt(columns))


def _linear_model_fn(
    features: Any, labels: Any, mode: str, params: dict[str, Any], config: Any = None
) -> ModelFnOps:
    head, columns = params["head"], params["feature_columns"]
    features = ready_made.features_by_name(features)
    partitioner = ready_made.partitioner(config, ready_made.SMALLEST_SLICE)

    def train_op_fn(loss: Any) -> Any:
        variables = tf.get_collection("linear")
        gradients = tf.gradients(loss, variables)
        if params["gradient_clip_norm"]:
            gradients, _ = tf.clip_by_global_norm(gradients, params["gradient_clip_norm"])
        return _optimizer(params["optimizer"], len(columns)).apply_gradients(
            zip(gradients, variables, strict=True), global_step=tf.train.get_global_step()
        )

    values = [*features.values()]
    with tf.variable_scope("linear", values=values, partitioner=partitioner) as scope:
        logits = ready_made.linear_logits(features, columns, head, params["joint_weights"], scope)
        return head.create_model_fn_ops(  # type: ignore[no-any-return]
            features, mode, labels, train_op_fn, logits
        )


def _optimizer(given: Any, columns: int) -> Any:
    if not given:
        return tf.train.FtrlOptimizer(learning_rate(columns))
    if isinstance(given, str):
        return layers.OPTIMIZER_CLS_NAMES[given](learning_rate=_LEARNING_RATE)
    return ready_made.made_optimizer(given)
