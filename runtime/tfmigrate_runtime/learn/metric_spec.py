"""Metrics that are passed to ``evaluate`` (``tf.contrib.learn.MetricSpec``)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any

_LABELS = ("labels", "label", "targets", "target")
_PREDICTIONS = ("predictions", "prediction", "logits", "logit")
_WEIGHTS = ("weights", "weight")


class MetricSpec:
    """Reports which prediction, label and weight a metric function gets.

    Attributes:
        prediction_key: the name of the prediction, None for the only one.
        label_key: the name of the label, None for the only one.
        weight_key: the name of the feature that has the weights, None for no weights.
    """

    def __init__(
        self,
        metric_fn: Callable[..., Any],
        prediction_key: str | None = None,
        label_key: str | None = None,
        weight_key: str | None = None,
    ) -> None:
        """Finds out how the metric function takes its arguments.

        Args:
            metric_fn: returns (value tensor, update op), or a value tensor. Its arguments may be
                called labels, label, targets or target; predictions, prediction, logits or logit;
                weights or weight. Predictions without such a name are its first argument that is
                not the labels.
            prediction_key: the name of the prediction, None for the only one.
            label_key: the name of the label, None for the only one.
            weight_key: the name of the feature that has the weights, None for no weights.

        Raises:
            ValueError: the metric function has several arguments for the same, or none for labels
                or weights whose key is given.
        """
        self._name = _name(metric_fn)
        self._function = metric_fn
        self._arguments = _argument_names(metric_fn)
        self._labels = self._argument(_LABELS, label_key is not None)
        self._predictions = self._argument(_PREDICTIONS, False)
        self._weights = self._argument(_WEIGHTS, weight_key is not None)
        self.prediction_key = prediction_key
        self.label_key = label_key
        self.weight_key = weight_key

    @property
    def metric_fn(self) -> Callable[..., Any]:
        """The metric function, which takes ``labels``, ``predictions``, ``weights`` by name."""
        return self._call

    def __str__(self) -> str:
        return (
            f"MetricSpec(metric_fn={self._name}, prediction_key={self.prediction_key}, "
            f"label_key={self.label_key}, weight_key={self.weight_key})"
        )

    def create_metric_ops(self, inputs: Any, labels: Any, predictions: Any) -> Any:
        """Calls the metric function.

        Args:
            inputs: the features, by name if there is a weight_key.
            labels: a tensor, or tensors by name.
            predictions: a tensor, or tensors by name.

        Returns:
            What the metric function returns.

        Raises:
            ValueError: a key is given for a lone tensor, or missing for several.
            KeyError: there is no tensor with a key.
        """
        return self._call(
            labels=_chosen("label", labels, self.label_key),
            predictions=_chosen("prediction", predictions, self.prediction_key),
            weights=inputs[self.weight_key] if self.weight_key else None,
        )

    def _call(self, *, labels: Any = None, predictions: Any = None, weights: Any = None) -> Any:
        positional, named = [], {}
        if self._labels and not self._predictions and self._labels == self._arguments[0]:
            positional.append(labels)
        elif self._labels:
            named[self._labels] = labels
        if self._predictions:
            named[self._predictions] = predictions
        else:
            positional.append(predictions)
        if weights is not None and self._weights:
            named[self._weights] = weights
        return self._function(*positional, **named)

    def _argument(self, candidates: Collection[str], is_required: bool) -> str | None:
        """Returns the name under which the metric function takes something, None if it does not."""
        found = [name for name in self._arguments if name in candidates]
        if len(found) > 1:
            raise ValueError(
                f"Ambiguous arguments {found}, must provide only one of {list(candidates)}."
            )
        if is_required and not found:
            raise ValueError(
                f"{list(candidates)} missing from {self._name}({list(self._arguments)})."
            )
        return found[0] if found else None


def metric_ops(
    metrics: Mapping[Any, Any] | None, features: Any, labels: Any, predictions: Any
) -> dict[str, Any]:
    """Returns the metrics that are given to ``evaluate``, by name.

    Args:
        metrics: by name a MetricSpec, or a function (predictions, labels). The latter may be by
            (name, name of the prediction).
        features: a tensor, or tensors by name.
        labels: a tensor, or tensors by name.
        predictions: a tensor, or tensors by name.

    Raises:
        ValueError: functions and predictions do not fit.
    """
    result = {}
    for key, metric in sorted(dict(metrics or {}).items(), key=lambda item: str(item[0])):
        if isinstance(metric, MetricSpec):
            result[key] = metric.create_metric_ops(features, labels, predictions)
        elif isinstance(key, tuple):
            if len(key) != 2:
                raise ValueError(
                    f"Invalid metric for {key}. It returned a tuple with len {len(key)}, expected 2"
                )
            name, prediction = key
            if not isinstance(predictions, dict):
                raise ValueError(
                    "Metrics passed provide (name, prediction), but predictions are not dict. "
                    f"Metrics: {metrics}, Predictions: {predictions}."
                )
            by_name = isinstance(labels, dict) and prediction in labels
            label = labels[prediction] if by_name else _only(labels)
            result[name] = metric(predictions[prediction], label)
        elif isinstance(predictions, dict):
            raise ValueError(
                "Metrics passed provide only name, no prediction, but predictions are dict. "
                f"Metrics: {metrics}, Labels: {labels}."
            )
        else:
            result[key] = metric(predictions, _only(labels))
    return result


def _only(labels: Any) -> Any:
    return next(iter(labels.values())) if isinstance(labels, dict) and len(labels) == 1 else labels


def _chosen(kind: str, value: Any, key: str | None) -> Any:
    """Returns the tensor of a key, or the only one there is."""
    if key:
        if not isinstance(value, dict):
            raise ValueError(
                f"MetricSpec with {kind}_key specified requires {kind}s dict, got {value}.\n"
                f"You must not provide a {kind}_key if you only have a single Tensor as {kind}s."
            )
        if key not in value:
            raise KeyError(f"Key '{key}' missing from {list(value)}.")
        return value[key]
    if isinstance(value, dict):
        if len(value) != 1:
            raise ValueError(
                f"MetricSpec without specified {kind}_key requires {kind}s tensor or single "
                f"element dict, got {value}"
            )
        return next(iter(value.values()))
    return value


def _argument_names(function: Any) -> tuple[str, ...]:
    """Returns the names of a function's arguments, without those that a partial has by name."""
    if hasattr(function, "func") and hasattr(function, "keywords"):
        return tuple(a for a in _argument_names(function.func) if a not in function.keywords)
    unnamed = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(function).parameters.items()
    return tuple(name for name, parameter in parameters if parameter.kind not in unnamed)


def _name(function: Any) -> str:
    function = function if hasattr(function, "__name__") else getattr(function, "func", function)
    return getattr(function, "__name__", str(function))
