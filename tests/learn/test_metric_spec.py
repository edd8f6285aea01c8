"""How a MetricSpec calls its metric function."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn.metric_spec import MetricSpec, make_metric_ops


def named(labels: Any, predictions: Any, weights: Any = None) -> Any:
    return labels, predictions, weights


def other_names(logits: Any, target: Any, weight: Any = None) -> Any:
    return target, logits, weight


def labels_first(label: Any, guess: Any, weights: Any = None) -> Any:
    return label, guess, weights


def guess_first(guess: Any, targets: Any) -> Any:
    return targets, guess, None


def only_predictions(predictions: Any) -> Any:
    return None, predictions, None


def only_guess(guess: Any, weights: Any = None) -> Any:
    return None, guess, weights


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (named, ("l", "p", "w")),
        (other_names, ("l", "p", "w")),
        (labels_first, ("l", "p", "w")),
        (only_guess, (None, "p", "w")),
        (functools.partial(named), ("l", "p", "w")),
    ],
)
def test_arguments_are_found_by_name(function: Any, expected: Any) -> None:
    spec = MetricSpec(function, "a", None, "of_features")
    given = ({"of_features": "w"}, "l", {"a": "p", "b": "q"})
    assert spec.create_metric_ops(*given) == expected
    assert spec.metric_fn(labels="l", predictions="p", weights="w") == expected


@pytest.mark.parametrize(
    ("function", "expected"), [(guess_first, ("l", "p")), (only_predictions, (None, "p"))]
)
def test_weights_are_not_needed(function: Any, expected: Any) -> None:
    found = MetricSpec(function).create_metric_ops({}, {"only": "l"}, {"only": "p"})
    assert found == (*expected, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((only_guess, None, "label"), "missing from only_guess"),
        ((guess_first, None, None, "weight"), "missing from guess_first"),
        ((lambda labels, label: None,), "Ambiguous arguments"),
    ],
)
def test_a_function_must_take_what_has_a_key(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MetricSpec(*arguments)


@pytest.mark.parametrize(
    ("arguments", "given", "error", "message"),
    [
        ((named, "a"), ({}, "l", "p"), ValueError, "requires predictions dict"),
        ((named, "a"), ({}, "l", {"b": "p"}), KeyError, "missing from"),
        ((named,), ({}, "l", {"a": "p", "b": "q"}), ValueError, "without specified prediction_key"),
        ((named,), ({}, {"a": "l", "b": "m"}, "p"), ValueError, "without specified label_key"),
    ],
)
def test_keys_must_fit(arguments: Any, given: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        MetricSpec(*arguments).create_metric_ops(*given)


def test_a_spec_says_what_it_is_of() -> None:
    text = "MetricSpec(metric_fn=named, prediction_key=a, label_key=None, weight_key=None)"
    assert str(MetricSpec(named, "a")) == text


def test_functions_of_tensorflow_are_understood() -> None:
    for function in (tf.metrics.accuracy, tf.metrics.auc, tf.metrics.precision, tf.metrics.recall):
        MetricSpec(function, "a", "b", "c")


def test_functions_may_stand_for_specs() -> None:
    def call(predictions: Any, labels: Any) -> Any:
        return predictions, labels

    predictions = {"a": "p", "b": "q"}
    by_prediction = {("first", "a"): call, ("second", "b"): call}
    assert make_metric_ops(by_prediction, {}, {"b": "m", "c": "n"}, predictions) == {
        "first": ("p", {"b": "m", "c": "n"}),
        "second": ("q", "m"),
    }
    assert make_metric_ops({"only": call}, {}, {"l": "m"}, "p") == {"only": ("p", "m")}
    with pytest.raises(ValueError, match="provide only name, no prediction"):
        make_metric_ops({"only": call}, {}, "l", predictions)
    with pytest.raises(ValueError, match="predictions are not dict"):
        make_metric_ops(by_prediction, {}, "l", "p")
