"""contrib.learn's networks combined with linear models, "wide and deep", for both runtimes."""

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn.canned import networks
from tfmigrate_runtime.contrib.of_learn.canned.heads import multi_class_head, regression_head
from tfmigrate_runtime.contrib.of_learn.canned.linear import learning_rate
from tfmigrate_runtime.contrib.of_learn.canned.readouts import Canned, Classifier, Regressor
from tfmigrate_runtime.contrib.optimize_loss import optimize_loss
from tfmigrate_runtime.train.passed_on import pass_on

_DNN_LEARNING_RATE = 0.05


class DNNLinearCombinedEstimator(Canned):
    """Both models, with a head of one's own."""

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
        embedding_lr_multipliers: Mapping[Any, float] | None = None,
        fix_global_step_increment_bug: bool = False,
        input_layer_partitioner: Any = None,
        *,
        _input_layer_min_slice_size: int | None = None,
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
            _input_layer_min_slice_size: of their parts, without a partitioner.

        Raises:
            ValueError: there are no columns, or a network without hidden units.
        """
        columns = (tuple(linear_feature_columns or []), tuple(dnn_feature_columns or []))
        if not any(columns):
            raise ValueError(
                "Either linear_feature_columns or dnn_feature_columns must be defined."
            )
        if columns[1] and not dnn_hidden_units:
            raise ValueError(
                "dnn_hidden_units must be defined when dnn_feature_columns is specified."
            )
        params = {
            "head": head,
            "linear_feature_columns": columns[0],
            "linear_optimizer": linear_optimizer,
            "joint_linear_weights": _joint_linear_weights,
            "dnn_feature_columns": columns[1],
            "dnn_optimizer": dnn_optimizer,
            "hidden_units": dnn_hidden_units,
            "activation_fn": dnn_activation_fn or tf.nn.relu,
            "dropout": dnn_dropout,
            "gradient_clip_norm": gradient_clip_norm,
            "embedding_lr_multipliers": embedding_lr_multipliers,
            "count_once": fix_global_step_increment_bug,
            "input_layer_partitioner": input_layer_partitioner,
            "input_layer_min_slice_size": _input_layer_min_slice_size,
        }
        super().__init__(_model_fn, model_dir, config, params, feature_engineering_fn)


class DNNLinearCombinedClassifier(Classifier, DNNLinearCombinedEstimator):
    """Both models, for classes."""

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
        embedding_lr_multipliers: Mapping[Any, float] | None = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Sequence[str] | None = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        """Takes both models, the number of classes and their names."""
        head = pass_on(multi_class_head, locals(), ops=self._ops)
        pass_on(super().__init__, locals(), _input_layer_min_slice_size=input_layer_min_slice_size)


class DNNLinearCombinedRegressor(Regressor, DNNLinearCombinedEstimator):
    """Both models, for numbers."""

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
        embedding_lr_multipliers: Mapping[Any, float] | None = None,
        input_layer_min_slice_size: int | None = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        """Takes both models and how many numbers there are."""
        head = pass_on(regression_head, locals(), ops=self._ops)
        pass_on(super().__init__, locals(), _input_layer_min_slice_size=input_layer_min_slice_size)


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
                optimizer=_optimizer(params["dnn_optimizer"] or "Adagrad"),
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
                optimizer=_optimizer(params["linear_optimizer"] or "Ftrl"),
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


def _optimizer(chosen: Any) -> Any:
    optimizer = networks.made(chosen)
    if isinstance(optimizer, tf.train.SyncReplicasOptimizer):
        raise ValueError(
            "SyncReplicasOptimizer is not supported in DNNLinearCombined model. If you want to "
            "use this optimizer, please use either DNN or Linear model."
        )
    return optimizer
