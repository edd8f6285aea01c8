"""contrib.learn's canned networks combined with linear models: "wide and deep"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.tf1_shim.contrib import layers
from tfmigrate_runtime.tf1_shim.contrib.learn import ready_made
from tfmigrate_runtime.tf1_shim.contrib.learn.estimator import Estimator
from tfmigrate_runtime.tf1_shim.contrib.learn.head import multi_class_head, regression_head
from tfmigrate_runtime.tf1_shim.contrib.learn.linear import learning_rate
from tfmigrate_runtime.tf1_shim.contrib.learn.model_fn import ModelFnOps

_DNN_LEARNING_RATE = 0.05


class DNNLinearCombinedEstimator(Estimator):
    """Both, with a head of one's own."""

    def __init__(
        self,
        head: Any,
        model_dir: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Any = None,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: dict[Any, float] | None = None,
        fix_global_step_increment_bug: bool = False,
        input_layer_partitioner: Any = None,
    ) -> None:
        """Takes both models; the optimizers are FTRL and Adagrad(0.05) by default.

        Args:
            head: what the sum of both logits is for.
            model_dir: the folder of checkpoints.
            linear_feature_columns: of the linear model, which may be absent.
            linear_optimizer: an optimizer, a function that makes one, or a name.
            _joint_linear_weights: whether the linear model has one variable for all columns.
            dnn_feature_columns: of the network, which may be absent.
            dnn_optimizer: as linear_optimizer.
            dnn_hidden_units: by layer.
            dnn_activation_fn: tf.nn.relu by default.
            dnn_dropout: the part of units that is dropped in training.
            gradient_clip_norm: of both models' gradients, each for itself.
            config: how to run.
            feature_engineering_fn: changes features and labels first.
            embedding_lr_multipliers: factors of gradients by embedding column.
            fix_global_step_increment_bug: without it a step counts twice, once for each model.
            input_layer_partitioner: of the network's input variables.

        Raises:
            ValueError: there are no columns.
        """
        columns = (tuple(linear_feature_columns or []), tuple(dnn_feature_columns or []))
        if not any(columns):
            raise ValueError(
                "Either linear_feature_columns or dnn_feature_columns must be defined."
            )
        params = {
            "head": head,
            "linear_feature_columns": columns[0],
            "linear_optimizer": linear_optimizer,
            "joint_linear_weights": _joint_linear_weights,
            "dnn_feature_columns": columns[1],
            "dnn_optimizer": dnn_optimizer,
            "dnn_hidden_units": dnn_hidden_units,
            "dnn_activation_fn": dnn_activation_fn,
            "dnn_dropout": dnn_dropout,
            "gradient_clip_norm": gradient_clip_norm,
            "embedding_lr_multipliers": embedding_lr_multipliers,
            "fix_global_step_increment_bug": fix_global_step_increment_bug,
            "input_layer_partitioner": input_layer_partitioner,
        }
        super().__init__(_combined_model_fn, model_dir, config, params, feature_engineering_fn)


class DNNLinearCombinedClassifier(DNNLinearCombinedEstimator, ready_made.Classifier):
    """Both for classes."""

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Any = tf.nn.relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: dict[Any, float] | None = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Any = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        """Takes both models, the number of classes and their names."""
        head = multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        linear = (linear_feature_columns, linear_optimizer, _joint_linear_weights)
        dnn = (dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn)
        more = (dnn_dropout, gradient_clip_norm, config, feature_engineering_fn)
        last = (fix_global_step_increment_bug, _of_slices(config, input_layer_min_slice_size))
        super().__init__(head, model_dir, *linear, *dnn, *more, embedding_lr_multipliers, *last)


