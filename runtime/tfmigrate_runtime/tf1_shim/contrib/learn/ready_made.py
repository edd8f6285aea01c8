"""Shared parts of contrib.learn's canned models: networks, optimizers, predictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.columns.column_base import FeatureColumn
from tfmigrate_runtime.contrib.columns.embedding_columns import _EmbeddingColumn
from tfmigrate_runtime.contrib.of_learn.keys import PredictionKey
from tfmigrate_runtime.contrib.of_learn.metric_spec import MetricSpec
from tfmigrate_runtime.tf1_shim.contrib import layers
from tfmigrate_runtime.tf1_shim.contrib.learn.estimator import Estimator
from tfmigrate_runtime.tf1_shim.contrib.learn.model_fn import ModeKeys

SMALLEST_SLICE = 64 << 20  # bytes of a variable's part on a parameter server


class Classifier(Estimator):
    """Predicts classes and their probabilities."""

    def predict(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        outputs: list[str] | None = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Returns classes, or the named outputs."""
        if not outputs:
            return self.predict_classes(x, input_fn, batch_size, as_iterable)
        return super().predict(x, input_fn, batch_size, outputs, as_iterable, iterate_batches)

    def predict_classes(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns an iterator over the examples' classes, or an array."""
        return self._predicted(PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)

    def predict_proba(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns an iterator over the examples' probabilities, or an array."""
        return self._predicted(PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)

    def _predicted(
        self, key: str, x: Any, input_fn: Any, batch_size: int | None, as_iterable: bool
    ) -> Any:
        predictions = super().predict(x, input_fn, batch_size, [key], as_iterable)
        return (row[key] for row in predictions) if as_iterable else predictions[key]


class Regressor(Estimator):
    """Predicts numbers."""

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[[], Any] | None = None,
        feed_fn: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: dict[Any, Any] | None = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: list[Any] | None = None,
        log_progress: bool = True,
    ) -> Any:
        """Evaluates; bare functions are metrics of the scores."""
        of_scores = {}
        for key, metric in (metrics or {}).items():
            is_bare = not isinstance(metric, MetricSpec) and not isinstance(key, tuple)
            of_scores[(key, PredictionKey.SCORES) if is_bare else key] = metric
        positional = (x, y, input_fn, feed_fn, batch_size, steps, of_scores, name)
        return super().evaluate(*positional, checkpoint_path, hooks, log_progress)

    def predict(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        outputs: list[str] | None = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Returns scores, or the named outputs."""
        if not outputs:
            return self.predict_scores(x, input_fn, batch_size, as_iterable)
        return super().predict(x, input_fn, batch_size, outputs, as_iterable, iterate_batches)

    def predict_scores(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns an iterator over the examples' numbers, or an array."""
        key = PredictionKey.SCORES
        predictions = super().predict(x, input_fn, batch_size, [key], as_iterable)
        return (row[key] for row in predictions) if as_iterable else predictions[key]


def features_by_name(features: Any) -> dict[str, Any]:
    """Returns features as a dict; a single tensor has the name ""."""
    return features if isinstance(features, dict) else {"": features}


def partitioner(config: Any, smallest: int | None = None) -> Any:
    """Returns how variables are divided among parameter servers; into one part without any."""
    servers = config.num_ps_replicas if config else 0
    sizes = {} if smallest is None else {"min_slice_size": smallest}
    return tf.min_max_variable_partitioner(max_partitions=servers, **sizes)


def made_optimizer(given: Any) -> Any:
    """Returns an optimizer, which may be given as a function that makes one; names stay."""
    return given() if callable(given) else given


def dnn_logits(
    features: dict[str, Any], columns: Sequence[Any], head: Any, mode: str, options: dict[str, Any]
) -> tuple[Any, str, Any]:
    """Returns the logits of a network, the name of its input's scope, and its own scope.

    Args:
        features: tensors by name.
        columns: of contrib.layers, all of them, or of tf.feature_column.
        head: what the logits are for.
        mode: dropout is for training only.
        options: hidden_units, activation_fn, dropout, partitioner, input_layer_partitioner.
    """
    collections, tag = ["dnn"], options["tag"]
    values, partition = [*features.values()], options["partitioner"]
    with tf.variable_scope("dnn", values=values, partitioner=partition) as outer_scope:
        with tf.variable_scope(
            "input_from_feature_columns",
            values=values,
            partitioner=options["input_layer_partitioner"],
        ) as input_scope:
            if _are_old(columns):
                net = layers.input_from_feature_columns(
                    features, columns, weight_collections=collections, scope=input_scope
                )
            else:
                net = tf.feature_column.input_layer(
                    features, columns, weight_collections=collections
                )
        for number, units in enumerate(options["hidden_units"]):
            with tf.variable_scope(f"hiddenlayer_{number}", values=[net]) as scope:
                net = layers.fully_connected(
                    net,
                    units,
                    activation_fn=options["activation_fn"],
                    variables_collections=collections,
                    scope=scope,
                )
                if options["dropout"] is not None and mode == ModeKeys.TRAIN:
                    net = layers.dropout(net, keep_prob=1.0 - options["dropout"])
            add_summaries(net, scope.name, tag)
        with tf.variable_scope("logits", values=[net]) as scope:
            logits = layers.fully_connected(
                net,
                head.logits_dimension,
                activation_fn=None,
                variables_collections=collections,
                scope=scope,
            )
        add_summaries(logits, scope.name, tag)
    return logits, input_scope.name, outer_scope


def linear_logits(
    features: dict[str, Any], columns: Sequence[Any], head: Any, is_joint: bool, scope: Any
) -> Any:
    """Returns the logits of a linear model, in its own variable scope."""
    collections = ["linear"]
    if not _are_old(columns):
        return tf.feature_column.linear_model(
            features, columns, units=head.logits_dimension, weight_collections=collections
        )
    weighted_sum = layers.weighted_sum_from_feature_columns
    if is_joint:
        weighted_sum = layers.joint_weighted_sum_from_feature_columns
    logits, _, _ = weighted_sum(
        features,
        columns,
        num_outputs=head.logits_dimension,
        weight_collections=collections,
        scope=scope,
    )
    return logits


def add_summaries(value: Any, name: str, separator: str) -> None:
    """Adds summaries of a layer's output; the separator is another one in each kind of model."""
    tf.summary.scalar(f"{name}{separator}fraction_of_zero_values", tf.nn.zero_fraction(value))
    tf.summary.histogram(f"{name}{separator}activation", value)


def embedding_multipliers(given: dict[Any, float] | None, input_scope: str) -> Any:
    """Returns factors of gradients by variable, from those by embedding column; None for none.

    Raises:
        ValueError: a column is not an embedding column, or has no variable.
    """
    factors = {}
    for column, factor in (given or {}).items():
        if not isinstance(column, _EmbeddingColumn):
            raise ValueError(
                "learning rate multipler can only be defined for embedding columns. It is defined "
                f"for {column}"
            )
        variables = tf.get_collection("dnn", f"{input_scope}/{column.name}")
        if not variables:
            raise ValueError(f"Couldn't find a variable for column {column}")
        factors.update(dict.fromkeys(variables, factor))
    return factors or None


def _are_old(columns: Sequence[Any]) -> bool:
    return all(isinstance(column, FeatureColumn) for column in columns)
