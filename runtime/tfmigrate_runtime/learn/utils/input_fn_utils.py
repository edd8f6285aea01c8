"""Serving inputs of contrib.learn (its ``input_fn_utils``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tfmigrate_runtime.estimator.export import (
    build_parsing_serving_input_receiver_fn,
    build_raw_serving_input_receiver_fn,
)


class InputFnOps(NamedTuple):
    """What a serving input function returns (``InputFnOps``).

    Attributes:
        features: what the model function gets: tensors by name.
        labels: None.
        default_inputs: the placeholders that a request feeds, by name.
    """

    features: Any
    labels: Any
    default_inputs: Mapping[str, Any]


def build_parsing_serving_input_fn(
    feature_spec: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """Returns a function that parses serialized ``tf.Example`` protos by a feature spec.

    Args:
        feature_spec: as for ``tf.io.parse_example``.
        default_batch_size: the number of examples in a request, None for any.
    """
    return _as_input_fn(build_parsing_serving_input_receiver_fn(feature_spec, default_batch_size))


def build_default_serving_input_fn(
    features: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """Returns a function that makes a placeholder for every feature.

    Args:
        features: tensors (or placeholders) that give the dtypes and shapes, batch axis first.
        default_batch_size: the size of the batch axis, None for any.
    """
    return _as_input_fn(build_raw_serving_input_receiver_fn(features, default_batch_size))


def _as_input_fn(receiver_fn: Callable[[], Any]) -> Callable[[], InputFnOps]:
    def input_fn() -> InputFnOps:
        receiver = receiver_fn()
        return InputFnOps(receiver.features, None, receiver.receiver_tensors)

    return input_fn
