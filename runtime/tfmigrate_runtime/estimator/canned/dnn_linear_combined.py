"""Wide and deep models: a linear model and a network, added."""

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.canned.head import Head
from tfmigrate_runtime.estimator.canned.logits import (
    checked_features,
    dnn_logits,
    input_partitioner_of,
    linear_logits,
    partitioner_of,
    summarize,
)
from tfmigrate_runtime.estimator.canned.optimizers import optimizer_of
from tfmigrate_runtime.estimator.canned.regression_head import RegressionHead
from tfmigrate_runtime.estimator.canned.version_1 import classification_head
from tfmigrate_runtime.estimator.estimator import Estimator
from tfmigrate_runtime.estimator.run_config import RunConfig
from tfmigrate_runtime.train.passed_on import pass_on

_DNN_LEARNING_RATE = 0.001
_LINEAR_LEARNING_RATE = 0.005


class _DnnLinearCombined(Estimator):
    """The sum of a linear model and a network under a head, each with its optimizer."""

    def __init__(
        self,
        head: Head,
        model_dir: str | os.PathLike[str] | None = None,
        linear_feature_columns: Sequence[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Sequence[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dnn_dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: RunConfig | None = None,
        linear_sparse_combiner: str = "sum",
        warm_start_from: Any = None,
        batch_norm: bool = False,
    ) -> None:
        """Makes an Estimator; ``DNNLinearCombinedClassifier`` documents all but the Head."""
        linear_columns = list(linear_feature_columns or ())
        dnn_columns = list(dnn_feature_columns or ())
        if not linear_columns and not dnn_columns:
            raise ValueError(
                "Either linear_feature_columns or dnn_feature_columns must be defined."
            )
        if dnn_columns and not dnn_hidden_units:
            raise ValueError(
                "dnn_hidden_units must be defined when dnn_feature_columns is specified."
            )

        def model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> Any:
            features = checked_features(features)
            parts = input_partitioner_of(input_layer_partitioner, config)
            units, logits, optimizers = head.logits_dimension, [], {}
            if dnn_columns:
                with tf.variable_scope("dnn", partitioner=partitioner_of(None, config)) as scope:
                    logits.append(
                        dnn_logits(
                            features,
                            mode,
                            units,
                            dnn_hidden_units or (),
                            dnn_columns,
                            dnn_activation_fn,
                            dnn_dropout,
                            parts,
                            batch_norm,
                        )
                    )
                optimizers[scope.name] = optimizer_of(dnn_optimizer, _DNN_LEARNING_RATE)
            if linear_columns:
                with tf.variable_scope("linear", partitioner=parts) as scope:
                    linear = linear_logits(features, units, linear_columns, linear_sparse_combiner)
                    summarize(scope.name, linear)
                logits.append(linear)
                rate = min(_LINEAR_LEARNING_RATE, 1.0 / math.sqrt(len(linear_columns)))
                optimizers[scope.name] = optimizer_of(linear_optimizer, rate)
            return head.create_estimator_spec(
                features,
                mode,
                sum(logits[1:], logits[0]),
                labels,
                train_op_fn=lambda loss: _minimize(loss, optimizers, head.name or "head"),
            )

        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


def _minimize(loss: Any, optimizers: Mapping[str, Any], scope_of_head: str) -> Any:
    """Trains the variables of every scope with its optimizer, then counts one step."""
    # Version 1's heads had train_op_fn make the optimizers' variables in the head's own scope.
    with tf.name_scope(f"{scope_of_head}/"):
        trained = [
            optimizer.minimize(
                loss, var_list=tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope + "/")
            )
            for scope, optimizer in optimizers.items()
        ]
    with tf.control_dependencies(trained):
        return tf.group(tf.assign_add(tf.train.get_global_step(), 1))


class DNNLinearCombinedClassifier(_DnnLinearCombined):
    """Classification (``tf.estimator.DNNLinearCombinedClassifier``, version 1)."""

    def __init__(
        self,
        model_dir: str | os.PathLike[str] | None = None,
        linear_feature_columns: Sequence[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Sequence[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dnn_dropout: float | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        input_layer_partitioner: Any = None,
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        loss_reduction: str = tf.losses.Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        """Makes an Estimator; nothing is built yet.

        Args:
            model_dir: the folder of checkpoints and events.
            linear_feature_columns: columns of the linear model.
            linear_optimizer: as ``optimizer`` elsewhere; by name with rate min(0.005,
                1/sqrt(columns)).
            dnn_feature_columns: dense columns of the network.
            dnn_optimizer: as ``optimizer`` elsewhere; by name with rate 0.001.
            dnn_hidden_units: of every layer of the network.
            dnn_activation_fn: of every hidden layer.
            dnn_dropout: the probability that an activation is dropped, None for no dropout.
            n_classes: how many classes.
            weight_column: the name of a feature, or a numeric column, that weights examples.
            label_vocabulary: string labels; None where labels are numbers.
            input_layer_partitioner: of the columns' variables.
            config: the RunConfig.
            warm_start_from: a checkpoint, a folder with one, or WarmStartSettings.
            loss_reduction: a ``tf.losses.Reduction`` but NONE. SUM is the default of TensorFlow
                1.15.
            batch_norm: whether every hidden layer is followed by a batch normalisation.
            linear_sparse_combiner: "sum", "mean" or "sqrtn", for columns with several values.
        """
        head = classification_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        pass_on(super().__init__, locals())


class DNNLinearCombinedRegressor(_DnnLinearCombined):
    """Regression (``tf.estimator.DNNLinearCombinedRegressor``, version 1)."""

    def __init__(
        self,
        model_dir: str | os.PathLike[str] | None = None,
        linear_feature_columns: Sequence[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Sequence[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dnn_dropout: float | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        input_layer_partitioner: Any = None,
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        loss_reduction: str = tf.losses.Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        """Makes an Estimator; ``DNNLinearCombinedClassifier`` documents what it takes, too.

        ``label_dimension`` is how many numbers an example has.
        """
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        pass_on(super().__init__, locals())


class DNNLinearCombinedEstimator(_DnnLinearCombined):
    """Any head (``tf.estimator.DNNLinearCombinedEstimator``, version 1)."""
