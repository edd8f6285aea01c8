"""Feature columns of contrib.layers for every feature of an input."""

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.columns.feature_inputs import infer_real_valued_columns


def infer_real_valued_columns_from_input_fn(input_fn: Callable[[], Any]) -> Any:
    """Returns real-valued columns for the features of an input function, called in its own graph.

    Raises:
        ValueError: a feature is sparse or has no numbers.
    """
    with tf.Graph().as_default():
        features, _ = input_fn()
        return infer_real_valued_columns(features)
