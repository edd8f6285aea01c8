"""``tf.contrib.learn.utils``: exports and their inputs."""

from tfmigrate_runtime.learn.utils import input_fn_utils, saved_model_export_utils
from tfmigrate_runtime.learn.utils.input_fn_utils import (
    InputFnOps,
    build_default_serving_input_fn,
    build_parsing_serving_input_fn,
)
from tfmigrate_runtime.learn.utils.saved_model_export_utils import make_export_strategy

__all__ = [
    "InputFnOps", "build_default_serving_input_fn", "build_parsing_serving_input_fn",
    "input_fn_utils", "make_export_strategy", "saved_model_export_utils",
]  # fmt: skip
