"""Metrics of an Estimator of contrib.learn: which function, of which prediction and label."""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

_NAMES = {
    "labels": {"labels", "label", "targets", "target"},
    "predictions": {"predictions", "prediction", "logits", "logit"},
    "weights": {"weights", "weight"},
}


class MetricSpec:
    """A metric function, and the keys of what it is given."""

    def __init__(
        self,
        metric_fn: Callable[..., Any],
        prediction_key: str | None = None,
        label_key: str | None = None,
        weight_key: str | None = None,
    ) -> None:
        """Takes a function with arguments for predictions, labels and weights.

        Args:
            metric_fn: its arguments are found by their names ("labels", "label", "targets",
                "target"; "predictions", "prediction", "logits", "logit"; "weights", "weight"),
                else by their order: predictions, labels; or labels, predictions if the first one
                is named so.
            prediction_key: of a dict of predictions.
            label_key: of a dict of labels.
            weight_key: of the features.

        Raises:
            ValueError: an argument is there twice, or one that a key is for is missing.
        """
        self._name = _name_of(metric_fn)
        self._metric_fn = _by_names(
            metric_fn, self._name, label_key is not None, weight_key is not None
        )
        self._keys = (prediction_key, label_key, weight_key)

    @property
    def prediction_key(self) -> str | None:
        """The key of predictions."""
        return self._keys[0]

    @property
    def label_key(self) -> str | None:
        """The key of labels."""
        return self._keys[1]

    @property
    def weight_key(self) -> str | None:
        """The key of the feature that holds weights."""
        return self._keys[2]

    @property
    def metric_fn(self) -> Callable[..., Any]:
        """The function, with arguments ``labels``, ``predictions`` and ``weights``."""
        return self._metric_fn

    def __str__(self) -> str:
        """Returns the function's name and the keys."""
        return (
            f"MetricSpec(metric_fn={self._name}, prediction_key={self.prediction_key}, "
            f"label_key={self.label_key}, weight_key={self.weight_key})"
        )

    def create_metric_ops(self, inputs: Any, labels: Any, predictions: Any) -> Any:
        """Returns what the function makes of features, labels and predictions.

        Raises:
            ValueError: a key is missing for a dict of several, or given without a dict.
            KeyError: there is no such prediction or label.
        """
        prediction = _chosen("prediction", predictions, self.prediction_key)
        label = _chosen("label", labels, self.label_key)
        weights = inputs[self.weight_key] if self.weight_key else None
        try:
            return self._metric_fn(labels=label, predictions=prediction, weights=weights)
        except Exception as error:
            tf.logging.error("Could not create metric ops for %s, %s.", self, error)
            raise


def make_metric_ops(
    metrics: Mapping[Any, Any] | None, features: Any, labels: Any, predictions: Any
) -> dict[str, Any]:
    """Returns what metrics make of features, labels and predictions.

    Args:
        metrics: MetricSpecs by name; or functions of predictions and labels, by name or by (name,
            key of the prediction), with a bare function the predictions coming first.
        features: a tensor or a dict.
        labels: a tensor or a dict; one with a single entry is taken for that.
        predictions: a tensor or a dict.

    Raises:
        ValueError: a bare function is given without, or with, a key of predictions.
    """
    single = (
        next(iter(labels.values())) if isinstance(labels, dict) and len(labels) == 1 else labels
    )
    metric_ops = {}
    for name, metric in sorted((metrics or {}).items(), key=lambda item: str(item[0])):
        if isinstance(metric, MetricSpec):
            metric_ops[name] = metric.create_metric_ops(features, labels, predictions)
        elif not isinstance(name, tuple):
            if isinstance(predictions, dict):
                raise ValueError(
                    "Metrics passed provide only name, no prediction, but predictions are dict. "
                    f"Metrics: {metrics}, Labels: {single}."
                )
            metric_ops[name] = metric(predictions, single)
        else:
            if len(name) != 2:
                raise ValueError(
                    f"Invalid metric for {name}. It returned a tuple with len {len(name)}, "
                    "expected 2."
                )
            if not isinstance(predictions, dict):
                raise ValueError(
                    "Metrics passed provide (name, prediction), but predictions are not dict. "
                    f"Metrics: {metrics}, Predictions: {predictions}."
                )
            has_own = isinstance(labels, dict) and name[1] in labels
            metric_ops[name[0]] = metric(
                predictions[name[1]], labels[name[1]] if has_own else single
            )
    return metric_ops


def _name_of(function: Any) -> str:
    if hasattr(function, "__name__"):
        return str(function.__name__)
    inner: Any = getattr(function, "func", None)
    return str(getattr(inner, "__name__", function))


def _argument_names(function: Any) -> list[str]:
    if isinstance(function, functools.partial):
        return [name for name in _argument_names(function.func) if name not in function.keywords]
    return inspect.getfullargspec(inspect.unwrap(function)).args


def _by_names(
    function: Callable[..., Any], name: str, needs_labels: bool, needs_weights: bool
) -> Callable[..., Any]:
    """Returns a function of labels, predictions and weights, given by these names."""
    taken = _argument_names(function)
    labels_name = _argument("labels", name, taken, needs_labels)
    predictions_name = _argument("predictions", name, taken, False)
    weights_name = _argument("weights", name, taken, needs_weights)

    def metric_fn(
        _sentinel: Any = None, labels: Any = None, predictions: Any = None, weights: Any = None
    ) -> Any:
        if _sentinel is not None:
            raise ValueError(
                "`metric_fn` requires named args: `labels`, `predictions`, and optionally "
                "`weights`."
            )
        named = {}
        if weights is not None:
            named[weights_name or "weights"] = weights
        if predictions_name:
            named[predictions_name] = predictions
            if labels_name:
                named[labels_name] = labels
            return function(**named)
        if labels_name and taken[0] == labels_name:
            return function(labels, predictions, **named)
        if labels_name:
            named[labels_name] = labels
        return function(predictions, **named)

    return metric_fn


def _argument(wanted: str, function: str, taken: list[str], is_required: bool) -> str | None:
    matching = _NAMES[wanted].intersection(taken)
    if len(matching) > 1:
        raise ValueError(
            f"Ambiguous arguments {matching}, must provide only one of {_NAMES[wanted]}."
        )
    if not matching and is_required:
        raise ValueError(f"{_NAMES[wanted]} missing from {function}({taken}).")
    return next(iter(matching), None)


def _chosen(kind: str, tensors: Any, key: str | None) -> Any:
    if key:
        if not isinstance(tensors, dict):
            raise ValueError(
                f"MetricSpec with {kind}_key specified requires {kind}s dict, got {tensors}.\n"
                f"You must not provide a {kind}_key if you only have a single Tensor as {kind}s."
            )
        if key not in tensors:
            raise KeyError(f"Key '{key}' missing from {tensors.keys()}.")
        return tensors[key]
    if isinstance(tensors, dict):
        if len(tensors) != 1:
            raise ValueError(
                f"MetricSpec without specified {kind}_key requires {kind}s tensor or single "
                f"element dict, got {tensors}"
            )
        return next(iter(tensors.values()))
    return tensors
