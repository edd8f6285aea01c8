"""Feature columns of contrib.layers for every feature of an input."""

import importlib
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.tf1_shim.contrib.learn.array_input import input_and_feed


def infer_real_valued_columns_from_input_fn(input_fn: Callable[[], Any]) -> Any:
    """Returns real-valued columns for the features of an input function, called in its own graph.

    Raises:
        ValueError: a feature is sparse or has no numbers.
    """
    layers: Any = importlib.import_module("tensorflow.contrib.layers")
    with tf.Graph().as_default():
        features, _ = input_fn()
        return layers.infer_real_valued_columns(features)


def infer_real_valued_columns_from_input(x: Any) -> Any:
    """Returns real-valued columns for arrays.

    Raises:
        ValueError: x holds no numbers.
    """
    input_fn, _ = input_and_feed(x, None, None, None, None)
    return infer_real_valued_columns_from_input_fn(input_fn)
