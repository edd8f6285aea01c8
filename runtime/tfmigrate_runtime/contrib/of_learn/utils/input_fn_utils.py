"""Input of exported models, as tf.contrib.learn's Estimators take it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf


class InputFnOps(NamedTuple):
    """Features, labels, and the placeholders that requests are fed to."""

    features: Any
    labels: Any
    default_inputs: Any


def build_parsing_serving_input_fn(
    feature_spec: dict[str, Any], default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """Returns an input function that parses serialized tf.Examples, string [batch]."""

    def input_fn() -> InputFnOps:
        examples = tf.placeholder(tf.string, [default_batch_size], name="input_example_tensor")
        features = tf.parse_example(examples, feature_spec)
        return InputFnOps(features, None, {"examples": examples})

    return input_fn


def build_default_serving_input_fn(
    features: dict[str, Any], default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """Returns an input function that takes features as they are, like the given tensors."""

    def input_fn() -> InputFnOps:
        placeholders = {
            name: tf.placeholder(
                tensor.dtype, [default_batch_size, *tensor.shape.as_list()[1:]], name=tensor.op.name
            )
            for name, tensor in features.items()
        }
        return InputFnOps(placeholders, None, placeholders)

    return input_fn
