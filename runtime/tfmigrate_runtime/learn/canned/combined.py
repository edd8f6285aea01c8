"""contrib.learn's DNNLinearCombinedClassifier and DNNLinearCombinedRegressor: "wide and deep"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.optimize_loss import optimize_loss
from tfmigrate_runtime.learn.canned import networks
from tfmigrate_runtime.learn.canned.heads import RegressionHead, classification_head
from tfmigrate_runtime.learn.canned.linear import learning_rate
from tfmigrate_runtime.learn.canned.readouts import Classifier, Regressor

_DNN_LEARNING_RATE = 0.05


class DNNLinearCombinedClassifier(Classifier):
    """Both models together, for classes (``tf.contrib.learn.DNNLinearCombinedClassifier``)."""

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Mapping[Any, float] | None = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Sequence[str] | None = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        """Makes an Estimator; see tf.contrib.learn.DNNLinearCombinedClassifier for the arguments.

        The global step counts every step twice where both models are there, as it did, unless
        fix_global_step_increment_bug is set.

        Raises:
            ValueError: there are no columns, or a network without hidden units, or see
                classification_head.
        """
        head = classification_head(n_classes, weight_column_name, enable_centered_bias, label_keys)
        params = {
            "head": head,
            "linear_feature_columns": tuple(linear_feature_columns or ()),
            "linear_optimizer": linear_optimizer,
            "joint_linear_weights": _joint_linear_weights,
            "dnn_feature_columns": tuple(dnn_feature_columns or ()),
            "dnn_optimizer": dnn_optimizer,
            "hidden_units": dnn_hidden_units,
            "activation_fn": dnn_activation_fn or tf.nn.relu,
            "dropout": dnn_dropout,
            "gradient_clip_norm": gradient_clip_norm,
            "embedding_lr_multipliers": embedding_lr_multipliers,
            "input_layer_min_slice_size": input_layer_min_slice_size,
            "count_once": fix_global_step_increment_bug,
        }
        _check(params)
        super().__init__(_model_fn, model_dir, config, params, feature_engineering_fn)


class DNNLinearCombinedRegressor(Regressor):
    """Both models together, for numbers (``tf.contrib.learn.DNNLinearCombinedRegressor``)."""

    def __init__(
        self,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Mapping[Any, float] | None = None,
        input_layer_min_slice_size: int | None = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        """Makes an Estimator; see tf.contrib.learn.DNNLinearCombinedRegressor for the arguments.

        The global step counts every step twice where both models are there, as it did, unless
        fix_global_step_increment_bug is set.

        Raises:
            ValueError: there are no columns, or a network without hidden units.
        """
        params = {
            "head": RegressionHead(label_dimension, weight_column_name, enable_centered_bias),
            "linear_feature_columns": tuple(linear_feature_columns or ()),
            "linear_optimizer": linear_optimizer,
            "joint_linear_weights": _joint_linear_weights,
            "dnn_feature_columns": tuple(dnn_feature_columns or ()),
            "dnn_optimizer": dnn_optimizer,
            "hidden_units": dnn_hidden_units,
            "activation_fn": dnn_activation_fn or tf.nn.relu,
            "dropout": dnn_dropout,
            "gradient_clip_norm": gradient_clip_norm,
            "embedding_lr_multipliers": embedding_lr_multipliers,
            "input_layer_min_slice_size": input_layer_min_slice_size,
            "count_once": fix_global_step_increment_bug,
        }
        _check(params)
        super().__init__(_model_fn, model_dir, config, params, feature_engineering_fn)


def _check(params: Mapping[str, Any]) -> None:
    """Raises ValueError if there are no columns, or a network has no hidden units."""
    if not params["linear_feature_columns"] and not params["dnn_feature_columns"]:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    if params["dnn_feature_columns"] and not params["hidden_units"]:
        raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")


def _model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any = None
) -> Any:
    """The model of both: dnn_linear_combined.py, _dnn_linear_combined_model_fn."""
    head = params["head"]
    named = networks.features_by_name(features)
    logits, input_scope = [], ""
    if params["dnn_feature_columns"]:
        with tf.variable_scope("dnn", partitioner=networks.partitioner(config)):
            output, input_scope = networks.dnn_logits(
                named,
                params["dnn_feature_columns"],
                head.logits_dimension,
                mode,
                params,
                config,
                "/",
            )
        logits.append(output)
    if params["linear_feature_columns"]:
        slices = networks.partitioner(config, networks.SLICE)
        with tf.variable_scope("linear", partitioner=slices) as scope:
            output = networks.linear_logits(
                named,
                params["linear_feature_columns"],
                head.logits_dimension,
                params["joint_linear_weights"],
                scope,
            )
            networks.summarize(output, f"{scope.name}/")
        logits.append(output)

    def train_op_fn(loss: Any) -> Any:
        return _train_op(loss, params, input_scope)

    total = logits[0] + logits[1] if len(logits) == 2 else logits[0]
    operations = head.create_model_fn_ops(named, mode, labels, train_op_fn, total)
    if len(logits) == 2 and not params["count_once"]:
        return operations._replace(training_hooks=[_EveryStep()])
    return operations


class _EveryStep(tf.train.SessionRunHook):  # type: ignore[misc]
    """Lets the engine make steps one by one, as it does for every hook that it does not know.

    Each counts as two, so that it could not tell how many are left.
    """


def _train_op(loss: Any, params: Mapping[str, Any], input_scope: str) -> Any:
    """Returns a step of both optimizers."""
    step = tf.train.get_global_step()
    common = {
        "loss": loss,
        "global_step": step,
        "clip_gradients": params["gradient_clip_norm"],
        "summaries": [],
        # Each of the two optimizers counts the step, as in contrib.learn.
        "increment_global_step": not params["count_once"],
    }
    steps = []
    if params["dnn_feature_columns"]:
        steps.append(
            optimize_loss(
                learning_rate=_DNN_LEARNING_RATE,
                optimizer=networks.made(params["dnn_optimizer"] or "Adagrad"),
                gradient_multipliers=networks.learning_rate_factors(
                    params["embedding_lr_multipliers"], input_scope
                ),
                variables=tf.get_collection("dnn"),
                name="dnn",
                **common,
            )
        )
    if params["linear_feature_columns"]:
        steps.append(
            optimize_loss(
                learning_rate=learning_rate(params["linear_feature_columns"]),
                optimizer=networks.made(params["linear_optimizer"] or "Ftrl"),
                variables=tf.get_collection("linear"),
                name="linear",
                **common,
            )
        )
    train_op = tf.group(*steps)
    if not params["count_once"]:
        return train_op
    with tf.control_dependencies([train_op]):
        return tf.assign_add(step, 1).op
