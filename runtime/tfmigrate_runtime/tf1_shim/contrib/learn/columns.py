"""Feature columns of contrib.layers for every feature of arrays."""

from typing import Any

from tfmigrate_runtime.contrib.of_learn.columns import infer_real_valued_columns_from_input_fn
from tfmigrate_runtime.tf1_shim.contrib.learn.array_input import input_and_feed


def infer_real_valued_columns_from_input(x: Any) -> Any:
    """Returns real-valued columns for arrays.

    Raises:
        ValueError: x holds no numbers.
    """
    input_fn, _ = input_and_feed(x, None, None)
    return infer_real_valued_columns_from_input_fn(input_fn)
