"""contrib.learn's canned networks, for the Estimators of both runtimes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn.canned import networks
from tfmigrate_runtime.contrib.of_learn.canned.heads import multi_class_head, regression_head
from tfmigrate_runtime.contrib.of_learn.canned.readouts import Canned, Classifier, Regressor
from tfmigrate_runtime.contrib.optimize_loss import optimize_loss
from tfmigrate_runtime.train.passed_on import pass_on

_LEARNING_RATE = 0.05


class DNNEstimator(Canned):
    """A network with a head of one's own (``tf.contrib.learn.DNNEstimator``)."""

    def __init__(
        self,
        head: Any,
        hidden_units: Sequence[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        optimizer: Any = None,
        activation_fn: Callable[[Any], Any] | str | None = tf.nn.relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Mapping[Any, float] | None = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        """Takes the network: hidden units by layer, columns, Adagrad(0.05) by default."""
        params = {
            "head": head,
            "hidden_units": hidden_units,
            "feature_columns": tuple(feature_columns or ()),
            "optimizer": optimizer,
            "activation_fn": activation_fn,
            "dropout": dropout,
            "gradient_clip_norm": gradient_clip_norm,
            "embedding_lr_multipliers": embedding_lr_multipliers,
            "input_layer_min_slice_size": input_layer_min_slice_size,
        }
        super().__init__(_model_fn, model_dir, config, params, feature_engineering_fn)


class DNNClassifier(Classifier, DNNEstimator):
    """A network that classifies (``tf.contrib.learn.DNNClassifier``)."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Callable[[Any], Any] | str | None = tf.nn.relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Mapping[Any, float] | None = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Sequence[str] | None = None,
    ) -> None:
        """Takes the network, the number of classes and their names.

        Raises:
            ValueError: see multi_class_head.
        """
        head = pass_on(multi_class_head, locals(), ops=self._ops)
        pass_on(super().__init__, locals())


class DNNRegressor(Regressor, DNNEstimator):
    """A network that predicts numbers (``tf.contrib.learn.DNNRegressor``)."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Callable[[Any], Any] | str | None = tf.nn.relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_dimension: int = 1,
        embedding_lr_multipliers: Mapping[Any, float] | None = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        """Takes the network and how many numbers there are."""
        head = pass_on(regression_head, locals(), ops=self._ops)
        pass_on(super().__init__, locals())


def _model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any = None
) -> Any:
    """The model of both: see contrib/learn/python/learn/estimators/dnn.py, _dnn_model_fn."""
    head = params["head"]
    named = networks.features_by_name(features)
    with tf.variable_scope("dnn", partitioner=networks.partitioner(config)):
        # "_" before the names of its summaries, where the combined model had "/".
        logits, input_scope = networks.dnn_logits(
            named, params["feature_columns"], head.logits_dimension, mode, params, config, "_"
        )

        def train_op_fn(loss: Any) -> Any:
            return optimize_loss(
                loss=loss,
                global_step=tf.train.get_global_step(),
                learning_rate=_LEARNING_RATE,
                optimizer=networks.made(params["optimizer"] or "Adagrad"),
                gradient_multipliers=networks.learning_rate_factors(
                    params["embedding_lr_multipliers"], input_scope
                ),
                clip_gradients=params["gradient_clip_norm"],
                name="dnn",
                summaries=[],
            )

        return head.create_model_fn_ops(named, mode, labels, train_op_fn, logits)
