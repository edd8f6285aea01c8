"""contrib.learn's canned networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.tf1_shim.contrib import layers
from tfmigrate_runtime.tf1_shim.contrib.learn import ready_made
from tfmigrate_runtime.tf1_shim.contrib.learn.estimator import Estimator
from tfmigrate_runtime.tf1_shim.contrib.learn.head import multi_class_head, regression_head
from tfmigrate_runtime.tf1_shim.contrib.learn.model_fn import ModelFnOps

_LEARNING_RATE = 0.05
_ACTIVATIONS = {"relu": tf.nn.relu, "tanh": tf.nn.tanh, "sigmoid": tf.nn.sigmoid}


class DNNEstimator(Estimator):
    """A network with a head of one's own."""

    def __init__(
        self,
        head: Any,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = tf.nn.relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: dict[Any, float] | None = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        """Takes the network: hidden units by layer, columns, Adagrad(0.05) by default."""
        params = {
            "head": head,
            "hidden_units": hidden_units,
            "feature_columns": tuple(feature_columns or []),
            "optimizer": optimizer,
            "activation_fn": activation_fn,
            "dropout": dropout,
            "gradient_clip_norm": gradient_clip_norm,
            "embedding_lr_multipliers": embedding_lr_multipliers,
            "input_layer_min_slice_size": input_layer_min_slice_size,
        }
        super().__init__(_dnn_model_fn, model_dir, config, params, feature_engineering_fn)


class DNNClassifier(DNNEstimator, ready_made.Classifier):
    """A network for classes."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = tf.nn.relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: dict[Any, float] | None = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Any = None,
    ) -> None:
        """Takes the network, the number of classes and their names."""
        head = multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        common = (hidden_units, feature_columns, model_dir, optimizer, activation_fn, dropout)
        more = (gradient_clip_norm, config, feature_engineering_fn, embedding_lr_multipliers)
        super().__init__(head, *common, *more, input_layer_min_slice_size)


class DNNRegressor(DNNEstimator, ready_made.Regressor):
    """A network for numbers."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = tf.nn.relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_dimension: int = 1,
        embedding_lr_multipliers: dict[Any, float] | None = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        """Takes the network and how many numbers there are."""
        head = regression_head(
            weight_column_name=weight_column_name,
            label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )
        common = (hidden_units, feature_columns, model_dir, optimizer, activation_fn, dropout)
        more = (gradient_clip_norm, config, feature_engineering_fn, embedding_lr_multipliers)
        super().__init__(head, *common, *more, input_layer_min_slice_size)


def activation_of(given: Any) -> Any:
    """Returns an activation function, which may be given by its name.

    Raises:
        ValueError: there is none of that name.
    """
    if isinstance(given, str) and given not in _ACTIVATIONS:
        raise ValueError(
            f"Activation name should be one of [{', '.join(_ACTIVATIONS)}], you provided {given}."
        )
    return _ACTIVATIONS[given] if isinstance(given, str) else given


def _dnn_model_fn(
    features: Any, labels: Any, mode: str, params: dict[str, Any], config: Any = None
) -> ModelFnOps:
    features = ready_made.features_by_name(features)
    smallest = params["input_layer_min_slice_size"] or ready_made.SMALLEST_SLICE
    options = {
        "hidden_units": params["hidden_units"],
        "activation_fn": activation_of(params["activation_fn"]),
        "dropout": params["dropout"],
        "partitioner": ready_made.partitioner(config),
        "input_layer_partitioner": ready_made.partitioner(config, smallest),
        "tag": "_",
    }
    head, columns = params["head"], params["feature_columns"]
    logits, input_scope, scope = ready_made.dnn_logits(features, columns, head, mode, options)

    def train_op_fn(loss: Any) -> Any:
        return layers.optimize_loss(
            loss,
            tf.train.get_global_step(),
            _LEARNING_RATE,
            ready_made.made_optimizer(params["optimizer"] or "Adagrad"),
            gradient_multipliers=ready_made.embedding_multipliers(
                params["embedding_lr_multipliers"], input_scope
            ),
            clip_gradients=params["gradient_clip_norm"],
            name="dnn",
            summaries=[],
        )

    # The head is in the network's scopes, which are entered again without making new names.
    again = tf.variable_scope(scope, auxiliary_name_scope=False)
    with again, tf.name_scope(scope.original_name_scope):
        return head.create_model_fn_ops(  # type: ignore[no-any-return]
            features, mode, labels, train_op_fn, logits
        )