class DNNLinearCombinedRegressor(DNNLinearCombinedEstimator, ready_made.Regressor):
    """Both for numbers."""

    def __init__(
        self,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Any = tf.nn.relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: dict[Any, float] | None = None,
        input_layer_min_slice_size: int | None = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        """Takes both models and how many numbers there are."""
        head = regression_head(
            weight_column_name=weight_column_name,
            label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )
        linear = (linear_feature_columns, linear_optimizer, _joint_linear_weights)
        dnn = (dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn)
        more = (dnn_dropout, gradient_clip_norm, config, feature_engineering_fn)
        last = (fix_global_step_increment_bug, _of_slices(config, input_layer_min_slice_size))
        super().__init__(head, model_dir, *linear, *dnn, *more, embedding_lr_multipliers, *last)


def _of_slices(config: Any, smallest: int | None) -> Any:
    return None if smallest is None else ready_made.partitioner(config, smallest)


def _combined_model_fn(
    features: Any, labels: Any, mode: str, params: dict[str, Any], config: Any = None
) -> ModelFnOps:
    features, head = ready_made.features_by_name(features), params["head"]
    linear_optimizer = _optimizer(params["linear_optimizer"] or "Ftrl")
    dnn_optimizer = _optimizer(params["dnn_optimizer"] or "Adagrad")
    parts, input_scope = [], ""
    if params["dnn_feature_columns"]:
        logits, input_scope, _ = _network(features, head, mode, params, config)
        parts.append(logits)
    linear_columns = params["linear_feature_columns"]
    if linear_columns:
        partitioner = ready_made.partitioner(config, ready_made.SMALLEST_SLICE)
        values = [*features.values()]
        with tf.variable_scope("linear", values=values, partitioner=partitioner) as scope:
            is_joint = params["joint_linear_weights"]
            logits = ready_made.linear_logits(features, linear_columns, head, is_joint, scope)
            ready_made.add_summaries(logits, scope.name, "/")
        parts.append(logits)

    def train_op_fn(loss: Any) -> Any:
        global_step = tf.train.get_global_step()
        is_fixed = params["fix_global_step_increment_bug"]
        common = {
            "clip_gradients": params["gradient_clip_norm"],
            "summaries": [],
            "increment_global_step": not is_fixed,
        }
        train_ops = []
        if params["dnn_feature_columns"]:
            factors = ready_made.embedding_multipliers(
                params["embedding_lr_multipliers"], input_scope
            )
            train_ops.append(
                layers.optimize_loss(
                    loss,
                    global_step,
                    _DNN_LEARNING_RATE,
                    dnn_optimizer,
                    gradient_multipliers=factors,
                    variables=tf.get_collection("dnn"),
                    name="dnn",
                    **common,
                )
            )
        if linear_columns:
            train_ops.append(
                layers.optimize_loss(
                    loss,
                    global_step,
                    learning_rate(len(linear_columns)),
                    linear_optimizer,
                    variables=tf.get_collection("linear"),
                    name="linear",
                    **common,
                )
            )
        train_op = tf.group(*train_ops)
        if not is_fixed:
            return train_op
        with tf.control_dependencies([train_op]):
            return tf.assign_add(global_step, 1).op

    logits = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    return head.create_model_fn_ops(  # type: ignore[no-any-return]
        features, mode, labels, train_op_fn, logits
    )


def _network(
    features: Any, head: Any, mode: str, params: dict[str, Any], config: Any
) -> tuple[Any, str, Any]:
    if not params["dnn_hidden_units"]:
        raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
    own = params["input_layer_partitioner"]
    options = {
        "hidden_units": params["dnn_hidden_units"],
        "activation_fn": params["dnn_activation_fn"] or tf.nn.relu,
        "dropout": params["dnn_dropout"],
        "partitioner": ready_made.partitioner(config),
        "input_layer_partitioner": own or ready_made.partitioner(config, ready_made.SMALLEST_SLICE),
        "tag": "/",
    }
    return ready_made.dnn_logits(features, params["dnn_feature_columns"], head, mode, options)


def _optimizer(given: Any) -> Any:
    optimizer = ready_made.made_optimizer(given)
    if isinstance(optimizer, tf.train.SyncReplicasOptimizer):
        raise ValueError(
            "SyncReplicasOptimizer is not supported in DNNLinearCombined model. If you want to "
            "use this optimizer, please use either DNN or Linear model."
        )
    return optimizer
