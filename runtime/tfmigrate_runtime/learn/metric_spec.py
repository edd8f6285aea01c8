"""Which tensors a metric is computed of (``tf.contrib.learn.MetricSpec``)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

_LABELS = ("labels", "label", "targets", "target")
_PREDICTIONS = ("predictions", "prediction", "logits", "logit")
_WEIGHTS = ("weights", "weight")


class MetricSpec:
    """A metric function, and the names of what it is given."""

    def __init__(
        self,
        metric_fn: Callable[..., Any],
        prediction_key: str | None = None,
        label_key: str | None = None,
        weight_key: str | None = None,
    ) -> None:
        """Takes a metric.

        Args:
            metric_fn: takes predictions and, if it has parameters of such names, labels and
                weights; returns a tensor, or a pair of value and update op (``tf.metrics``).
            prediction_key: which of several predictions.
            label_key: which of several labels.
            weight_key: which feature has the weights, None for none.

        Raises:
            ValueError: the function has several parameters for one of them, or none for one that a
                key is given for.
        """
        self._function = metric_fn
        names = _parameters(metric_fn)
        self._labels = _matching(metric_fn, names, _LABELS, label_key is not None)
        self._predictions = _matching(metric_fn, names, _PREDICTIONS, False)
        self._weights = _matching(metric_fn, names, _WEIGHTS, weight_key is not None)
        self._labels_come_first = bool(names) and names[0] == self._labels
        self.prediction_key = prediction_key
        self.label_key = label_key
        self.weight_key = weight_key

    def metric_fn(self, *, labels: Any = None, predictions: Any = None, weights: Any = None) -> Any:
        """Calls the metric function with those of the values that it takes."""
        positional: list[Any] = []
        named: dict[str, Any] = {}
        if self._predictions:
            named[self._predictions] = predictions
        elif self._labels and self._labels_come_first:
            positional = [labels, predictions]
        else:
            positional = [predictions]
        if self._labels and len(positional) < 2:
            named[self._labels] = labels
        if weights is not None and self._weights:
            named[self._weights] = weights
        return self._function(*positional, **named)

    def create_metric_ops(self, inputs: Any, labels: Any, predictions: Any) -> Any:
        """Computes the metric of what a model was given and gives.

        Args:
            inputs: features by name.
            labels: a tensor, or tensors by name.
            predictions: a tensor, or tensors by name.

        Returns:
            What the metric function returns.

        Raises:
            ValueError: there is a key and no name, or several tensors and no key.
            KeyError: there is no tensor of that name.
        """
        try:
            return self.metric_fn(
                labels=_chosen("label", labels, self.label_key),
                predictions=_chosen("prediction", predictions, self.prediction_key),
                weights=inputs[self.weight_key] if self.weight_key else None,
            )
        except Exception as error:
            tf.logging.error("Could not create metric ops for %s, %s.", self, error)
            raise

    def __str__(self) -> str:
        return (
            f"MetricSpec(metric_fn={_name(self._function)}, prediction_key={self.prediction_key}, "
            f"label_key={self.label_key}, weight_key={self.weight_key})"
        )


def _chosen(kind: str, tensors: Any, key: str | None) -> Any:
    if key:
        if not isinstance(tensors, Mapping):
            raise ValueError(
                f"MetricSpec with {kind}_key specified requires {kind}s dict, got {tensors}.\n"
                f"You must not provide a {kind}_key if you only have a single Tensor as {kind}s."
            )
        if key not in tensors:
            raise KeyError(f"Key '{key}' missing from {list(tensors)}.")
        return tensors[key]
    if not isinstance(tensors, Mapping):
        return tensors
    if len(tensors) != 1:
        raise ValueError(
            f"MetricSpec without specified {kind}_key requires {kind}s tensor or single element "
            f"dict, got {tensors}"
        )
    return next(iter(tensors.values()))


def _parameters(function: Callable[..., Any]) -> list[str]:
    bound = getattr(function, "keywords", None) or {}
    return [name for name in inspect.signature(function).parameters if name not in bound]


def _matching(
    function: Callable[..., Any], names: list[str], candidates: tuple[str, ...], is_required: bool
) -> str | None:
    found = [name for name in names if name in candidates]
    if len(found) > 1:
        raise ValueError(
            f"Ambiguous arguments {found}, must provide only one of {list(candidates)}."
        )
    if not found and is_required:
        raise ValueError(f"{list(candidates)} missing from {_name(function)}({names}).")
    return found[0] if found else None


def _name(function: Any) -> str:
    named = getattr(function, "func", function)
    return str(getattr(named, "__name__", named))
