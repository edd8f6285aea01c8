"""contrib.learn's canned linear models, for the Estimators of both runtimes."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.gradients import clip_by_norm
from tfmigrate_runtime.contrib.of_learn.canned import networks
from tfmigrate_runtime.contrib.of_learn.canned.heads import multi_class_head, regression_head
from tfmigrate_runtime.contrib.of_learn.canned.readouts import Canned, Classifier, Regressor
from tfmigrate_runtime.contrib.optimize_loss import OPTIMIZER_CLS_NAMES
from tfmigrate_runtime.train.passed_on import pass_on

_LEARNING_RATE = 0.2


class LinearEstimator(Canned):
    """A linear model with a head of one's own (``tf.contrib.learn.LinearEstimator``)."""

    def __init__(
        self,
        feature_columns: Iterable[Any],
        head: Any,
        model_dir: str | None = None,
        weight_column_name: str | None = None,  # the head's counts
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        _joint_weights: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        """Takes columns; the optimizer is FTRL by default.

        Raises:
            ValueError: there are no columns.
        """
        if not (columns := tuple(feature_columns or ())):
            raise ValueError("feature_columns must not be empty")
        params = {
            "head": head,
            "feature_columns": columns,
            "optimizer": optimizer,
            "gradient_clip_norm": gradient_clip_norm,
            "joint_weights": _joint_weights,
        }
        super().__init__(_model_fn, model_dir, config, params, feature_engineering_fn)


class LinearClassifier(Classifier, LinearEstimator):
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
        """Takes columns, the number of classes and their names.

        Raises:
            ValueError: there are no columns, or see multi_class_head.
        """
        head = pass_on(multi_class_head, locals(), ops=self._ops)
        pass_on(super().__init__, locals(), _joint_weights=_joint_weight)


class LinearRegressor(Regressor, LinearEstimator):
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
        """Takes columns and how many numbers there are.

        Raises:
            ValueError: there are no columns.
        """
        head = pass_on(regression_head, locals(), ops=self._ops)
        pass_on(super().__init__, locals())


def learning_rate(columns: Sequence[Any]) -> float:
    """Returns the learning rate of a linear model without its own optimizer."""
    return min(_LEARNING_RATE, 1.0 / math.sqrt(len(columns)))


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
                pairs = clip_by_norm(pairs, params["gradient_clip_norm"])
            return optimizer.apply_gradients(pairs, global_step=tf.train.get_global_step())

        return head.create_model_fn_ops(named, mode, labels, train_op_fn, logits)
