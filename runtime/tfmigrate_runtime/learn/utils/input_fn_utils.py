"""Serving inputs of contrib.learn (its ``input_fn_utils``)."""

from tfmigrate_runtime.contrib.of_learn.utils.input_fn_utils import (
    InputFnOps,
    build_default_serving_input_fn,
    build_parsing_serving_input_fn,
)

__all__ = ["InputFnOps", "build_default_serving_input_fn", "build_parsing_serving_input_fn"]
